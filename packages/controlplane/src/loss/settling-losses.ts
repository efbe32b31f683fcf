import type { Clock } from '@isthmus/machinery';
import { holdMs, mayBeMass } from './decide-loss.ts';

/** So long after the last loss it counts that no more follow: a list is deleted one object after the other. */
const settleMs = 1_000;

/**
 * What has gone missing without a mark, and since when: how many were lost together is known when no more follow. Only a matter of patience: lost with
 * the process, which then waits again.
 */
export interface Settling {
  /**
   * For how many milliseconds it is to be waited until it is known whether this is one of many: until nothing else has gone missing for a second, but
   * never longer than a loss of many is held. 0 where so few are published that they are not doubted.
   */
  waitMs(id: string, total: number): number;
  /** It is not missing any more, or gone. */
  forget(id: string): void;
}

export function createSettling(clock: Clock): Settling {
  const sinceMs = new Map<string, number>();
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    waitMs(id, total) {
      if (!mayBeMass(total)) return 0;
      const nowMs = clock.monotonic();
      const known = sinceMs.get(id);
      if (known === undefined) {
        sinceMs.set(id, nowMs);
        lastMs = nowMs;
      }
      return Math.max(0, Math.min(lastMs + settleMs, (known ?? nowMs) + holdMs) - nowMs);
    },
    forget: (id) => void sinceMs.delete(id),
  };
}
