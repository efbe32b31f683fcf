import type { Clock } from '@isthmus/machinery';
import { holdMs, mayBeMass } from './decide-loss.ts';

/**
 * If no loss follows for this long, no more are expected: a list is deleted one object after the
 * other.
 */
const settleMs = 1_000;

/**
 * Objects that have gone missing without a mark, and since when. The number that was lost together
 * is known when no more follow. A restart loses this memory, and the wait begins again.
 */
export interface Settling {
  /**
   * How many milliseconds to wait until it is known if this is one of many. The wait ends when no
   * other object has gone missing for a second, but never lasts longer than many losses are held. 0
   * if so few are published that they are not doubted.
   */
  waitMs(id: string, total: number): number;
  /** The object is no longer missing, or it was removed. */
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
