import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, clusterIDErrors } from '@isthmus/api';
import { parseRfc3339, rfc3339 } from '@isthmus/machinery';
import { forgottenAfterMs } from './silence.ts';

/** When clusters left: epoch milliseconds by cluster ID. */
export type Departures = ReadonlyMap<string, number>;

/**
 * The clusters that have left, according to an announcement (docs/spec/wire.md §9). The leader
 * writes them on the announcements of the other members before it forgets a member. A member that
 * was away cannot otherwise distinguish a cluster that left from one that lost its announcement.
 */
export function departures({ metadata }: Pick<MemberClusterAnnounce, 'metadata'>): Departures {
  const found = new Map<string, number>();
  for (const entry of (metadata.annotations?.[Annotation.left] ?? '').split(',')) {
    const [clusterID = '', time] = entry.split('=');
    const atMs = parseRfc3339(time);
    if (atMs !== undefined && clusterIDErrors(clusterID).length === 0) found.set(clusterID, atMs);
  }
  return found;
}

/**
 * The annotation for departures, without those of more than a day ago and of clusters that are
 * back. Undefined if none remains.
 */
export function departuresText(
  all: Departures,
  { nowMs, isAnnounced }: { readonly nowMs: number; readonly isAnnounced: (clusterID: string) => boolean },
): string | undefined {
  const kept = [...all]
    .filter(([clusterID, atMs]) => nowMs - atMs < forgottenAfterMs && !isAnnounced(clusterID))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return kept.length === 0 ? undefined : kept.map(([clusterID, atMs]) => `${clusterID}=${rfc3339(atMs)}`).join(',');
}
