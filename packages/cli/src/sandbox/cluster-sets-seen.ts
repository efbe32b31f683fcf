import { ClusterSet } from '@isthmus/api';
import type { AnyCondition } from '@isthmus/machinery';
import type { FleetCluster } from './fleet-cluster.ts';

/**
 * The ClusterSets of clusters as lines for users, with the conditions of each and of the clusters
 * that it knows: what moves while members join and leave. Times are left out, because they pass by
 * themselves.
 */
export async function clusterSetsSeen(clusters: readonly Pick<FleetCluster, 'name' | 'admin'>[]): Promise<string> {
  const lines = clusters.map(async ({ name, admin }) =>
    (await admin.list(ClusterSet)).items.flatMap(({ metadata, status = {} }) => {
      const set = `${name}: ClusterSet/${metadata.name}`;
      const says = (of: string, conditions: readonly AnyCondition[] | null = []) =>
        (conditions ?? []).map(
          ({ type, status: is, reason = '', message = '' }) => `${of}  ${type}=${is} ${reason}  ${message}`,
        );
      const found = [
        ...says(set, status.conditions),
        ...(status.clusterStatuses ?? []).flatMap((one) => says(`${set} about ${one.clusterID}`, one.conditions)),
      ];
      const isDeleted = metadata.deletionTimestamp === undefined ? [] : [`${set}  is being deleted`];
      return [...(found.length === 0 ? [`${set}  no conditions yet`] : found), ...isDeleted];
    }),
  );
  return (await Promise.all(lines)).flat().join('\n');
}
