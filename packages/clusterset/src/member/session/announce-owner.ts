import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';

/** How long an announcement of another cluster must stand still before this cluster takes it for dead (the leader does after 30 s). */
export const takeOverAfterMs = 35_000;

/** When the announcement of another cluster was last seen to change, by the monotonic clock. */
export interface RivalSighting {
  readonly beat: string;
  readonly atMs: number;
}

export type Ownership =
  /** Nobody's, or ours: beat. */
  | { readonly kind: 'ours' }
  /** Another cluster announces itself under our ID; it was seen alive, or has not been watched for long enough. */
  | { readonly kind: 'rival'; readonly uid: string; readonly sighting: RivalSighting }
  /** It has stood still: its cluster is gone, or was rebuilt and is this one. */
  | { readonly kind: 'abandoned' };

/** Whether the announcement is of the cluster with this uid. One without a uid is an older member's: ours; a cluster that does not know its uid owns each. */
export function isAnnouncedBy({ metadata }: MemberClusterAnnounce, clusterUID: string): boolean {
  const uid = metadata.annotations?.[Annotation.clusterUID];
  return uid === undefined || uid === clusterUID || clusterUID === '';
}

/**
 * Whose the announcement of our cluster ID is. Two members under one ID would each remove what the other exports, for ever; so a cluster
 * notes the uid of its Namespace kube-system there, and one that finds another's keeps away.
 */
export function announceOwner(
  found: MemberClusterAnnounce | undefined,
  clusterUID: string,
  seen: { readonly last: RivalSighting | undefined; readonly nowMs: number },
): Ownership {
  if (found === undefined || isAnnouncedBy(found, clusterUID)) return { kind: 'ours' };
  const { [Annotation.clusterUID]: uid = '', [Annotation.touchTs]: touchTs = '' } = found.metadata.annotations ?? {};
  const beat = `${uid} ${touchTs}`;
  const sighting = seen.last?.beat === beat ? seen.last : { beat, atMs: seen.nowMs };
  return seen.nowMs - sighting.atMs >= takeOverAfterMs ? { kind: 'abandoned' } : { kind: 'rival', uid, sighting };
}
