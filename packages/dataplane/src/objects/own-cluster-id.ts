import type { ClusterSet } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';

/** The ID of the cluster, by its oldest ClusterSet; undefined: it is not in a ClusterSet. */
export function ownClusterID(clusterSets: readonly ClusterSet[]): string | undefined {
  const id = clusterSets.toSorted(byAge)[0]?.spec?.clusterID ?? '';
  return id === '' ? undefined : id;
}
