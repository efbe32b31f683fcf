import type { Clock } from '@isthmus/machinery';
import type { Binding } from './decide.ts';

/**
 * How long an account has to announce one cluster, and no other, before it is bound to it.
 * Announcements may have been lost, and another cluster with the same account announces itself
 * again within this time.
 */
export const settledAfterMs = 60_000;

/** For how long this process has seen an account announce the same cluster and no other. */
export interface Settling {
  /**
   * The candidates that have been unchanged for long enough. `candidates`: all that may be bound
   * now. The time of a candidate that is missing once begins again.
   */
  settled(candidates: readonly Binding[]): readonly Binding[];
}

export function createSettling(clock: Pick<Clock, 'monotonic'>): Settling {
  let since: ReadonlyMap<string, number> = new Map();
  return {
    settled(candidates) {
      const nowMs = clock.monotonic();
      const idOf = ({ account, clusterID }: Binding) => `${account} ${clusterID}`;
      since = new Map(candidates.map((one) => [idOf(one), since.get(idOf(one)) ?? nowMs]));
      return candidates.filter((one) => nowMs - (since.get(idOf(one)) ?? nowMs) >= settledAfterMs);
    },
  };
}
