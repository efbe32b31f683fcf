import { describe, expect, it } from 'vitest';
import type { ClusterRole } from '../../words.ts';
import type { Waves } from '../input/plan-input.ts';
import { clusterGroups } from './cluster-groups.ts';

const cluster = (name: string, ...roles: readonly ClusterRole[]) => ({ name, roles });
const members = (count: number) => Array.from({ length: count }, (_, at) => cluster(`m${at + 1}`, 'member'));
const agent = { id: 'antrea-agent', method: 'apply' } as const;
const kubelet = { id: 'kubelet', method: 'kubernetes' } as const;
const usual: Waves = { canary: 1, percent: [25, 100], nodesAtOnce: 1 };

interface Case {
  readonly clusters: readonly ReturnType<typeof cluster>[];
  readonly waves?: Waves;
  readonly familyOf?: (name: string) => string;
}

/** The place of a component in each cluster, by the name of the cluster. */
function places(
  { clusters, waves = usual, familyOf = () => 'shop' }: Case,
  component: Parameters<ReturnType<typeof clusterGroups>>[0]['component'] = agent,
) {
  const placeOf = clusterGroups(clusters, waves, familyOf);
  return clusters.map((one) => {
    const { group, wave } = placeOf({ cluster: one, component });
    return `${one.name} ${group} ${wave}`;
  });
}

describe('the group and wave of a component', () => {
  it.each<readonly [string, Case, readonly string[]]>([
    [
      'one leader has no waves, its members have',
      { clusters: [cluster('north', 'leader'), ...members(2)] },
      ['north leader 0', 'm1 members 1', 'm2 members 2'],
    ],
    ['a cluster that is alone has none', { clusters: [cluster('only', 'member')] }, ['only members 0']],
    [
      'a canary, then a quarter, then the rest',
      { clusters: members(9) },
      [
        'm1 members 1',
        ...[2, 3].map((at) => `m${at} members 2`),
        ...[4, 5, 6, 7, 8, 9].map((at) => `m${at} members 3`),
      ],
    ],
    [
      'named canaries come first, whatever their number and place',
      { clusters: members(4), waves: { ...usual, canaries: ['m4', 'm2'] } },
      ['m1 members 2', 'm2 members 1', 'm3 members 2', 'm4 members 1'],
    ],
    [
      'no canaries: the first share is the first wave',
      { clusters: members(4), waves: { ...usual, canary: 0, percent: [50, 100] } },
      ['m1 members 1', 'm2 members 1', 'm3 members 2', 'm4 members 2'],
    ],
    [
      'a wave that is larger than the size is divided, and the others move back',
      { clusters: members(6), waves: { ...usual, canary: 1, percent: [50, 100], size: 2 } },
      ['m1 members 1', 'm2 members 2', 'm3 members 2', 'm4 members 3', 'm5 members 3', 'm6 members 4'],
    ],
    [
      'each family has its own canary, and families of one cluster are one family',
      {
        clusters: ['a1', 'a2', 'b1', 'c1'].map((name) => cluster(name, 'member')),
        familyOf: (name) => name.charAt(0),
      },
      ['a1 members 1', 'a2 members 2', 'b1 members 1', 'c1 members 2'],
    ],
    [
      'families of one cluster alone have no waves, except that they are divided together',
      { clusters: [cluster('a', 'member'), cluster('b')], familyOf: (name) => name },
      ['a members 1', 'b clusters 2'],
    ],
    [
      'several leaders follow each other, and management clusters do so on their own',
      {
        clusters: [
          cluster('north', 'leader'),
          cluster('south', 'leader'),
          cluster('admin', 'management'),
          cluster('backup', 'management'),
        ],
      },
      ['north leader 1', 'south leader 2', 'admin management 1', 'backup management 2'],
    ],
    [
      'management goes before leading',
      { clusters: [cluster('hub', 'management', 'leader', 'member')] },
      ['hub management 0'],
    ],
  ])('%s', (_, one, expected) => {
    expect(places(one)).toEqual(expected);
  });

  it.each<readonly [string, ClusterRole | undefined, string]>([
    ['a part of a leader moves with the leaders', 'leader', 'both leader 0'],
    ['a part of a member moves with the members', 'member', 'both members 1'],
    ['a part of every cluster moves with the first role', undefined, 'both leader 0'],
  ])('of a cluster that leads and is a member: %s', (_, role, expected) => {
    const component = { ...agent, ...(role !== undefined && { roles: [role] }) };
    expect(places({ clusters: [cluster('both', 'leader', 'member'), ...members(1)] }, component)[0]).toBe(expected);
  });

  it('of Kubernetes follows the components in the same waves, and never goes with the leaders', () => {
    expect(places({ clusters: [cluster('north', 'leader'), ...members(2)] }, kubelet)).toEqual([
      'north kubernetes 0',
      'm1 kubernetes 1',
      'm2 kubernetes 2',
    ]);
    // A single member has no waves, but its Kubernetes is upgraded after that of the leader.
    expect(places({ clusters: [cluster('north', 'leader'), ...members(1)] }, kubelet)).toEqual([
      'north kubernetes 0',
      'm1 kubernetes 1',
    ]);
    expect(places({ clusters: [cluster('alone')] }, { ...agent, id: 'x', type: 'kube-apiserver' })).toEqual([
      'alone kubernetes 0',
    ]);
  });

  it('of a program that users run is last', () => {
    expect(clusterGroups(members(3), usual, () => 'shop')({ component: agent })).toEqual({ group: 'clients', wave: 0 });
  });
});
