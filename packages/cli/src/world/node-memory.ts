// The memory of this process, as V8 has it.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ProcessMemory } from './io.ts';

/**
 * Lets the heap grow to twice the memory in use before V8 collects. By default, the garbage of a
 * burst of work can reach four times that.
 */
const growthFlag = '--heap-growing-percent=100';

export function nodeMemory(): ProcessMemory {
  setFlagsFromString(growthFlag);
  // Processor time, not that of the event loop: on a busy host, a loop also counts as busy while it
  // waits for a processor.
  let before = { atMs: performance.now(), usage: process.cpuUsage() };
  return {
    heap() {
      const { total_heap_size: totalBytes, used_heap_size: usedBytes } = getHeapStatistics();
      return { totalBytes, usedBytes };
    },
    busyShare() {
      const { user, system } = process.cpuUsage(before.usage);
      const elapsedMs = performance.now() - before.atMs;
      before = { atMs: performance.now(), usage: process.cpuUsage() };
      return (user + system) / 1_000 / elapsedMs;
    },
    compact() {
      setFlagsFromString('--expose-gc');
      // The function exists in contexts that are made while the flag is set. It is not kept,
      // because it would keep its context.
      const collect = runInNewContext('gc') as (options: Collection) => void;
      setFlagsFromString('--no-expose-gc');
      // As if memory had run out: V8 then gives back the pages that it would keep for the next
      // burst.
      collect({ type: 'major', flavor: 'last-resort' });
    },
    optimize() {
      setFlagsFromString('--maglev');
    },
  };
}

interface Collection {
  readonly type: 'major';
  readonly flavor: 'last-resort';
}
