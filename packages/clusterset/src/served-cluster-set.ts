import type { ClusterSet } from '@isthmus/api';

/**
 * The one ClusterSet that a controller serves: the oldest of its Namespace, then the first by name. Admission allows only one; where
 * there are more (made while no webhook ran), the others are told so and change nothing.
 */
export function servedClusterSet(clusterSets: readonly ClusterSet[]): ClusterSet | undefined {
  return clusterSets.toSorted(byAge)[0];
}

function byAge(a: ClusterSet, b: ClusterSet): number {
  const [created, other] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (created !== other) return created < other ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
