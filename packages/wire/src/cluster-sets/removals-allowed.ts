import type { ClusterSet } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { parseRfc3339 } from '@isthmus/machinery';

/**
 * A permission that is valid for longer would be forgotten, and could then release more than the
 * user meant.
 */
const longestMs = 60 * 60_000;

/**
 * Whether a user has allowed, on the ClusterSet, that held objects are removed
 * (docs/spec/membership.md §7). The annotation `isthmus.dev/allow-removals-until` must be an RFC
 * 3339 time in the future, at most an hour away. Any other value is ignored.
 */
export function areRemovalsAllowed(clusterSet: ClusterSet | undefined, nowMs: number): boolean {
  const until = parseRfc3339(clusterSet?.metadata.annotations?.[Annotation.allowRemovalsUntil]);
  return until !== undefined && until > nowMs && until <= nowMs + longestMs;
}

/**
 * The command that releases held objects, as a sentence. It is the same each time, so that Events
 * with it are counted as one.
 */
export function howToAllowRemovals({ metadata }: ClusterSet): string {
  // POSIX has no date arithmetic, and GNU, BSD and BusyBox each have their own. A time zone five
  // minutes east of UTC works in all of them.
  const now = '"$(TZ=UTC-0:05 date +%FT%TZ)"';
  return `If the kept objects are no longer needed, remove them now: kubectl annotate clusterset ${metadata.name} -n ${metadata.namespace ?? ''} --overwrite ${Annotation.allowRemovalsUntil}=${now}`;
}
