import type { ClusterSet } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { parseRfc3339 } from '@isthmus/machinery';

/** A word that holds for longer would be forgotten, and not be there to be given when it is needed. */
const longestMs = 60 * 60_000;

/**
 * Whether a person has said on the ClusterSet that what is held may go now (docs/spec/membership.md §7): by the annotation
 * `isthmus.dev/allow-removals-until`, an RFC 3339 time in the future, an hour away at most. Anything else counts for nothing.
 */
export function areRemovalsAllowed(clusterSet: ClusterSet | undefined, nowMs: number): boolean {
  const until = parseRfc3339(clusterSet?.metadata.annotations?.[Annotation.allowRemovalsUntil]);
  return until !== undefined && until > nowMs && until <= nowMs + longestMs;
}

/** What to type to let go what is held, as a sentence; the same each time, so that Events of it count up. */
export function howToAllowRemovals({ metadata }: ClusterSet): string {
  // POSIX has no arithmetic of dates, and GNU, BSD and BusyBox each have their own. A zone five minutes east of UTC works with all of them.
  const now = '"$(TZ=UTC-0:05 date +%FT%TZ)"';
  return `If the kept objects are no longer needed, remove them now: kubectl annotate clusterset ${metadata.name} -n ${metadata.namespace ?? ''} --overwrite ${Annotation.allowRemovalsUntil}=${now}`;
}
