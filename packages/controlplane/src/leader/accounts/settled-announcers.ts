import type { Clock } from '@isthmus/machinery';
import type { Binding } from './decide.ts';

/**
 * How long one cluster alone has to announce itself by an account before the account is bound to it. Announcements may have been lost, and another cluster that
 * uses the same account announces itself again within this time.
 */
export const settledAfterMs = 60_000;

/** For how long this process has seen the same account announce the same cluster and no other. */
export interface Settling {
  /** Of these, which are all that may be bound now, those that have been for long enough. What is missing once begins anew. */
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
