import { parseRfc3339 } from '@isthmus/machinery';
import { minorDistance } from '../../version/minor-distance.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { Version } from '../../version/version.ts';
import type { ApiHistory } from './api-history.ts';
import type { ApiDeprecationRule } from '../change-rules.ts';

type Known = ApiHistory['spec']['versions'][number];

/**
 * The entry of a version of a CRD in the histories: the first one with the time of its deprecation.
 */
export function historyOf(histories: readonly ApiHistory[], crd: string, version: string): Known | undefined {
  const known = histories
    .flatMap(({ spec }) => spec.versions)
    .filter((one) => one.crd === crd && one.version === version);
  return known.find(({ deprecated }) => deprecated !== undefined) ?? known[0];
}

/**
 * Whether a version has been deprecated for as long as promised, and the missing time: calendar
 * months (UTC), and minors of the product if the rule counts them. Both have to be over.
 */
export function ageProblem(
  known: Known | undefined,
  limit: ApiDeprecationRule['ga'],
  { now, to }: { readonly now: string; readonly to?: Version | undefined },
): { readonly kind: 'old-enough' } | { readonly kind: 'unknown' | 'too-young'; readonly why: string } {
  const { releases } = limit;
  if (limit.months === 0 && releases === 0) return { kind: 'old-enough' };
  const since = known?.deprecated;
  if (since === undefined) return { kind: 'unknown', why: 'no ApiHistory has its deprecation' };
  const end = monthsLater(since.at, limit.months);
  if (end !== undefined && (parseRfc3339(now) ?? 0) < end) {
    const day = new Date(end).toISOString().slice(0, 10);
    return {
      kind: 'too-young',
      why: `it was deprecated with ${since.version} on ${since.at.slice(0, 10)} and must be kept for ${limit.months} months, until ${day}`,
    };
  }
  if (releases === 0) return { kind: 'old-enough' };
  if (to === undefined) return { kind: 'unknown', why: 'it is not known which release removes it' };
  const distance = minorDistance(parseVersion(since.version), to);
  if (distance.kind === 'unknown') return { kind: 'unknown', why: distance.why };
  return distance.minors >= releases
    ? { kind: 'old-enough' }
    : {
        kind: 'too-young',
        why: `it was deprecated ${distance.minors} minors ago, with ${since.version}, and must be kept for ${releases}`,
      };
}

/** The same day and time so many months on; the last day of the month where it has no such day. */
export function monthsLater(at: string, months: number): number | undefined {
  const ms = parseRfc3339(at);
  if (ms === undefined) return undefined;
  const date = new Date(ms);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const inDay = ms - Date.UTC(year, date.getUTCMonth(), date.getUTCDate());
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + inDay;
}
