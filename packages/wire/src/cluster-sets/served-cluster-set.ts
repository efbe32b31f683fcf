import type { ClusterSet } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';

/*
 * Only this module knows that a controller serves one ClusterSet, and that a ClusterSet has one
 * leader. The wire has no room for more: the annotations, the labels and the names of imported
 * objects contain no ClusterSet.
 */

/** An entry of spec.leaders. */
export type Leader = NonNullable<ClusterSet['spec']>['leaders'][number];

/**
 * The one ClusterSet that a controller serves: the oldest of its Namespace, then the first by name.
 * Admission allows only one. If there are more, created while no webhook ran, the others report
 * this in their status and change nothing.
 */
export function servedClusterSet(clusterSets: readonly ClusterSet[]): ClusterSet | undefined {
  return clusterSets.toSorted(byAge)[0];
}

/** The one leader of a ClusterSet; undefined if spec.leaders does not have exactly one entry. */
export function leaderOf({ spec }: ClusterSet): Leader | undefined {
  const leaders = spec?.leaders ?? [];
  return leaders.length === 1 ? leaders[0] : undefined;
}
