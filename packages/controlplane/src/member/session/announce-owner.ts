import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';

/**
 * How long an announcement of another cluster must stay unchanged before this cluster considers
 * that cluster dead. (The leader does after 30 s.)
 */
export const takeOverAfterMs = 35_000;

/**
 * The same for a cluster that was seen alive: its exports outlast a partition, and a takeover would
 * withdraw them.
 */
export const takeOverOfLivingAfterMs = 24 * 3_600_000;

/** The announcement of another cluster at its last seen change, by the monotonic clock. */
export interface RivalSighting {
  readonly uid: string;
  readonly touchTs: string;
  readonly atMs: number;
  /**
   * It was seen to change: that cluster still runs, so it is not one that was rebuilt as this
   * cluster.
   */
  readonly isAlive: boolean;
}

export type Ownership =
  /** The announcement is ours, or has no owner: send heartbeats. */
  | { readonly kind: 'ours' }
  /**
   * Another cluster announces itself under our ID. It was seen alive, or has not been watched for
   * long enough.
   */
  | { readonly kind: 'rival'; readonly sighting: RivalSighting }
  /** The announcement has not changed for long. Its cluster is gone, or was rebuilt as this one. */
  | { readonly kind: 'abandoned' };

/**
 * Whether the announcement belongs to the cluster with this uid. An announcement without a uid is
 * from an older member, and counts as ours. A cluster that does not know its own uid counts every
 * announcement as its own.
 */
export function isAnnouncedBy({ metadata }: MemberClusterAnnounce, clusterUID: string): boolean {
  const uid = metadata.annotations?.[Annotation.clusterUID];
  return uid === undefined || uid === clusterUID || clusterUID === '';
}

/**
 * Decides who owns the announcement with our cluster ID. Two members under one ID would keep
 * removing each other's exports. So a cluster records the uid of its Namespace kube-system there,
 * and does not write an announcement with another uid.
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
