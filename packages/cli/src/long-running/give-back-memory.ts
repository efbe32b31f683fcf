import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import type { Io, ProcessMemory } from '../world/io.ts';

/** How often a process checks its memory. */
const lookMs = 3_000;
/** Where it uses less than this share of a processor, it rests. */
const restShare = 0.1;
/** A heap at rest grows and shrinks by this much by itself, mostly as room for young objects. */
const usualGrowth = { factor: 1.1, bytes: 4 * 2 ** 20 };
/** How long a heap is left alone after it was compacted. */
const pauseMs = 20_000;
/** A heap that was never collected may grow to this size under load. */
const mostUncollectedBytes = 40 * 2 ** 20;
/**
 * Above this, compacting would stop the process for too long: a hundred megabytes take about a
 * quarter of a second.
 */
const mostUsedBytes = 128 * 2 ** 20;

/**
 * After this much processor time of work V8 may optimize. A start and a hundred Services take less;
 * what works longer gains more than the memory is worth.
 */
const optimizeAfterMs = 2_000;

/** The memory of a process, as it measures it. */
export interface MemoryLook {
  readonly atMs: number;
  readonly totalBytes: number;
  readonly usedBytes: number;
  /** As {@link ProcessMemory.busyShare}. */
  readonly busyShare: number;
}

/** When the heap was last compacted, and its size then. */
export interface Compacted {
  readonly atMs: number;
  readonly totalBytes: number;
}

/**
 * Whether to compact the heap now. The first time is at rest, or under load if the heap is large:
 * V8 lets a heap that it has never collected grow far beyond the memory in use. Later times are at
 * rest, if the heap has grown: the garbage of a burst of work is collected, and its memory goes
 * back to the system.
 */
export function shouldCompact(look: MemoryLook, last: Compacted | undefined): boolean {
  if (look.usedBytes > mostUsedBytes) return false;
  const atRest = look.busyShare < restShare;
  if (last === undefined) return atRest || look.totalBytes > mostUncollectedBytes;
  return (
    atRest &&
    look.atMs - last.atMs >= pauseMs &&
    look.totalBytes > last.totalBytes * usualGrowth.factor + usualGrowth.bytes
  );
}

/** Processor time that was work: heartbeats and checks of a process at rest do not add up. */
function workedMs(elapsedMs: number, busyShare: number): number {
  return busyShare < restShare ? 0 : elapsedMs * busyShare;
}

/** Keeps the memory of a process small until `signal` aborts, then resolves. */
export async function giveBackMemory(memory: ProcessMemory, clock: Clock, signal: AbortSignal): Promise<void> {
  let last: Compacted | undefined;
  let [lookedAtMs, worked, optimizes] = [clock.monotonic(), 0, false];
  while (!signal.aborted) {
    await sleep(clock, lookMs, signal).catch(() => {});
    if (signal.aborted) return;
    const look = { atMs: clock.monotonic(), ...memory.heap(), busyShare: memory.busyShare() };
    worked += workedMs(look.atMs - lookedAtMs, look.busyShare);
    lookedAtMs = look.atMs;
    if (!optimizes && worked >= optimizeAfterMs) {
      memory.optimize();
      optimizes = true;
    }
    if (!shouldCompact(look, last)) continue;
    memory.compact();
    last = { atMs: clock.monotonic(), totalBytes: memory.heap().totalBytes };
  }
}

/**
 * Runs {@link giveBackMemory} until it is disposed: for processes that run as long as their Pod.
 */
export async function smallMemory({ clock, memory }: Pick<Io, 'clock' | 'memory'>): Promise<AsyncDisposable> {
  const over = new AbortController();
  const givenBack = giveBackMemory(await memory(), clock, over.signal);
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await givenBack;
    },
  };
}
