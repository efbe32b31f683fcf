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

/**
 * Whose the announcement of our cluster ID is. Two members under one ID would each remove what the other exports, for ever; so a cluster
 * notes the uid of its Namespace kube-system there, and one that finds another's keeps away. An announcement without a uid is an older
 * member's: ours.
 */
export function announceOwner(
  found: MemberClusterAnnounce | undefined,
  clusterUID: string,
  seen: { readonly last: RivalSighting | undefined; readonly nowMs: number },
): Ownership {
  const annotations = found?.metadata.annotations ?? {};
  const uid = annotations[Annotation.clusterUID];
  if (uid === undefined || uid === clusterUID || clusterUID === '') return { kind: 'ours' };
  const beat = `${uid} ${annotations[Annotation.touchTs] ?? ''}`;
  const sighting = seen.last?.beat === beat ? seen.last : { beat, atMs: seen.nowMs };
  return seen.nowMs - sighting.atMs >= takeOverAfterMs ? { kind: 'abandoned' } : { kind: 'rival', uid, sighting };
}
