import type { ResourceImport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { from } from '@isthmus/kube';
import type { FreeNumber, HoldersOf } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';

/**
 * The number of numbers that one write reserves. If a process ends, the rest of its block stays
 * unused until all other numbers had their turn.
 */
const usualBlock = 256;

/** Numbers for the imports of one exchange. No other process gives away the same numbers. */
export interface NumberBlocks {
  /**
   * A free number for `key`, the same until {@link NumberBlocks.settled}. Undefined: no ClusterSet
   * exists to reserve it in. Errors: Conflict if another process reserves at the same time.
   */
  take(key: string, holdersOf: HoldersOf, signal: AbortSignal): Promise<FreeNumber | undefined>;
  /**
   * Wakes the keys that wait for a ClusterSet. The reconciler that uses this needs them among its
   * sources, and does not start before the ClusterSet has been read.
   */
  readonly sources: readonly Source[];
  /** The key no longer needs a number, or its import has it. */
  settled(key: string): void;
}

interface Block {
  /** The uid of the ClusterSet in which it was reserved. */
  readonly uid: string;
  next: number;
  readonly end: number;
}

/**
 * Reserves numbers in blocks, by a compare-and-swap of one annotation of the leader's ClusterSet.
 * If two leaders run at once, each has its own blocks. The blocks go in turn through the whole
 * range, so that a number that was given up comes last. If the annotation is missing, the first
 * block begins after the greatest number that is published or named in an export.
 */
export function createNumberBlocks({ name, leader }: Exchange, area: CommonArea): NumberBlocks {
  const { allocates, numbers, namedNumbers = () => [] } = leader;
  const given = new Map<string, number>();
  let block: Block | undefined;
  let reserving: Promise<unknown> = Promise.resolve();
  const waiting = new Set<string>();
  if (allocates === undefined || numbers === undefined)
    return { sources: [], take: () => Promise.resolve(undefined), settled() {} };
  const { first, last } = allocates;
  const size = last - first + 1;
  const blockSize = Math.min(usualBlock, size);

  async function reserve(signal: AbortSignal): Promise<Block | undefined> {
    const clusterSet = area.served();
    if (clusterSet === undefined) return undefined;
    const { metadata } = clusterSet;
    const written = parsed(metadata.annotations?.[Annotation.nextNumbers]);
    const start = written.get(name) ?? Math.max(first - 1, greatestKnown()) + 1;
    const next = start >= first && start <= last ? start : first;
    const end = Math.min(last + 1, next + blockSize);
    written.set(name, end);
    const annotations = { ...metadata.annotations, [Annotation.nextNumbers]: textOf(written) };
    await area.clusterSets.change(clusterSet, { ...clusterSet, metadata: { ...metadata, annotations } }, signal);
    return { uid: metadata.uid ?? '', next, end };
  }

  function greatestKnown(): number {
    let greatest = 0;
    for (const object of area.imports.cache.list()) greatest = Math.max(greatest, ...numbersOf(object));
    for (const object of area.exports.cache.list()) greatest = Math.max(greatest, ...namedNumbers(object));
    return greatest;
  }
  const numbersOf = (object: ResourceImport) => numbers(object);

  async function freeNumber(holdersOf: HoldersOf, signal: AbortSignal): Promise<FreeNumber | undefined> {
    // The size of the range, and the rest of the current block.
    for (let looked = 0; looked < size + blockSize;) {
      const isOfServed = block !== undefined && block.uid === (area.served()?.metadata.uid ?? '');
      if (block === undefined || !isOfServed || block.next >= block.end) block = await reserve(signal);
      if (block === undefined) return undefined;
      while (block.next < block.end) {
        const number = block.next++;
        looked++;
        if (holdersOf(number).length === 0) return number;
      }
    }
    return 'exhausted';
  }

  return {
    sources: [from(area.clusterSets.cache, () => [...waiting])],
    async take(key, holdersOf, signal) {
      const known = given.get(key);
      if (known !== undefined && holdersOf(known).length === 0) return known;
      // One after the other, so that keys that arrive together share a block.
      const taking = reserving.then(() => freeNumber(holdersOf, signal));
      reserving = taking.catch(() => undefined);
      const number = await taking;
      if (typeof number === 'number') given.set(key, number);
      if (number === undefined) waiting.add(key);
      else waiting.delete(key);
      return number;
    },
    settled(key) {
      given.delete(key);
      waiting.delete(key);
    },
  };
}

/**
 * `LabelIdentity=513`, one entry for each exchange. Text that a user changed to another form is
 * ignored.
 */
function parsed(text: string | undefined): Map<string, number> {
  const entries = (text ?? '').split(',').flatMap((entry): readonly (readonly [string, number])[] => {
    const [, name, number] = /^([A-Za-z]+)=([0-9]{1,10})$/.exec(entry) ?? [];
    return name === undefined ? [] : [[name, Number(number)]];
  });
  return new Map(entries);
}

function textOf(next: ReadonlyMap<string, number>): string {
  return [...next].map(([name, number]) => `${name}=${number}`).join(',');
}
