import type { Clock } from '@isthmus/machinery';

/** Holds back what may pass in a moment. */
export interface Settled {
  /**
   * How long until a reason counts for a key, in milliseconds; 0: it counts. It counts after it has
   * lasted for ten seconds, and `atOnce` where nothing is lost by that.
   */
  waitMs(key: string, reason: string, atOnce: boolean): number;
  /** The key has no reason now. */
  clear(key: string): void;
}

/** A rollout, or a gateway that is replaced, takes that long. */
const settlingMs = 10_000;

/** Its memory is since when each key has a reason. A restart loses it, which costs ten seconds. */
export function createSettled(clock: Clock): Settled {
  const since = new Map<string, { readonly reason: string; readonly atMs: number }>();
  return {
    waitMs(key, reason, atOnce) {
      const now = clock.monotonic();
      const known = since.get(key);
      if (known?.reason !== reason) since.set(key, { reason, atMs: now });
      if (atOnce) return 0;
      return Math.max(0, settlingMs - (known?.reason === reason ? now - known.atMs : 0));
    },
    clear: (key) => void since.delete(key),
  };
}
