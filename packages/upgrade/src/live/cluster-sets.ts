import type { ClusterSnapshot, FleetSnapshot } from '../fleet/fleet-snapshot.ts';
import { clusterName } from './cluster-of-facts.ts';

type ClusterSets = FleetSnapshot['spec']['clusterSets'];

/** Clusters, each in at most one ClusterSet, which has one leader. */
export interface SortedIntoSets {
  readonly clusters: readonly ClusterSnapshot[];
  readonly clusterSets: ClusterSets;
  readonly notes: readonly string[];
}

/**
 * Sorts clusters into ClusterSets by their reports. Every cluster reports for itself, so several
 * can report that they lead a ClusterSet of one name, rightly or not. Each of these then has a
 * ClusterSet of its own, whose name contains the cluster's. A cluster whose report fits no leader
 * is in no ClusterSet. `leaderOf`: the leader of a cluster that does not report it itself.
 */
export function sortIntoSets(
  all: readonly ClusterSnapshot[],
  leaderOf: (cluster: string) => string | undefined,
): SortedIntoSets {
  const notes: string[] = [];
  const clusterSets: FleetSnapshot['spec']['clusterSets'][number][] = [];
  const setOf = new Map<string, string>();
  const reported = Map.groupBy(
    all.filter(({ clusterSet }) => clusterSet !== undefined),
    ({ clusterSet = '' }) => clusterSet,
  );
  const taken = new Set(reported.keys());
  for (const [name, clusters] of [...reported].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const leaders = leadersOf(clusters);
    const names = new Map(leaders.map((leader) => [leader, leaders.length === 1 ? name : freeName(name, leader)]));
    if (leaders.length > 1)
      notes.push(
        `several clusters lead a ClusterSet ${name}: it is in the snapshot as ${[...names.values()].join(' and ')}. If these are not different ClusterSets, take the snapshot without the contexts that do not belong to it`,
      );
    const members = new Map<string, string[]>(leaders.map((leader) => [leader, []]));
    for (const cluster of clusters) {
      const said = reportedLeader(cluster) ?? leaderOf(cluster.name);
      const leader = leaders.length === 1 ? leaders[0] : names.has(cluster.name) ? cluster.name : said;
      const set = names.get(leader ?? '');
      const isMember = cluster.roles.includes('member');
      if (set === undefined || leader === undefined || !(isMember || leader === cluster.name)) {
        notes.push(
          `${cluster.name} reports that it ${lostText(name, said, set)}; it is not in any ClusterSet of the snapshot`,
        );
        continue;
      }
      setOf.set(cluster.name, set);
      if (isMember) members.get(leader)?.push(cluster.name);
    }
    for (const [leader, all] of members)
      clusterSets.push({ name: names.get(leader) ?? name, leader, members: all.toSorted() });
  }
  return {
    notes,
    clusterSets: clusterSets.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    clusters: all.map((one) => withSet(one, setOf.get(one.name))),
  };

  function freeName(set: string, leader: string): string {
    let name = `${set}-of-${leader}`;
    while (taken.has(name)) name = `${name}-2`;
    taken.add(name);
    return name;
  }
}

/**
 * The clusters that lead a ClusterSet: those that run the controller of a leader and whose own
 * ClusterSet names no other leader. If there are none, all that run the controller: a member may
 * run it as well.
 */
function leadersOf(clusters: readonly ClusterSnapshot[]): readonly string[] {
  const able = clusters.filter(({ roles }) => roles.includes('leader'));
  const own = able.filter((one) => (reportedLeader(one) ?? one.name) === one.name);
  return (own.length > 0 ? own : able).map(({ name }) => name).toSorted();
}

function reportedLeader({ facts }: ClusterSnapshot): string | undefined {
  const leader = facts['multicluster/leader'];
  return leader === undefined ? undefined : clusterName(leader);
}

function lostText(set: string, leader: string | undefined, known: string | undefined): string {
  if (leader === undefined) return `is in ClusterSet ${set}, but not whose`;
  if (known !== undefined) return `leads ClusterSet ${set}, and that its leader is ${leader}`;
  return `is in ClusterSet ${set} of ${leader}, but ${leader} does not lead it`;
}

function withSet(cluster: ClusterSnapshot, clusterSet: string | undefined): ClusterSnapshot {
  if (cluster.clusterSet === clusterSet) return cluster;
  const { clusterSet: _, ...others } = cluster;
  return clusterSet === undefined ? others : { ...others, clusterSet };
}
