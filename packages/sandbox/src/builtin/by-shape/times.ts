import { parseRfc3339 } from '@isthmus/machinery';
import { humanDuration } from '../name-and-age.ts';

/** How long a time is past, in the short form of kubectl; undefined where there is no time. */
export function ageOfTime(time: string | null | undefined, now: number): string | undefined {
  const at = time === null || time === undefined ? undefined : parseRfc3339(time);
  return at === undefined ? undefined : humanDuration(now - at);
}

/**
 * Milliseconds from a time to another, or to now where there is no other; undefined where there is
 * no first.
 */
export function msBetween(from: string | undefined, to: string | undefined, now: number): number | undefined {
  const start = from === undefined ? undefined : parseRfc3339(from);
  if (start === undefined) return undefined;
  return ((to === undefined ? undefined : parseRfc3339(to)) ?? now) - start;
}
