import type { Component } from '../../bundle/component.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import type { ClusterRole } from '../../words.ts';
import { isKubernetes } from '../input/planner-context.ts';
import type { Waves } from '../input/plan-input.ts';

/**
 * The parts of a plan, in their order (docs/spec/upgrades.md §1.6, §2.3): those that hold others up
 * go first, programs of people last.
 */
export const groupNames = [
  'pre-steps',
  'freeze',
  'management',
  'leader',
  'members',
  'clusters',
  'kubernetes',
  'clients',
  'post-steps',
] as const;
export type GroupName = (typeof groupNames)[number];

/** A cluster, as far as its place depends on it. */
type PlacedCluster = Pick<ClusterSnapshot, 'name' | 'roles'>;

/** The group and wave of a cluster's components. */
export type PlaceOf = (change: {
  readonly cluster?: PlacedCluster | undefined;
  readonly component: Pick<Component, 'id' | 'type' | 'method' | 'roles'>;
}) => { readonly group: GroupName; readonly wave: number };

/**
 * Which group and wave a component of a cluster belongs to. Management clusters and leaders go
 * before all others; where there are several, in waves: the canaries, then a rising share of them.
 * Members, managed clusters and those without a role follow in waves: the canaries of each family,
 * then a rising share of it. Shares are of the clusters given, which are those that the plan may
 * change. No wave is larger than the size that was asked for. A cluster that leads and is a member
 * has both: the leader's component moves with the leaders, the member's with the members.
 * Kubernetes itself follows the components, in the same waves.
 */
export function clusterGroups(
  clusters: readonly PlacedCluster[],
  waves: Waves,
  familyOf: (cluster: string) => string,
): PlaceOf {
  const followers = clusters.filter(({ roles }) => !isFirst(groupOfRoles(roles)) || roles.includes('member'));
  const families = joined(Map.groupBy(followers, ({ name }) => familyOf(name)));
  const waveOf = new Map<string, number>();
  const areWaves = [...families.values()].some(({ length }) => length > 1);
  for (const family of families.values()) {
    // If every family has one cluster, there are no waves. Otherwise a family of one cluster is in
    // the first wave.
    if (!areWaves) continue;
    for (const [name, wave] of inWaves(family, waves)) waveOf.set(name, wave);
  }
  const dividedWaveOf = divided(waveOf, waves.size);
  const hubWaveOf = hubWaves(clusters, waves);
  const hasHub = clusters.some(({ roles }) => isFirst(groupOfRoles(roles)));
  return ({ cluster, component }) => {
    if (cluster === undefined) return { group: 'clients', wave: 0 };
    const own = component.roles?.filter((role) => cluster.roles.includes(role)) ?? [];
    const group = groupOfRoles(own.length > 0 ? own : cluster.roles);
    const wave = (isFirst(group) ? hubWaveOf(group, cluster.name) : dividedWaveOf.get(cluster.name)) ?? 0;
    if (!isKubernetes(component)) return { group, wave };
    return { group: 'kubernetes', wave: hasHub && !isFirst(group) ? Math.max(1, wave) : wave };
  };
}

/**
 * Clusters that belong together, each with its wave: the canaries that a person named first,
 * whatever their number, then the others as they come.
 */
function inWaves(clusters: readonly PlacedCluster[], waves: Waves): readonly (readonly [string, number])[] {
  const named = clusters.filter(({ name }) => waves.canaries?.includes(name));
  const own = named.length === 0 ? waves : { ...waves, canary: named.length };
  const inOrder = [...named, ...clusters.filter((one) => !named.includes(one))];
  return inOrder.map(({ name }, at) => [name, waveAt(at, clusters.length, own)]);
}

/**
 * Clusters without a ClusterSet, and those that are the only member of their ClusterSet, are
 * divided together like the members of one.
 */
function joined(
  families: ReadonlyMap<string, readonly PlacedCluster[]>,
): ReadonlyMap<string, readonly PlacedCluster[]> {
  const single = [...families].filter(([, some]) => some.length === 1);
  const others = [...families].filter(([, some]) => some.length > 1);
  return new Map([...others, ['', single.flatMap(([, some]) => some)]]);
}

/**
 * The waves of management clusters, and those of leaders, by their names: none where there is one
 * alone.
 */
function hubWaves(
  clusters: readonly PlacedCluster[],
  waves: Waves,
): (group: GroupName, cluster: string) => number | undefined {
  const waveOf = new Map<string, number>();
  for (const role of ['management', 'leader'] as const) {
    const hubs = clusters.filter(({ roles }) => roles.includes(role));
    if (hubs.length < 2) continue;
    const own = new Map(inWaves(hubs, waves));
    for (const [name, wave] of divided(own, waves.size)) waveOf.set(`${role}\n${name}`, wave);
  }
  return (group, cluster) => waveOf.get(`${group}\n${cluster}`);
}

/**
 * Divides waves that are larger than `size`; those that follow move back. In the order of the map
 * within a wave.
 */
function divided(waveOf: ReadonlyMap<string, number>, size = Infinity): ReadonlyMap<string, number> {
  const all = [...waveOf].toSorted(([, a], [, b]) => a - b);
  const next = new Map<string, number>();
  let [wave, count, before] = [0, 0, 0];
  for (const [name, own] of all) {
    if (own !== before || count >= size) [wave, count] = [wave + 1, 0];
    [before, count] = [own, count + 1];
    next.set(name, wave);
  }
  return next;
}

function groupOfRoles(roles: readonly ClusterRole[]): GroupName {
  if (roles.includes('management')) return 'management';
  if (roles.includes('leader')) return 'leader';
  return roles.includes('member') ? 'members' : 'clusters';
}

function isFirst(group: GroupName): boolean {
  return group === 'management' || group === 'leader';
}

/**
 * The wave of a cluster, from 1. The canaries come first, then each share of all clusters in
 * `percent`, rounded up; the rest after the last share belongs to its wave.
 */
function waveAt(at: number, count: number, { canary, percent }: Waves): number {
  const first = Math.min(canary, count);
  const shares = percent
    .map((share) => Math.ceil((share / 100) * count))
    .filter((share) => share > first && share < count);
  const ends = [...new Set([...(first > 0 ? [first] : []), ...shares])].toSorted((a, b) => a - b);
  return 1 + ends.filter((end) => at >= end).length;
}
