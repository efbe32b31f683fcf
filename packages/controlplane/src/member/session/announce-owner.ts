import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';

/** How long an announcement of another cluster must stand still before this cluster takes it for dead (the leader does after 30 s). */
export const takeOverAfterMs = 35_000;

/** The same for one that was seen alive: what it exports outlasts a partition, and to take its place is to withdraw that. */
export const takeOverOfLivingAfterMs = 24 * 3_600_000;

/** The announcement of another cluster as it was last seen to change, by the monotonic clock. */
export interface RivalSighting {
  readonly uid: string;
  readonly touchTs: string;
  readonly atMs: number;
  /** It was seen to change: that cluster is not one that was rebuilt as this one. */
  readonly isAlive: boolean;
}

export type Ownership =
  /** Nobody's, or ours: beat. */
  | { readonly kind: 'ours' }
  /** Another cluster announces itself under our ID; it was seen alive, or has not been watched for long enough. */
  | { readonly kind: 'rival'; readonly sighting: RivalSighting }
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
  const sighting = sightingOf({ uid, touchTs }, seen.last, seen.nowMs);
  const stillMs = seen.nowMs - sighting.atMs;
  return stillMs >= (sighting.isAlive ? takeOverOfLivingAfterMs : takeOverAfterMs)
    ? { kind: 'abandoned' }
    : { kind: 'rival', sighting };
}

function sightingOf(
  { uid, touchTs }: Pick<RivalSighting, 'uid' | 'touchTs'>,
  last: RivalSighting | undefined,
  nowMs: number,
): RivalSighting {
  if (last?.uid !== uid) return { uid, touchTs, atMs: nowMs, isAlive: false };
  return last.touchTs === touchTs ? last : { uid, touchTs, atMs: nowMs, isAlive: true };
}
