import type { ClusterSnapshot, FleetSnapshot } from './fleet-snapshot.ts';

const day = 24 * 60 * 60 * 1000;

/**
 * The clusters whose state was read more than a day before the snapshot was taken: a later run kept
 * it, and read only others.
 */
export function oldReadings({ spec }: FleetSnapshot): readonly (ClusterSnapshot & { readonly readAt: string })[] {
  const takenAt = Date.parse(spec.takenAt);
  return spec.clusters.flatMap((cluster) => {
    const { readAt } = cluster;
    return readAt !== undefined && takenAt - Date.parse(readAt) > day ? [{ ...cluster, readAt }] : [];
  });
}
