import type { Clock } from '@isthmus/machinery';

/**
 * The number of published or imported objects of one kind, and how many of them have lost their
 * source.
 */
export interface LossCount {
  readonly missing: number;
  readonly total: number;
}

/** Counts once for all losses at one time. A count reads all objects, and is used for `usedMs`. */
export function countedOnce(clock: Clock, usedMs: number, count: () => LossCount): () => LossCount {
  let last: { readonly count: LossCount; readonly atMs: number } | undefined;
  return () => {
    const nowMs = clock.monotonic();
    if (last === undefined || nowMs - last.atMs >= usedMs) last = { count: count(), atMs: nowMs };
    return last.count;
  };
}
