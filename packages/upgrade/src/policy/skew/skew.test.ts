import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FleetState } from '../../fleet/fleet-state.ts';
import { orderViolations } from '../testing/order-violations.ts';
import { shippedPolicies } from '../shipped/shipped-policies.ts';
import { fleet, inShop, managed } from '../testing/fleet.ts';
import { startViolations, violationsOf } from './violations.ts';

const policies = shippedPolicies();
const east = [inShop('east', 'member')];
const shop = [inShop('north', 'leader'), inShop('east', 'member'), inShop('west', 'member')];
const eksa = [managed('admin'), managed('work', 'admin')];

/**
 * The rules of docs/spec/upgrades.md §2.2 that speak of one state: its id, a fleet that keeps it,
 * and one that breaks it.
 */
const states: readonly (readonly [string, FleetState, FleetState])[] = [
  [
    'antrea.agent',
    fleet(east, 'east/antrea-controller v1.13.1', 'east/antrea-agent@n1 v1.9.0'),
    fleet(east, 'east/antrea-controller v1.13.1', 'east/antrea-agent@n1 v1.8.2'),
  ],
  [
    'antrea.antctl',
    fleet(east, 'east/antrea-controller v2.1.0', 'antctl v1.13.0'),
    fleet(east, 'east/antrea-controller v2.1.0', 'antctl v2.1.1'),
  ],
  [
    'antrea.fa',
    fleet(east, 'east/flow-aggregator v2.7.0', 'east/antrea-agent@n1 v2.3.0'),
    fleet(east, 'east/flow-aggregator v2.7.0', 'east/antrea-agent@n1 v2.2.9'),
  ],
  [
    'mc.same',
    fleet(shop, 'north/mc-leader v2.7.0', 'east/mc-member v2.7.0'),
    fleet(shop, 'north/mc-leader v2.7.0', 'east/mc-member v2.6.0'),
  ],
  [
    'mc.antctl',
    fleet(shop, 'north/mc-leader v2.7.0', 'antctl v2.7.0'),
    fleet(shop, 'north/mc-leader v2.7.0', 'antctl v2.7.1'),
  ],
  [
    'mc.antctl-member',
    fleet(shop, 'east/mc-member v2.7.0', 'antctl v1.6.0'),
    fleet(shop, 'east/mc-member v2.7.0', 'antctl v2.7.1'),
  ],
  [
    'mc.antctl-floor',
    fleet(shop, 'north/mc-leader v1.7.0', 'antctl v1.6.0'),
    fleet(shop, 'north/mc-leader v1.7.0', 'antctl v1.5.3'),
  ],
  [
    'mc.antrea',
    fleet(shop, 'east/mc-member v2.7.0', 'east/antrea-controller v2.7.0'),
    fleet(shop, 'east/mc-member v2.7.0', 'east/antrea-controller v2.6.0'),
  ],
  [
    'mc.antrea-leader',
    fleet(shop, 'north/mc-leader v2.7.0', 'north/antrea-controller v2.7.0'),
    fleet(shop, 'north/mc-leader v2.7.0', 'north/antrea-controller v2.7.1'),
  ],
  [
    'k8s.apiserver-ha',
    fleet(east, 'east/kube-apiserver#a v1.31.0', 'east/kube-apiserver#b v1.32.1'),
    fleet(east, 'east/kube-apiserver#a v1.31.0', 'east/kube-apiserver#b v1.33.0'),
  ],
  [
    'k8s.kubelet',
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kubelet@n1 v1.29.5'),
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kubelet@n1 v1.28.9'),
  ],
  [
    'k8s.kubelet-before-1.25',
    fleet(east, 'east/kube-apiserver v1.26.0', 'east/kubelet@n1 v1.24.5'),
    fleet(east, 'east/kube-apiserver v1.27.0', 'east/kubelet@n1 v1.24.5'),
  ],
  [
    'k8s.kproxy',
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kube-proxy@n1 v1.29.0'),
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kube-proxy@n1 v1.33.0'),
  ],
  [
    'k8s.kproxy-before-1.25',
    fleet(east, 'east/kube-apiserver v1.26.0', 'east/kube-proxy@n1 v1.24.5'),
    fleet(east, 'east/kube-apiserver v1.27.0', 'east/kube-proxy@n1 v1.24.5'),
  ],
  [
    'k8s.kproxy-kubelet',
    fleet(east, 'east/kubelet@n1 v1.28.0', 'east/kubelet@n2 v1.27.0', 'east/kube-proxy@n1 v1.31.0'),
    fleet(east, 'east/kubelet@n1 v1.27.0', 'east/kubelet@n2 v1.28.0', 'east/kube-proxy@n1 v1.31.0'),
  ],
  [
    'k8s.kproxy-kubelet-before-1.25',
    fleet(east, 'east/kubelet@n1 v1.22.0', 'east/kube-proxy@n1 v1.24.0'),
    fleet(east, 'east/kubelet@n1 v1.21.0', 'east/kube-proxy@n1 v1.24.0'),
  ],
  [
    'k8s.cm',
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kube-controller-manager v1.31.0'),
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kube-controller-manager v1.30.0'),
  ],
  [
    'k8s.cm-scheduler',
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kube-scheduler v1.32.9'),
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/kube-scheduler v1.33.0'),
  ],
  [
    'k8s.cm-cloud',
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/cloud-controller-manager v1.31.0'),
    fleet(east, 'east/kube-apiserver v1.32.0', 'east/cloud-controller-manager v1.33.0'),
  ],
  [
    'k8s.kubectl',
    fleet(east, 'east/kube-apiserver v1.32.0', 'kubectl v1.33.0'),
    fleet(east, 'east/kube-apiserver v1.32.0', 'kubectl v1.30.0'),
  ],
  [
    'eksa.mgmt',
    fleet(eksa, 'admin/eks-anywhere v0.20.1', 'work/eks-anywhere v0.19.3'),
    fleet(eksa, 'admin/eks-anywhere v0.20.1', 'work/eks-anywhere v0.20.2'),
  ],
  [
    'isthmus.agent',
    fleet(shop, 'north/isthmus-leader v0.5.0', 'east/isthmus-agent@n1 v0.1.0'),
    fleet(shop, 'north/isthmus-leader v0.5.0', 'east/isthmus-agent@n1 v0.5.1'),
  ],
  [
    'isthmus.cli',
    fleet(shop, 'north/isthmus-leader v0.5.0', 'isthmus-cli v0.1.0'),
    fleet(shop, 'north/isthmus-leader v0.6.0', 'isthmus-cli v0.1.0'),
  ],
  [
    'isthmus.member',
    fleet(shop, 'north/isthmus-leader v0.5.0', 'east/isthmus-member v0.4.0'),
    fleet(shop, 'north/isthmus-leader v0.5.0', 'east/isthmus-member v0.3.0'),
  ],
  [
    'isthmus.members',
    fleet(shop, 'west/isthmus-member v0.5.0', 'east/isthmus-member v0.4.0'),
    fleet(shop, 'west/isthmus-member v0.5.0', 'east/isthmus-member v0.3.0'),
  ],
];

const broken = (state: FleetState, settled = true) => [
  ...new Set(
    violationsOf(state, policies, settled)
      .filter(({ severity }) => severity !== 'info')
      .map(({ rule }) => rule),
  ),
];

describe('a rule about skew', () => {
  it.each(states)('%s has a fleet that keeps it and one that breaks it', (id, good, bad) => {
    expect(broken(good)).not.toContain(id);
    expect(broken(bad)).toContain(id);
  });

  it('of a policy that ships with isthmus is in this table', () => {
    const shipped = policies.flatMap(({ spec }) => [...spec.skew, ...spec.floors]).map(({ id }) => id);
    expect(states.map(([id]) => id).toSorted()).toEqual(shipped.toSorted());
  });

  it('controller 1.13.1, agents 1.13.1 and 1.9.0: ok; 1.8: blocked with the Nodes', () => {
    const agents = ['east/antrea-agent@n1 v1.13.1', 'east/antrea-agent@n2 v1.9.0'];
    expect(broken(fleet(east, 'east/antrea-controller v1.13.1', ...agents))).toEqual([]);
    const old = Array.from({ length: 12 }, (_, at) => `east/antrea-agent@old-${String(at).padStart(2, '0')} v1.8.3`);
    const [finding, ...others] = violationsOf(
      fleet(east, 'east/antrea-controller v1.13.1', ...agents, ...old),
      policies,
      false,
    );
    expect(others).toEqual([]);
    expect(finding).toEqual({
      rule: 'antrea.agent',
      severity: 'block',
      subject: { cluster: 'east', component: 'antrea-agent' },
      behind: [{ cluster: 'east', component: 'antrea-agent' }],
      why:
        'an agent is not newer than the controller, and up to four minors older: antrea-agent v1.8.3 (Nodes old-00, old-01, old-02, old-03, ' +
        'old-04, old-05, old-06, old-07, old-08, old-09 and 2 more of cluster east) is 5 minors older than antrea-controller v1.13.1 (cluster east)',
      unblock: 'upgrade antrea-agent to within 4 minors of v1.13.1 first',
      source: 'Antrea, docs/versioning.md, Antrea upgrade and supported version skew',
    });
  });

  it('agent 1.13.2 with controller 1.13.1 is newer, though only by its patch', () => {
    const [finding] = violationsOf(
      fleet(east, 'east/antrea-controller v1.13.1', 'east/antrea-agent@n1 v1.13.2'),
      policies,
      false,
    );
    expect(finding).toMatchObject({ rule: 'antrea.agent', severity: 'block', subject: { node: 'n1' } });
    expect(finding?.why).toContain(
      'antrea-agent v1.13.2 (Node n1 of cluster east) is newer than antrea-controller v1.13.1',
    );
  });

  it.each([
    [
      'newer than the controller',
      'v1.14.0',
      'antrea.antctl',
      'is 1 minor newer than antrea-controller v1.13.1 (cluster north)',
    ],
    ['too old for ClusterSets', 'v1.5.0', 'mc.antctl-floor', 'antctl v1.5.0 needs >=1.6.0'],
  ])('antctl %s is a violation', (_what, version, rule, why) => {
    const state = fleet(shop, 'north/antrea-controller v1.13.1', 'north/mc-leader v1.13.1', `antctl ${version}`);
    expect(violationsOf(state, policies, false).find((one) => one.rule === rule)?.why).toContain(why);
  });

  it('API servers of 1.31 and 1.32 narrow the kubelets to 1.31; 1.32 with kubelet 1.28 is blocked, 1.29 is not', () => {
    const servers = ['east/kube-apiserver#a v1.31.0', 'east/kube-apiserver#b v1.32.0'];
    expect(broken(fleet(east, ...servers, 'east/kubelet@n1 v1.32.0'))).toEqual(['k8s.kubelet']);
    expect(broken(fleet(east, ...servers, 'east/kubelet@n1 v1.31.4'))).toEqual([]);
    expect(broken(fleet(east, 'east/kube-apiserver v1.32.0', 'east/kubelet v1.28.0'))).toEqual(['k8s.kubelet']);
    expect(broken(fleet(east, 'east/kube-apiserver v1.32.0', 'east/kubelet v1.29.0'))).toEqual([]);
  });

  it('a member that ends at another version than its leader is blocked, but not on the way, and where an upgrade begins it is a warning', () => {
    const state = fleet(shop, 'north/mc-leader v2.7.0', 'east/mc-member v2.6.0', 'west/mc-member v2.7.0');
    expect(broken(state, true)).toEqual(['mc.same']);
    expect(broken(state, false)).toEqual([]);
    expect(startViolations(state, policies).map(({ rule, severity }) => [rule, severity])).toEqual([
      ['mc.same', 'warn'],
    ]);
  });

  it('that always holds blocks where an upgrade begins as well', () => {
    const state = fleet(east, 'east/antrea-controller v1.13.1', 'east/antrea-agent@n1 v1.8.2');
    expect(startViolations(state, policies).map(({ rule, severity }) => [rule, severity])).toEqual([
      ['antrea.agent', 'block'],
    ]);
  });

  it('blocks what cannot be measured, and reports why', () => {
    const jump = fleet(east, 'east/kube-apiserver v1.36.0', 'east/kubelet@n1 v2.0.0');
    expect(violationsOf(jump, policies, false)[0]?.why).toContain(
      'is unknown, because no release sequence defines how many minors lie between 1.36 and 2.0',
    );
    const odd = fleet(east, 'east/antrea-controller v2.7.0', 'east/antrea-agent@n1 latest');
    expect(violationsOf(odd, policies, false)[0]).toMatchObject({ rule: 'antrea.agent', severity: 'block' });
  });

  it('counts over a change of major by the sequence', () => {
    expect(broken(fleet(east, 'east/antrea-controller v2.0.0', 'east/antrea-agent@n1 v1.12.3'))).toEqual([]);
    expect(broken(fleet(east, 'east/antrea-controller v2.0.0', 'east/antrea-agent@n1 v1.11.9'))).toEqual([
      'antrea.agent',
    ]);
  });

  it('takes builds and packagings of one release for the same', () => {
    expect(broken(fleet(east, 'east/antrea-controller v2.7.0+a', 'east/antrea-agent@n1 v2.7.0+b'))).toEqual([]);
  });

  it('compares neither other ClusterSets nor clusters without a manager', () => {
    const two = [inShop('north', 'leader'), { name: 'far', roles: ['member'], clusterSet: 'other' } as const];
    expect(broken(fleet(two, 'north/mc-leader v2.7.0', 'far/mc-member v2.1.0'))).toEqual([]);
    expect(broken(fleet([managed('a'), managed('b')], 'a/eks-anywhere v0.20.0', 'b/eks-anywhere v0.10.0'))).toEqual([]);
  });
});

describe('violations', () => {
  const minor = fc.nat(6);
  const agents = fc.array(fc.record({ minor, patch: fc.nat(2) }), { minLength: 1, maxLength: 5 });
  const controllers = fc.array(fc.record({ minor, patch: fc.nat(2) }), { minLength: 1, maxLength: 2 });

  it('are those of an oracle that is written from the rules alone', () => {
    fc.assert(
      fc.property(agents, controllers, (left, right) => {
        const state = fleet(
          east,
          ...right.map((one, at) => `east/antrea-controller#${at} v2.${one.minor}.${one.patch}`),
          ...left.map((one, at) => `east/antrea-agent@n${at} v2.${one.minor}.${one.patch}`),
        );
        // Not newer, compared to the patch; up to four minors older; against the oldest and the
        // newest that run.
        const isBad = left.some((agent) =>
          right.some(
            (controller) =>
              agent.minor * 1000 + agent.patch > controller.minor * 1000 + controller.patch ||
              controller.minor - agent.minor > 4,
          ),
        );
        return broken(state).includes('antrea.agent') === isBad;
      }),
    );
  });

  it('of Kubernetes are those of an oracle that is written from the rules alone', () => {
    const at = fc.integer({ min: 20, max: 30 });
    const node = fc.record({ kubelet: at, proxy: at });
    fc.assert(
      fc.property(
        fc.array(at, { minLength: 1, maxLength: 3 }),
        fc.array(node, { minLength: 1, maxLength: 3 }),
        fc.array(at, { maxLength: 2 }),
        (servers, nodes, managers) => {
          const state = fleet(
            east,
            ...servers.map((minor, place) => `east/kube-apiserver#${place} v1.${minor}.1`),
            ...nodes.map(({ kubelet }, place) => `east/kubelet@n${place} v1.${kubelet}.2`),
            ...nodes.map(({ proxy }, place) => `east/kube-proxy@n${place} v1.${proxy}.3`),
            ...managers.map((minor, place) => `east/kube-controller-manager#${place} v1.${minor}.4`),
          );
          const [oldest, newest] = [Math.min(...servers), Math.max(...servers)];
          const tooFar = (minor: number) => minor > oldest || newest - minor > (minor < 25 ? 2 : 3);
          const wrong = [
            ...(newest - oldest > 1 ? ['k8s.apiserver-ha'] : []),
            ...(nodes.some(({ kubelet }) => tooFar(kubelet)) ? ['k8s.kubelet'] : []),
            ...(nodes.some(({ proxy }) => tooFar(proxy)) ? ['k8s.kproxy'] : []),
            ...(nodes.some(({ kubelet, proxy }) => Math.abs(kubelet - proxy) > (proxy < 25 ? 2 : 3))
              ? ['k8s.kproxy-kubelet']
              : []),
            ...(managers.some((minor) => minor > oldest || newest - minor > 1) ? ['k8s.cm'] : []),
          ];
          const found = new Set(broken(state).map((id) => id.replace('-before-1.25', '')));
          expect([...found].toSorted()).toEqual(wrong.toSorted());
        },
      ),
    );
  });

  it('do not depend on the order in which a state lists what runs', () => {
    fc.assert(
      fc.property(agents, controllers, fc.nat(), (left, right, turn) => {
        const lines = [
          ...right.map((one, at) => `east/antrea-controller#${at} v2.${one.minor}.${one.patch}`),
          ...left.map((one, at) => `east/antrea-agent@n${at} v2.${one.minor}.${one.patch}`),
          ...left.map((one, at) => `west/mc-member@n${at} v2.${one.minor}.${one.patch}`),
          `north/mc-leader v2.${left.length}.0`,
        ];
        const at = turn % lines.length;
        const turned = [...lines.slice(at), ...lines.slice(0, at)];
        expect(violationsOf(fleet(shop.toReversed(), ...turned), policies, true)).toEqual(
          violationsOf(fleet(shop, ...lines), policies, true),
        );
      }),
    );
  });
});

describe('the order of components', () => {
  const goal = fleet(
    shop,
    'north/mc-leader v2.7.0',
    'east/mc-member v2.7.0',
    'east/antrea-agent v2.7.0',
    'east/antrea-controller v2.7.0',
  );
  const start = fleet(
    shop,
    'north/mc-leader v2.6.0',
    'east/mc-member v2.6.0',
    'east/antrea-agent@n1 v2.6.0',
    'east/antrea-agent@n2 v2.6.0',
    'east/antrea-controller v2.6.0',
  );

  it.each([
    ['nothing moved', start, []],
    ['the leader moved', fleet(shop, 'north/mc-leader v2.7.0', 'east/mc-member v2.6.0'), []],
    ['a member moved first', fleet(shop, 'north/mc-leader v2.6.0', 'east/mc-member v2.7.0'), ['mc.order']],
    [
      'one agent moved before the controller',
      fleet(shop, 'east/antrea-controller v2.6.0', 'east/antrea-agent@n1 v2.7.0', 'east/antrea-agent@n2 v2.6.0'),
      ['antrea.order'],
    ],
    ['all moved', goal, []],
  ])('where %s', (_what, state, rules) => {
    expect(orderViolations(state, goal, policies, start).map(({ rule }) => rule)).toEqual(rules);
  });

  it('does not affect what already ran before, where the start is known', () => {
    const resumed = fleet(shop, 'north/mc-leader v2.6.0', 'east/mc-member v2.7.0');
    expect(orderViolations(resumed, goal, policies, resumed)).toEqual([]);
    expect(orderViolations(resumed, goal, policies)[0]).toMatchObject({
      rule: 'mc.order',
      subject: { cluster: 'east', component: 'mc-member' },
      why: 'mc-leader is upgraded before mc-member: mc-member v2.7.0 (cluster east) was upgraded while mc-leader v2.6.0 (cluster north) is not at its target',
      unblock: 'upgrade mc-leader first',
    });
  });
});
