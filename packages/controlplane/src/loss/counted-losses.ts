import type { Clock } from '@isthmus/machinery';

/** How many of one kind are published or imported, and how many of these have lost their source. */
export interface LossCount {
  readonly missing: number;
  readonly total: number;
}

/** Counts once for all losses of one time: a count reads all objects, and is used for `usedMs`. */
export function countedOnce(clock: Clock, usedMs: number, count: () => LossCount): () => LossCount {
  let last: { readonly count: LossCount; readonly atMs: number } | undefined;
  return () => {
    const nowMs = clock.monotonic();
    if (last === undefined || nowMs - last.atMs >= usedMs) last = { count: count(), atMs: nowMs };
    return last.count;
  };
}
