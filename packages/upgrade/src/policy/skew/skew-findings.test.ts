import { describe, expect, it } from 'vitest';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import type { FleetState } from '../../fleet/fleet-state.ts';
import type { ReadySkewRule } from '../rule-set.ts';
import { fleet, inShop, managed } from '../testing/fleet.ts';
import { skewRule as rule } from '../testing/skew-rule.ts';
import { skewFindings } from './skew-findings.ts';

const east = inShop('east', 'member');
const west = inShop('west', 'member');

/** The sentences of the findings. */
const whys = (one: ReadySkewRule, state: FleetState) => skewFindings(one, new FleetIndex(state)).map(({ why }) => why);

describe('a rule about one Node', () => {
  const proxy = (node: string) => `east/kube-proxy${node} v1.30.0`;
  const kubelet = (node: string) => `east/kubelet${node} v1.28.0`;
  const between = (subject: string, reference: string) => [
    `kube-proxy v1.30.0 (${subject}) is 2 minors newer than kubelet v1.28.0 (${reference})`,
  ];

  it.each<readonly [string, readonly string[], readonly string[], readonly string[]]>([
    ['one Node', ['@n1'], ['@n1'], between('Node n1 of cluster east', 'Node n1 of cluster east')],
    ['two Nodes', ['@n1'], ['@n2'], []],
    ['a Node and an unknown one', ['@n1'], [''], between('Node n1 of cluster east', 'cluster east')],
    ['an unknown Node and a known one', [''], ['@n1'], between('cluster east', 'Node n1 of cluster east')],
    ['unknown Nodes', [''], [''], between('cluster east', 'cluster east')],
    [
      'several Nodes and one of them',
      ['@n1', '@n2', '@n3'],
      ['@n2'],
      between('Node n2 of cluster east', 'Node n2 of cluster east'),
    ],
    [
      'several Nodes, and some unknown ones',
      ['@n1', '@n2'],
      ['@n2', ''],
      between('Nodes n1, n2 of cluster east', 'Node n2 of cluster east'),
    ],
    ['one Node and several', ['@n2'], ['@n1', '@n2'], between('Node n2 of cluster east', 'Node n2 of cluster east')],
    [
      'a known and an unknown Node, and another known one',
      ['@n1', ''],
      ['@n2'],
      between('cluster east', 'Node n2 of cluster east'),
    ],
  ])('compares what runs on %s', (_, proxies, kubelets, expected) => {
    expect(whys(rule({}), fleet([east], ...proxies.map(proxy), ...kubelets.map(kubelet)))).toEqual(expected);
  });

  it('of a cluster compares what runs on different Nodes as well', () => {
    const state = fleet([east], proxy('@n1'), kubelet('@n2'));
    expect(whys(rule({ scope: 'cluster' }), state)).toEqual(
      between('Node n1 of cluster east', 'Node n2 of cluster east'),
    );
  });

  it('does not compare an unknown Node with those of another cluster', () => {
    expect(whys(rule({}), fleet([east, west], 'east/kube-proxy v1.30.0', 'west/kubelet v1.28.0'))).toEqual([]);
  });
});

describe('a rule about a type and itself', () => {
  const same = { subject: 'kube-apiserver', reference: 'kube-apiserver' } as const;
  const servers = (...versions: readonly string[]) =>
    versions.map((version, at) => `east/kube-apiserver#${'abc'.charAt(at)} ${version}`);
  const newer = (left: string, right: string, minors: number) =>
    `kube-apiserver ${left} is ${minors} minors newer than kube-apiserver ${right}`;

  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['versions within the limits', ['v1.31.0', 'v1.32.0'], []],
    ['equal versions', ['v1.31.0', 'v1.31.0'], []],
    [
      'a newer version, once',
      ['v1.30.0', 'v1.32.0'],
      [newer('v1.32.0 (b of cluster east)', 'v1.30.0 (a of cluster east)', 2)],
    ],
    [
      'each pair of three versions, once',
      ['v1.30.0', 'v1.32.0', 'v1.34.0'],
      [
        newer('v1.32.0 (b of cluster east)', 'v1.30.0 (a of cluster east)', 2),
        newer('v1.34.0 (c of cluster east)', 'v1.32.0 (b of cluster east)', 2),
        newer('v1.34.0 (c of cluster east)', 'v1.30.0 (a of cluster east)', 4),
      ],
    ],
    [
      'a version that cannot be compared, once',
      ['v1.30.0', 'nightly'],
      [
        'the skew between kube-apiserver nightly (b of cluster east) and kube-apiserver v1.30.0 (a of cluster east) is ' +
          'unknown, because "nightly" is not a version with major, minor and patch',
      ],
    ],
  ])('reports %s', (_, versions, expected) => {
    for (const lines of [servers(...versions), servers(...versions).toReversed()])
      expect(whys(rule({ ...same, scope: 'cluster' }), fleet([east], ...lines)).toSorted()).toEqual(expected);
  });

  it('reports an older version too, if the other side is allowed', () => {
    const one = rule({ ...same, scope: 'cluster', newer: { patches: 'any' } });
    expect(whys(one, fleet([east], ...servers('v1.30.0', 'v1.32.0')))).toEqual([
      'kube-apiserver v1.30.0 (a of cluster east) is 2 minors older than kube-apiserver v1.32.0 (b of cluster east)',
    ]);
  });

  it('reports an older version of a managed cluster, because its manager is compared with no other', () => {
    const clusters = [managed('admin'), managed('work', 'admin')];
    const state = fleet(clusters, 'admin/eks-anywhere v0.22.0', 'work/eks-anywhere v0.20.0');
    const one = rule({ subject: 'eks-anywhere', reference: 'eks-anywhere', scope: 'management' });
    expect(whys(one, state)).toEqual([
      'eks-anywhere v0.20.0 (cluster work) is 2 minors older than eks-anywhere v0.22.0 (cluster admin)',
    ]);
  });
});

describe('a finding about skew', () => {
  it.each<readonly [string, Partial<ReadySkewRule>, readonly string[], object]>([
    [
      'behind its reference names what must be upgraded, and how far',
      {},
      ['east/kube-proxy@n1 v1.28.0', 'east/kubelet@n1 v1.30.0'],
      {
        subject: { cluster: 'east', component: 'kube-proxy', node: 'n1' },
        behind: [{ cluster: 'east', component: 'kube-proxy' }],
        why: 'kube-proxy v1.28.0 (Node n1 of cluster east) is 2 minors older than kubelet v1.30.0 (Node n1 of cluster east)',
        unblock: 'upgrade kube-proxy to within 1 minor of v1.30.0 first',
      },
    ],
    [
      'ahead of its reference names the reference as behind',
      { scope: 'cluster', newer: { minors: 0, patches: 'none' }, message: 'not newer' },
      ['east/kube-proxy v1.30.1', 'east/kubelet v1.30.0'],
      {
        subject: { cluster: 'east', component: 'kube-proxy', node: undefined },
        behind: [{ cluster: 'east', component: 'kubelet' }],
        why: 'not newer: kube-proxy v1.30.1 (cluster east) is newer than kubelet v1.30.0 (cluster east)',
        unblock: 'upgrade kubelet to v1.30.1 first',
      },
    ],
    [
      'of a client names the clusters beside it',
      { subject: 'kubectl', reference: 'kubelet', scope: 'fleet' },
      ['kubectl v1.33.0', 'west/kubelet v1.30.0', 'east/kubelet v1.30.0'],
      {
        subject: { cluster: undefined, component: 'kubectl', node: undefined },
        beside: [
          { cluster: 'east', component: 'kubelet' },
          { cluster: 'west', component: 'kubelet' },
        ],
        behind: [
          { cluster: 'east', component: 'kubelet' },
          { cluster: 'west', component: 'kubelet' },
        ],
        why: 'kubectl v1.33.0 is 3 minors newer than kubelet v1.30.0 (clusters east, west)',
        unblock: 'upgrade kubelet to within 1 minor of v1.33.0 first',
      },
    ],
    [
      'of two clients names no cluster',
      { subject: 'kubectl', reference: 'antctl', scope: 'fleet', newer: { patches: 'none' } },
      ['kubectl v1.30.1', 'antctl v1.30.0'],
      {
        subject: { cluster: undefined, component: 'kubectl', node: undefined },
        why: 'kubectl v1.30.1 is newer than antctl v1.30.0',
        unblock: 'upgrade antctl to v1.30.1 first',
      },
    ],
    [
      'that cannot be measured asks for the releases',
      { scope: 'cluster' },
      ['east/kube-proxy v2.0.0', 'east/kubelet v1.30.0'],
      {
        subject: { cluster: 'east', component: 'kube-proxy', node: undefined },
        why:
          'the skew between kube-proxy v2.0.0 (cluster east) and kubelet v1.30.0 (cluster east) is unknown, because ' +
          'no release sequence defines how many minors lie between 1.30 and 2.0',
        unblock: 'find out the releases of kube-proxy and kubelet, or add a release sequence with both to the policy',
      },
    ],
  ])('%s', (_, more, lines, expected) => {
    expect(skewFindings(rule(more), new FleetIndex(fleet([east, west], ...lines)))).toEqual([
      { rule: 'test.rule', severity: 'block', source: 'a test', ...expected },
    ]);
  });

  it('is looked for only where an instance came or went', () => {
    const state = fleet(
      [east, west],
      ...['east', 'west'].flatMap((cluster) => [`${cluster}/kube-proxy@n1 v1.30.0`, `${cluster}/kubelet@n1 v1.28.0`]),
    );
    const touched = state.instances.filter(({ cluster, type }) => cluster === 'west' && type === 'kubelet');
    const clusters = (some?: typeof touched) =>
      skewFindings(rule({}), new FleetIndex(state), some).map(({ subject }) => subject?.cluster);
    expect([clusters(), clusters(touched), clusters([])]).toEqual([['east', 'west'], ['west'], []]);
  });
});
