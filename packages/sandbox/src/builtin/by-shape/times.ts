import { parseRfc3339 } from '@isthmus/machinery';
import { humanDuration } from '../name-and-age.ts';

/** The age of a time, in the short form of kubectl; undefined if there is no time. */
export function ageOfTime(time: string | null | undefined, now: number): string | undefined {
  const at = time === null || time === undefined ? undefined : parseRfc3339(time);
  return at === undefined ? undefined : humanDuration(now - at);
}

/**
 * Milliseconds from the first time to the second, by default to now; undefined without a first
 * time.
 */
export function msBetween(from: string | undefined, to: string | undefined, now: number): number | undefined {
  const start = from === undefined ? undefined : parseRfc3339(from);
  if (start === undefined) return undefined;
  return ((to === undefined ? undefined : parseRfc3339(to)) ?? now) - start;
}
