import type { ClusterSnapshot } from '../fleet/fleet-snapshot.ts';

/** Clusters with the clusters that manage them. */
export interface Managed {
  readonly clusters: readonly ClusterSnapshot[];
  readonly notes: readonly string[];
}

/**
 * Finds which cluster manages which, by the addresses of the API servers and by the names in
 * Cluster API. Clusters that report to manage each other, directly or over others, have no manager
 * in the result.
 */
export function withManagers(clusters: readonly ClusterSnapshot[]): Managed {
  const found = managersOf(clusters);
  const managerOf = (cluster: ClusterSnapshot) => {
    const manager = found.get(cluster.facts['cluster/server'] ?? '') ?? found.get(`name ${cluster.name}`);
    return manager === cluster.name ? undefined : manager;
  };
  // By name. What a person wrote holds where nothing was found.
  const managers = new Map(clusters.map((one) => [one.name, managerOf(one) ?? one.managedBy]));
  const notes: string[] = [];
  const circular = new Set<string>();
  for (const { name } of clusters) {
    if (circular.has(name)) continue;
    const circle = circleOf(name, managers);
    if (circle === undefined) continue;
    for (const one of circle) circular.add(one);
    const [last = '', ...others] = circle.toSorted().toReversed();
    notes.push(
      `${others.toReversed().join(', ')} and ${last} report to manage each other; ${circle.length === 2 ? 'neither' : 'none'} is in the snapshot as the manager of ${circle.length === 2 ? 'the other' : 'another'}`,
    );
  }
  return {
    notes,
    clusters: clusters.map((one) => {
      const manager = circular.has(one.name) ? undefined : managerOf(one);
      if (manager === undefined) return one;
      return { ...one, roles: [...new Set([...one.roles, 'workload' as const])], managedBy: manager };
    }),
  };
}

/**
 * The clusters from this one back to itself, each managed by the next; undefined where that does
 * not lead back to it.
 */
function circleOf(start: string, managers: ReadonlyMap<string, string | undefined>): readonly string[] | undefined {
  const way = [start];
  for (let at = managers.get(start); at !== undefined; at = managers.get(at)) {
    if (at === start) return way.length === 1 ? undefined : way;
    if (way.includes(at)) return undefined;
    way.push(at);
  }
  return undefined;
}

/**
 * The name of the managing cluster, by the address of the API server and by the name of the managed
 * one.
 */
function managersOf(clusters: readonly ClusterSnapshot[]): ReadonlyMap<string, string> {
  return new Map(
    clusters.flatMap(({ name, facts }) =>
      (facts['cluster-api/clusters']?.split(',') ?? []).flatMap((one) => {
        const [managed = '', endpoint = ''] = one.split('=');
        return [[`name ${managed}`, name] as const, ...(endpoint === '' ? [] : [[endpoint, name] as const])];
      }),
    ),
  );
}
