import type { Random } from '@isthmus/machinery';

/** The bounds of an exponential back-off, in milliseconds. */
export interface BackoffBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * How long to wait after the given number of failures in a row (1 or more): `minMs`, doubled with
 * each failure up to `maxMs`, of which a random half is taken away at most, so that many callers do
 * not come back at once.
 */
export function backoffMs(failures: number, bounds: BackoffBounds, random: Random): number {
  const whole = Math.min(bounds.maxMs, bounds.minMs * 2 ** Math.min(failures - 1, 52));
  return whole * (0.5 + random.next() / 2);
}
