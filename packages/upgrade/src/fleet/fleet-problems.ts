import type { Problem } from '../read/problem.ts';
import type { FleetSnapshot } from './fleet-snapshot.ts';

/**
 * The errors of a readable snapshot: references to clusters that it does not have, clusters in two
 * ClusterSets, roles that contradict the ClusterSets, and circles of management. In the order of
 * the lines. Plans require a snapshot without errors.
 */
export function fleetProblems(
  { spec }: FleetSnapshot,
  { source, lineOf }: { readonly source: string; readonly lineOf: (path: string) => number },
): readonly Problem[] {
  const byName = new Map(spec.clusters.map((one) => [one.name, one]));
  const sets = new Map(spec.clusterSets.map((one) => [one.name, one]));
  const problems: Problem[] = [];
  const add = (path: string, message: string) => problems.push({ source, line: lineOf(path), path, message });

  const memberOf = new Map<string, string>();
  for (const [at, { name, leader, members }] of spec.clusterSets.entries()) {
    const path = `spec.clusterSets[${at}]`;
    if (!byName.has(leader)) add(`${path}.leader`, `the leader ${leader} of ${name} is not a cluster of the snapshot`);
    else if (!byName.get(leader)?.roles.includes('leader')) {
      add(`${path}.leader`, `${leader} leads ${name}, but does not have the role leader`);
    }
    for (const [place, member] of members.entries()) {
      const here = `${path}.members[${place}]`;
      const other = memberOf.get(member);
      if (!byName.has(member)) add(here, `the member ${member} of ${name} is not a cluster of the snapshot`);
      else if (other !== undefined && other !== name)
        add(here, `${member} is a member of ${other} already; a cluster can be in only one ClusterSet`);
      else if (!byName.get(member)?.roles.includes('member'))
        add(here, `${member} is a member of ${name}, but does not have the role member`);
      memberOf.set(member, other ?? name);
    }
  }
  for (const [at, cluster] of spec.clusters.entries()) {
    const path = `spec.clusters[${at}]`;
    const { clusterSet, managedBy, name } = cluster;
    const set = sets.get(clusterSet ?? '');
    if (clusterSet !== undefined && set === undefined)
      add(`${path}.clusterSet`, `the ClusterSet ${clusterSet} is not in spec.clusterSets`);
    else if (set !== undefined && set.leader !== name && !set.members.includes(name)) {
      add(`${path}.clusterSet`, `${name} is neither leader nor member of ${set.name}`);
    }
    if (managedBy !== undefined && !byName.has(managedBy)) {
      add(`${path}.managedBy`, `${managedBy}, which manages ${name}, is not a cluster of the snapshot`);
    }
    for (const [place, key] of cluster.sharedDefinitions.entries()) {
      if (spec.definitions[key] === undefined)
        add(`${path}.sharedDefinitions[${place}]`, `the definition ${key} is not in spec.definitions`);
    }
    const circle = managementCircle(name, byName);
    if (circle !== undefined) add(`${path}.managedBy`, `clusters manage each other: ${circle.join(' → ')}`);
  }
  return problems.toSorted((a, b) => a.line - b.line || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/**
 * The circle of management whose bytewise first cluster is `start`. A cluster that manages itself
 * does not count as a circle.
 */
function managementCircle(
  start: string,
  byName: ReadonlyMap<string, { readonly managedBy?: string | undefined }>,
): readonly string[] | undefined {
  const way = [start];
  for (let at = byName.get(start)?.managedBy; at !== undefined; at = byName.get(at)?.managedBy) {
    if (at === way.at(-1)) return undefined;
    if (at === start) return way.every((one) => start <= one) ? [...way, start] : undefined;
    if (way.includes(at)) return undefined;
    way.push(at);
  }
  return undefined;
}
