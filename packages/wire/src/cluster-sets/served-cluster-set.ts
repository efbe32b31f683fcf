import type { ClusterSet } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';

/*
 * The one place that knows that a controller serves one ClusterSet, and that a ClusterSet has one leader: the wire has no room for more (the
 * annotations, the labels and the names of imported objects carry no ClusterSet). All others ask here.
 */

/** An entry of spec.leaders. */
export type Leader = NonNullable<ClusterSet['spec']>['leaders'][number];

/**
 * The one ClusterSet that a controller serves: the oldest of its Namespace, then the first by name. Admission allows only one; where
 * there are more (made while no webhook ran), the others are told so and change nothing.
 */
export function servedClusterSet(clusterSets: readonly ClusterSet[]): ClusterSet | undefined {
  return clusterSets.toSorted(byAge)[0];
}

/** The one leader of a ClusterSet; undefined where spec.leaders has not exactly one entry. */
export function leaderOf({ spec }: ClusterSet): Leader | undefined {
  const leaders = spec?.leaders ?? [];
  return leaders.length === 1 ? leaders[0] : undefined;
}
