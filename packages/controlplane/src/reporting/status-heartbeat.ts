import type { Clock } from '@isthmus/machinery';
import { rfc3339 } from '@isthmus/machinery';

/** How often a controller shows in a status that it lives. */
export const statusBeatMs = 60_000;

/** The time in a status that shows until when its writer lived. */
export interface StatusHeartbeat {
  /** The time to write, RFC 3339: the former one until a minute has passed. */
  next(key: string, former: string | undefined): string | undefined;
}

/** The age of a time that an earlier process wrote. One of the future counts as old. */
function ageOf(time: string, clock: Clock): number {
  const ageMs = clock.now() - Date.parse(time);
  return ageMs >= 0 ? ageMs : statusBeatMs;
}

/**
 * Its memory is when each object was written last. An API server whose definitions drop the field
 * costs a write a minute, too.
 */
export function createStatusHeartbeat(clock: Clock): StatusHeartbeat {
  const writtenMs = new Map<string, number>();
  return {
    next(key, former) {
      const nowMs = clock.monotonic();
      const lastMs = writtenMs.get(key) ?? nowMs - (former === undefined ? statusBeatMs : ageOf(former, clock));
      if (nowMs - lastMs < statusBeatMs) return former;
      writtenMs.set(key, nowMs);
      return rfc3339(clock.now());
    },
  };
}
