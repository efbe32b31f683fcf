import { describe, expect, it } from 'vitest';
import { digest, written } from '../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../fleet/testing/snapshot-of.ts';
import { comparePlan } from './compare-plan.ts';
import type { Plan } from './format/plan.ts';
import { plan as planKind } from './format/plan.ts';
import type { Policy } from '../policy/policy.ts';
import { policy as policyKind } from '../policy/policy.ts';
import { shippedPolicies } from '../policy/shipped/shipped-policies.ts';
import { readFile } from '../read/read-file.ts';
import { loadedOf, planOf, sha256 } from './testing/plan-of.ts';
import type { WantedWaves } from './waves.ts';
import { wavesOf } from './waves.ts';

const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });
const member = (name: string, version: string, more: object = {}) => ({
  name,
  roles: ['member'],
  clusterSet: 's',
  components: [running('mc-member', version)],
  ...more,
});
const leader = (version: string, more: object = {}) => ({
  name: 'north',
  roles: ['leader'],
  clusterSet: 's',
  components: [running('mc-leader', version)],
  ...more,
});
const mc = (version: string, more: object = {}) => [
  at('mc-leader', version, { unit: 'antrea-mc', roles: ['leader'], ...more }),
  at('mc-member', version, { unit: 'antrea-mc', roles: ['member'] }),
];
const shop = (members: readonly object[], north: object = leader('v2.6.0')) => ({
  clusterSets: [{ name: 's', leader: 'north', members: members.map((one) => (one as { name: string }).name) }],
  clusters: [...members, north],
});
const upgrades = ({ spec }: Plan) =>
  spec.steps
    .filter(({ kind }) => kind === 'upgrade')
    .map(({ cluster, component, nodes }) => [cluster, component, ...nodes].join(' '));
const blocks = ({ spec }: Plan) => spec.findings.filter(({ severity }) => severity === 'block').map(({ rule }) => rule);
const single = (component: object, more: object = {}) =>
  snapshotOf({ clusters: [{ name: 'a', components: [component], ...more }] });
const kubernetes = (minor: number, more: Readonly<Record<string, string>> = {}) => {
  const version = `v1.${minor}.2`;
  return ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'].map((id) =>
    id === 'kubelet' ? running(id, more[id] ?? version, ['n1', 'n2']) : running(id, more[id] ?? version),
  );
};
const kubernetesParts = (minor: number) =>
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'].map((id) =>
    at(id, `v1.${minor}.2`, { unit: 'kubernetes', method: 'kubernetes', scope: id === 'kubelet' ? 'node' : 'cluster' }),
  );

describe('changes of a plan', () => {
  it('another build of the same version is a rebuild whose order is not known', () => {
    const bundle = loadedOf([written({ id: 'x', version: { upstream: 'v1.13.2', build: 'bbbbbbb' } })]);
    const { spec } = planOf(bundle, single(running('x', 'v1.13.2+aaaaaaa')));
    expect(spec.changes).toMatchObject([{ id: 'a/x', relation: 'rebuild', orderKnown: false }]);
    expect(spec.outcome).toBe('ready');
  });

  it('identical versions and digests everywhere: no rows, no steps', () => {
    const live = [{ version: 'v1.0.0', digests: { image: digest(1) } }];
    const { spec } = planOf(loadedOf([at('x', 'v1.0.0')]), single({ id: 'x', recorded: { version: 'v1.0.0' }, live }));
    expect(spec).toMatchObject({ outcome: 'up-to-date', changes: [], steps: [] });
  });

  it('a Node that reports a build of EKS Distro in the other spelling runs it, and is recorded right', () => {
    const kubelet = written({
      id: 'kubelet',
      version: { upstream: 'v1.31.14', build: 'kubernetes-1-31-eks-47', sequence: 47 },
    });
    const installed = (version: string) => ({
      id: 'kubelet',
      recorded: { version: 'v1.31.14+kubernetes-1-31-eks-47' },
      live: [{ version, node: 'n1' }],
    });
    const { spec } = planOf(loadedOf([kubelet]), single(installed('v1.31.14-eks-1-31-47')));
    expect(spec).toMatchObject({ outcome: 'up-to-date', changes: [], findings: [] });
    const older = planOf(loadedOf([kubelet]), single(installed('v1.31.14-eks-1-31-46'))).spec;
    expect(older.changes).toMatchObject([{ relation: 'rebuild', orderKnown: true, from: { source: 'live' } }]);
    expect(older.changes[0]?.reasons[1]).toContain('but v1.31.14-eks-1-31-46 runs');
  });

  it('the same version with another digest is applied again', () => {
    const live = [{ version: 'v1.0.0', digests: { image: digest(2) } }];
    const { spec } = planOf(loadedOf([at('x', 'v1.0.0')]), single({ id: 'x', live }));
    expect(spec.changes).toMatchObject([{ relation: 'content-drift' }]);
    expect(spec.steps.some(({ title }) => title.startsWith('Apply again x'))).toBe(true);
  });

  it.each(['11', '11.1', '', 'xxx', '11.1.1.1'])(
    'a recorded version %j gives the difference unknown → target',
    (version) => {
      const { spec } = planOf(loadedOf([at('x', 'v1.0.0')]), single({ id: 'x', recorded: { version } }));
      expect(spec).toMatchObject({ outcome: 'ready', changes: [{ relation: 'unknown', to: { version: 'v1.0.0' } }] });
      expect(spec.findings).toMatchObject([{ rule: 'plan.unknown-version', severity: 'warn' }]);
    },
  );

  it('an older target blocks; with a component that supports it, it is a rollback with a warning', () => {
    const down = (rollback: string) =>
      planOf(loadedOf([at('cilium', 'v1.16.1', { rollback })]), single(running('cilium', 'v1.17.2')));
    expect(down('none').spec).toMatchObject({ outcome: 'blocked', changes: [{ relation: 'downgrade' }], steps: [] });
    const allowed = down('consecutive-minor');
    expect(allowed.spec.outcome).toBe('ready');
    expect(allowed.spec.findings).toMatchObject([{ rule: 'bundle.rollback', severity: 'warn' }, {}]);
  });

  it('the running version counts, and a different recorded version is noted', () => {
    const { spec } = planOf(
      loadedOf([at('x', 'v1.7.0')]),
      single({ id: 'x', recorded: { version: 'v1.6.1' }, live: [{ version: 'v1.6.0' }] }),
    );
    expect(spec.changes).toMatchObject([{ from: { version: 'v1.6.0', source: 'live' } }]);
    expect(spec.changes[0]?.reasons).toContain(
      'the recorded version differs: the recorded version is v1.6.1, but v1.6.0 runs',
    );
  });

  it('kubeadm bootstrap and control plane are two rows with different ids', () => {
    const ids = ['capi-kubeadm-bootstrap', 'capi-kubeadm-control-plane'];
    const bundle = loadedOf(ids.map((id) => at(id, 'v1.7.0', { displayName: 'kubeadm' })));
    const { spec } = planOf(
      bundle,
      snapshotOf({ clusters: [{ name: 'm', components: ids.map((id) => running(id, 'v1.6.0')) }] }),
    );
    expect(spec.changes.map(({ id }) => id)).toEqual(ids.map((id) => `m/${id}`));
  });

  it('a Kubernetes minor that the bundle does not have blocks, and the finding names the bundle and its number', () => {
    const bundle = loadedOf([], { perKubernetes: { '1.32': { components: kubernetesParts(32) } } });
    const { spec } = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components: kubernetes(34) }] }), {
      kubernetes: '1.35',
    });
    expect(spec).toMatchObject({
      outcome: 'blocked',
      findings: [
        { rule: 'plan.kubernetes', why: 'Kubernetes 1.35 is not in the bundle bundle-7 (number 7); it has 1.32' },
      ],
    });
  });

  it('a workload cluster has no rows for components of management clusters', () => {
    const bundle = loadedOf([
      at('capi-core', 'v1.7.0', { roles: ['management'] }),
      at('flux', 'v2.4.0', { roles: ['management'] }),
      at('cilium', 'v1.17.0'),
    ]);
    const clusters = [{ name: 'w', roles: ['workload'], components: [running('cilium', 'v1.16.0')] }];
    expect(planOf(bundle, snapshotOf({ clusters })).spec.changes.map(({ component }) => component)).toEqual(['cilium']);
  });

  it('a missing provider is installed before the component that requires it; an installed one is not', () => {
    const bundle = loadedOf([
      at('etcdadm-bootstrap', 'v1.1.0'),
      at('capi-core', 'v1.7.0', { requires: [{ component: 'etcdadm-bootstrap' }] }),
    ]);
    const plan = planOf(bundle, single(running('capi-core', 'v1.6.0')));
    expect(plan.spec.changes).toMatchObject([
      { relation: 'minor' },
      { component: 'etcdadm-bootstrap', relation: 'added' },
    ]);
    expect(upgrades(plan)).toEqual(['a etcdadm-bootstrap', 'a capi-core']);
    const there = snapshotOf({
      clusters: [{ name: 'a', components: [running('capi-core', 'v1.6.0'), running('etcdadm-bootstrap', 'v1.1.0')] }],
    });
    expect(upgrades(planOf(bundle, there))).toEqual(['a capi-core']);
  });

  it.each([
    ['v1beta1', 'blocked'],
    ['v1beta2', 'ready'],
  ])('a core that requires a contract, and a provider on %s: %s', (contract, outcome) => {
    const needs = [{ component: 'infra', contract: 'cluster-api/v1beta2' }];
    const bundle = loadedOf([
      at('capi-core', 'v1.7.0', { requires: needs }),
      at('infra', 'v0.9.0', { contracts: [`cluster-api/${contract}`] }),
    ]);
    const { spec } = planOf(
      bundle,
      snapshotOf({
        clusters: [{ name: 'm', components: [running('capi-core', 'v1.6.0'), running('infra', 'v0.9.0')] }],
      }),
    );
    expect(spec.outcome).toBe(outcome);
    if (outcome === 'blocked')
      expect(spec.findings[0]?.unblock).toBe('include a version of infra that has cluster-api/v1beta2');
  });

  it('arguments that people set are reported as lost', () => {
    const { spec } = planOf(loadedOf([at('x', 'v1.1.0')]), single({ ...running('x', 'v1.0.0'), handSet: ['--v=5'] }));
    expect(spec.findings).toMatchObject([{ rule: 'plan.hand-set', why: 'manually set arguments will be lost: --v=5' }]);
  });

  it('reports what was not ready when the snapshot was taken, with its Nodes', () => {
    const live = [
      { version: 'v1.0.0', node: 'n1', ready: false },
      { version: 'v1.0.0', node: 'n2' },
      { version: 'v1.0.0', node: 'n3', ready: false },
    ];
    const bundle = loadedOf([at('x', 'v1.1.0', { scope: 'node' })]);
    expect(planOf(bundle, single({ id: 'x', live })).spec.findings).toMatchObject([
      { rule: 'plan.not-ready', severity: 'warn', why: 'x was not ready (n1, n3) when the snapshot was taken' },
    ]);
    expect(planOf(bundle, single({ id: 'x', live }, { paused: true })).spec.findings).toEqual([]);
  });

  it('reports what a restart interrupts in the words of the policies, where the bundle has none of its own', () => {
    const reported = (more: object) =>
      planOf(loadedOf([at('antrea-controller', 'v2.7.0', more)]), single(running('antrea-controller', 'v2.6.0')))
        .spec.steps.flatMap(({ interrupts }) => interrupts)
        .join();
    expect(reported({})).toMatch(
      /^New policies are not processed, and writes of Antrea-native policies may be rejected/,
    );
    expect(reported({ interrupts: ['Nothing at all.'] })).toBe('Nothing at all.');
  });

  it('a running tag that is not a version is a clear error, and nothing is changed', () => {
    const { spec } = planOf(loadedOf([at('cilium', 'v1.17.0')]), single(running('cilium', 'eksa-invalid-version')));
    expect(spec).toMatchObject({ outcome: 'blocked', steps: [] });
    expect(spec.findings[0]?.why).toContain('what runs is "eksa-invalid-version"');
  });

  it('a component that its owner skips is listed as skipped and is not a change', () => {
    const { spec } = planOf(
      loadedOf([at('cilium', 'v1.17.0')]),
      single({ ...running('cilium', 'v1.16.0'), skip: 'skipUpgrade is set' }),
    );
    expect(spec).toMatchObject({
      outcome: 'up-to-date',
      skipped: [{ cluster: 'a', component: 'cilium', why: 'skipUpgrade is set' }],
      steps: [],
    });
  });

  it('an optional component is upgraded where it is installed, and never installed', () => {
    const bundle = loadedOf([
      at('flux', 'v2.6.0', { optional: true }),
      at('capi-infra-docker', 'v1.0.0', { optional: true }),
    ]);
    const { spec } = planOf(bundle, single(running('flux', 'v2.5.0')));
    expect(spec.changes.map(({ component, relation }) => `${component} ${relation}`)).toEqual(['flux minor']);
    expect(planOf(bundle, snapshotOf({ clusters: [{ name: 'a' }] })).spec).toMatchObject({
      outcome: 'up-to-date',
      changes: [],
      skipped: [],
      findings: [],
    });
  });

  it('an absent component is installed', () => {
    const { spec } = planOf(loadedOf([at('cilium', 'v1.17.0')]), snapshotOf({ clusters: [{ name: 'a' }] }));
    expect(spec.changes).toMatchObject([{ relation: 'added', from: { source: 'none' } }]);
  });
});

describe('what a component requires', () => {
  const requiring = (more: object) => loadedOf([at('x', 'v2.0.0', { requires: [{ component: 'y', ...more }] })]);
  const told = ({ spec }: Plan) =>
    spec.findings.filter(({ rule }) => rule === 'plan.requires').map(({ why, unblock }) => [why, unblock]);
  const beside = (y: object) => snapshotOf({ clusters: [{ name: 'a', components: [running('x', 'v1.0.0'), y] }] });

  it('blocks where the version that stays is outside of its range, and names both', () => {
    const plan = planOf(requiring({ range: '>=1.5', reason: 'new fields' }), beside(running('y', 'v1.4.0')));
    expect(plan.spec.outcome).toBe('blocked');
    expect(told(plan)).toEqual([
      ['x v2.0.0 requires y >=1.5 (new fields), and v1.4.0 will run', 'include y >=1.5 in the bundle'],
    ]);
  });

  it('is met by a version that stays within its range', () => {
    const plan = planOf(requiring({ range: '>=1.5' }), beside(running('y', 'v1.5.0')));
    expect([plan.spec.outcome, told(plan)]).toEqual(['ready', []]);
  });
});

describe('a plan of a bundle that has expired', () => {
  const warned = (expiresAt: string) =>
    planOf(loadedOf([at('x', 'v2.0.0')], { expiresAt }), single(running('x', 'v1.0.0'))).spec.findings.flatMap(
      ({ rule, severity }) => (rule === 'plan.expired' ? [severity] : []),
    );

  it('warns from the very time of the snapshot on, and not before', () => {
    const { takenAt } = single(running('x', 'v1.0.0')).spec;
    expect(warned(takenAt)).toEqual(['warn']);
    expect(warned(new Date(Date.parse(takenAt) + 1_000).toISOString())).toEqual([]);
  });
});

describe('the order of a plan', () => {
  it('what is missing is installed before what runs moves, whatever their names', () => {
    const bundle = loadedOf([at('a', 'v1.1.0'), at('b', 'v1.1.0'), at('c', 'v1.1.0', { roles: ['management'] })]);
    const clusters = [
      { name: 'a', roles: ['management'], components: [running('a', 'v1.0.0'), running('c', 'v1.0.0')] },
    ];
    expect(upgrades(planOf(bundle, snapshotOf({ clusters })))).toEqual(['a b', 'a c', 'a a']);
  });

  it('components move before Kubernetes, and charts are rendered for the Kubernetes that still runs', () => {
    const bundle = loadedOf([at('cilium', 'v1.17.0', { method: 'helm' })], {
      perKubernetes: { '1.32': { components: kubernetesParts(32) } },
    });
    const plan = planOf(
      bundle,
      snapshotOf({ clusters: [{ name: 'a', components: [...kubernetes(31), running('cilium', 'v1.16.0')] }] }),
      { kubernetes: '1.32' },
    );
    expect(upgrades(plan)).toEqual([
      'a cilium',
      'a kube-apiserver',
      'a kube-controller-manager',
      'a kube-scheduler',
      'a kubelet n1',
      'a kubelet n2',
    ]);
    expect(plan.spec.steps[0]?.title).toContain('rendered for Kubernetes 1.31, which still runs');
  });

  it('puts a component after Kubernetes that does not run on the one before', () => {
    const cilium = at('cilium', 'v1.17.0', { supports: { kubernetes: { min: '1.32', max: '1.34' } } });
    const bundle = loadedOf([cilium], { perKubernetes: { '1.32': { components: kubernetesParts(32) } } });
    const components = [...kubernetes(31), running('cilium', 'v1.16.0')];
    const plan = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components }] }), { kubernetes: '1.32' });
    expect(plan.spec.outcome).toBe('ready');
    expect(upgrades(plan).at(-1)).toBe('a cilium');
  });

  it('Cilium from 1.16 to 1.18 stops at the newest patch of 1.17 that is to be had, or is blocked', () => {
    const target = loadedOf([at('cilium', 'v1.18.1')]);
    const others = ['v1.17.2', 'v1.17.9', 'v1.16.9'].map((version, number) =>
      loadedOf([at('cilium', version)], { number: number + 1 }),
    );
    const from = single(running('cilium', 'v1.16.9'));
    expect(planOf(target, from, { otherBundles: others }).spec.changes).toMatchObject([
      { hops: ['v1.17.9', 'v1.18.1'] },
    ]);
    expect(blocks(planOf(target, from))).toContain('cilium.step');
  });

  it('a manifest with controller and agents is split into shared objects, the controller, then the agents', () => {
    const yaml = { name: 'manifest', kind: 'manifest', uri: 'antrea.yml', digest: digest(5) };
    const object = (kind: string, name: string) => ({
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace: 'kube-system' },
    });
    const part = (id: string, kind: string, more: object = {}) =>
      at(id, 'v2.2.0', {
        unit: 'antrea',
        artifacts: [yaml],
        workloads: [{ kind, namespace: 'kube-system', name: id }],
        ...more,
      });
    const bundle = {
      ...loadedOf([part('antrea-agent', 'DaemonSet', { scope: 'node' }), part('antrea-controller', 'Deployment')]),
      contents: new Map([
        [
          digest(5),
          [
            object('DaemonSet', 'antrea-agent'),
            object('Deployment', 'antrea-controller'),
            object('ConfigMap', 'antrea-config'),
          ],
        ],
      ]),
    };
    const plan = planOf(
      bundle,
      snapshotOf({
        clusters: [
          {
            name: 'a',
            components: [running('antrea-controller', 'v2.1.0'), running('antrea-agent', 'v2.1.0', ['n1', 'n2'])],
          },
        ],
      }),
    );
    expect(plan.spec.steps.map(({ kind, objects, nodes }) => [kind, ...objects, ...nodes])).toEqual([
      ['apply-shared', 'ConfigMap kube-system/antrea-config'],
      ['upgrade', 'Deployment kube-system/antrea-controller'],
      ['upgrade', 'DaemonSet kube-system/antrea-agent', 'n1'],
      ['upgrade', 'DaemonSet kube-system/antrea-agent', 'n2'],
      ['record'],
    ]);
    expect(plan.spec.steps[1]?.gates.map(({ kind }) => kind)).toContain('ready');
  });

  it('leader first, members in waves after it, antctl last', () => {
    const members = ['east', 'south', 'west'].map((name) => member(name, 'v2.6.0'));
    const snapshot = snapshotOf({
      ...shop(members),
      clients: [{ component: 'antctl', name: 'bastion', version: 'v2.6.0' }],
    });
    const plan = planOf(loadedOf([...mc('v2.7.0'), at('antctl', 'v2.7.0', { scope: 'client' })]), snapshot);
    expect(upgrades(plan)).toEqual([
      'north mc-leader',
      'east mc-member',
      'south mc-member',
      'west mc-member',
      ' antctl',
    ]);
    expect(plan.spec.steps.find(({ component }) => component === 'antctl')?.title).toBe(
      'Upgrade antctl on bastion to v2.7.0',
    );
    const waves = plan.spec.steps.filter(({ component }) => component === 'mc-member').map(({ wave }) => wave);
    expect(waves).toEqual([1, 2, 2]);
    expect(plan.spec.steps.find(({ cluster, kind }) => cluster === 'east' && kind === 'upgrade')?.why).toContain(
      'after mc-leader (mc.order)',
    );
    const ofLeader = plan.spec.steps.filter(({ cluster }) => cluster === 'north');
    expect(ofLeader.slice(0, 3).map(({ title }) => title)).toEqual([
      'Pause new exports and members of s in north',
      'Save the data for a rollback of north',
      'Upgrade mc-leader in north to v2.7.0',
    ]);
    expect(ofLeader[1]?.objects).toContain('resourceexports.multicluster.crd.antrea.io');
    expect(ofLeader[2]?.gates.map(({ kind }) => kind)).toEqual(['ready', 'webhook-ready', 'dry-run']);
  });

  it('a member whose target is not that of the leader blocks', () => {
    const bundle = loadedOf([
      at('mc-leader', 'v2.7.0', { roles: ['leader'] }),
      at('mc-member', 'v2.6.1', { roles: ['member'] }),
    ]);
    expect(blocks(planOf(bundle, snapshotOf(shop([member('east', 'v2.6.0')]))))).toContain('mc.same');
  });

  it('made again after member 2 of 3 has failed, the plan has the remaining steps', () => {
    const half = shop(
      [member('east', 'v2.7.0'), member('south', 'v2.6.0'), member('west', 'v2.6.0')],
      leader('v2.7.0'),
    );
    const plan = planOf(loadedOf(mc('v2.7.0')), snapshotOf(half));
    expect(upgrades(plan)).toEqual(['south mc-member', 'west mc-member']);
    expect(plan.spec.findings.filter(({ rule }) => rule === 'mc.same')).toMatchObject([
      { severity: 'info', clusters: ['south', 'west'], why: expect.stringMatching(/; the plan fixes it$/) as string },
    ]);
    const alone = [member('east', 'v2.7.0'), member('south', 'v2.6.0', { paused: true })];
    const { findings } = planOf(loadedOf(mc('v2.7.0')), snapshotOf(shop(alone, leader('v2.7.0')))).spec;
    expect(findings.filter(({ rule }) => rule === 'mc.same').map(({ severity }) => severity)).toEqual(['warn']);
  });

  const credentials = {
    id: 'credentials',
    at: 'before',
    roles: ['member'],
    whenFrom: '<2.7',
    title: 'Give each member credentials of its own',
    doneWhen: { fact: 'antrea-mc/member-credentials', equals: 'present' },
  };

  it('a pre-step that is missing in one member comes before the leader, whose gate names the member', () => {
    const done = { facts: { 'antrea-mc/member-credentials': 'present' } };
    const plan = planOf(
      loadedOf(mc('v2.7.0', { hooks: [credentials] })),
      snapshotOf(shop([member('east', 'v2.6.0', done), member('west', 'v2.6.0')])),
    );
    expect(plan.spec.steps[0]).toMatchObject({ kind: 'hook', group: 'pre-steps', cluster: 'west' });
    const step = plan.spec.steps.find(({ component, kind }) => component === 'mc-leader' && kind === 'upgrade');
    expect(step?.gates[0]).toMatchObject({
      at: 'before',
      kind: 'fact',
      what: 'Give each member credentials of its own: done in west.',
    });
    expect(plan.spec.findings).toContainEqual(
      expect.objectContaining({
        rule: 'hook.credentials',
        severity: 'warn',
        subject: { cluster: 'west', component: 'mc-leader' },
      }),
    );
  });

  it('made again after the leader has moved, the plan still has its pre-steps and post-steps', () => {
    const after = {
      id: 'shared',
      at: 'after',
      roles: ['leader'],
      whenFrom: '<2.7',
      title: 'Delete the shared credentials',
    };
    const hooks = [credentials, after];
    const half = shop([member('east', 'v2.7.0'), member('west', 'v2.6.0')], leader('v2.7.0'));
    const { steps, findings } = planOf(loadedOf(mc('v2.7.0', { hooks })), snapshotOf(half)).spec;
    expect(steps.map(({ kind, cluster }) => `${kind} ${cluster}`)).toEqual([
      'hook east',
      'hook west',
      'freeze north',
      'upgrade west',
      'unfreeze north',
      'record west',
      'hook north',
    ]);
    expect(findings.find(({ rule }) => rule === 'hook.credentials')).toMatchObject({
      severity: 'warn',
      clusters: ['east', 'west'],
      why: 'Give each member credentials of its own: not done here, and mc-leader is already upgraded',
    });
    const through = shop([member('east', 'v2.7.0')], leader('v2.7.0'));
    expect(planOf(loadedOf(mc('v2.7.0', { hooks })), snapshotOf(through)).spec.steps).toEqual([]);
  });

  it('made again after the leader has moved, the plan freezes and unfreezes the ClusterSet, and changes nothing else of the leader', () => {
    const half = (more: object = {}) => {
      const north = { ...leader('v2.7.0'), ...more };
      const snapshot = snapshotOf(shop([member('east', 'v2.7.0'), member('west', 'v2.6.0')], north));
      return planOf(loadedOf(mc('v2.7.0')), snapshot).spec.steps.map(({ title }) => title);
    };
    expect(half()).toEqual([
      'Pause new exports and members of s in north',
      'Upgrade mc-member in west to v2.7.0',
      'Resume new exports and members of s in north',
      'Record the versions of west',
    ]);
    // Nothing is planned for a leader that is left alone.
    expect(half({ paused: true })).toEqual([
      'Pause new exports and members of s in west',
      'Upgrade mc-member in west to v2.7.0',
      'Record the versions of west',
      'Resume new exports and members of s in west',
    ]);
  });

  it('the leader is blocked where the member cannot be reached', () => {
    const gone = member('west', 'v2.6.0', { reachable: false });
    const plan = planOf(loadedOf(mc('v2.7.0', { hooks: [credentials] })), snapshotOf(shop([gone])), {
      unreachableAllowed: 1,
    });
    expect(blocks(plan)).toEqual(['hook.credentials']);
  });

  it('of a cluster that plays both parts, the leader part moves in the group of leaders and the member part with the members', () => {
    const both = {
      name: 'north',
      roles: ['leader', 'member'],
      clusterSet: 's',
      components: [running('mc-leader', 'v2.6.0'), running('mc-member', 'v2.6.0')],
    };
    const spec = {
      clusterSets: [{ name: 's', leader: 'north', members: ['north', 'east'] }],
      clusters: [both, member('east', 'v2.6.0')],
    };
    const plan = planOf(loadedOf(mc('v2.7.0')), snapshotOf(spec));
    const place = plan.spec.steps
      .filter(({ kind }) => kind === 'upgrade')
      .map(({ cluster, component, group }) => `${group} ${cluster} ${component}`);
    expect(place).toEqual(['leader north mc-leader', 'members east mc-member', 'members north mc-member']);
  });

  it.each([
    ['unreachable, and one may be', { reachable: false }, 1, 'ready'],
    ['unreachable, and none may be', { reachable: false }, 0, 'blocked'],
    ['paused, which does not count', { paused: true }, 0, 'ready'],
    ['paused and unreachable', { paused: true, reachable: false }, 0, 'ready'],
  ])('a member is %s', (_what, how, unreachableAllowed, outcome) => {
    const plan = planOf(
      loadedOf(mc('v2.7.0')),
      snapshotOf(shop([member('east', 'v2.6.0'), member('west', 'v2.6.0', how)])),
      { unreachableAllowed },
    );
    expect(plan.spec).toMatchObject({ outcome, skipped: [{ cluster: 'west' }] });
    if (outcome === 'ready') expect(upgrades(plan)).toEqual(['north mc-leader', 'east mc-member']);
    else expect(blocks(plan)).toEqual(['plan.unreachable']);
  });

  it('members of a leader outside the plan are left alone', () => {
    const plan = planOf(
      loadedOf(mc('v2.7.0')),
      snapshotOf(shop([member('east', 'v2.6.0')], leader('v2.6.0', { paused: true }))),
    );
    expect(plan.spec).toMatchObject({
      outcome: 'up-to-date',
      skipped: [{ cluster: 'east', component: 'mc-member' }, { cluster: 'north' }],
    });
  });

  it('a command-line program that waits for a cluster outside the plan is left alone and blocks nothing', () => {
    const bundle = loadedOf([...mc('v2.7.0'), at('antctl', 'v2.7.0', { scope: 'client' })]);
    const clients = [{ component: 'antctl', version: 'v2.6.0' }];
    const members = [member('east', 'v2.6.0'), member('west', 'v2.6.0', { paused: true })];
    const plan = planOf(bundle, snapshotOf({ ...shop(members), clients }));
    expect(upgrades(plan)).toEqual(['north mc-leader', 'east mc-member']);
    expect(plan.spec.skipped).toMatchObject([
      { component: 'antctl', why: 'mc.antctl-member: it waits for mc-member, which is skipped in cluster west' },
      { cluster: 'west' },
    ]);
    const newer = loadedOf([...mc('v2.6.0'), at('antctl', 'v2.7.0', { scope: 'client' })]);
    expect(blocks(planOf(newer, snapshotOf({ ...shop(members), clients })))).toContain('plan.order');
  });

  it('a command-line program is left alone only if nothing else is stuck: a blocked plan does not name it as skipped', () => {
    const bundle = loadedOf([...mc('v2.7.0'), at('antctl', 'v2.7.0', { scope: 'client' })], {
      perKubernetes: { '1.32': { components: kubernetesParts(32) } },
    });
    const clients = [{ component: 'antctl', version: 'v2.6.0' }];
    const outside = member('west', 'v2.6.0', { paused: true });
    const planWith = (kubelet: string) => {
      const old = { name: 'old', components: kubernetes(31, { kubelet }) };
      const { clusters, clusterSets } = shop([member('east', 'v2.6.0'), outside]);
      const { spec } = planOf(bundle, snapshotOf({ clusterSets, clusters: [...clusters, old], clients }), {
        kubernetes: '1.32',
      });
      return [spec.outcome, ...spec.skipped.map(({ cluster, component }) => cluster ?? component)];
    };
    expect(planWith('v1.29.0')).toEqual(['ready', 'antctl', 'west']);
    expect(planWith('v1.28.0')).toEqual(['blocked', 'west']);
  });

  it.each([
    ['1.31 → 1.33', kubernetes(31), 33, 'k8s.step'],
    ['1.31 → 1.32 with a kubelet of 1.28', kubernetes(31, { kubelet: 'v1.28.0' }), 32, 'k8s.kubelet'],
    ['1.31 → 1.32 with a kubelet of 1.29', kubernetes(31, { kubelet: 'v1.29.0' }), 32, undefined],
  ])('Kubernetes %s', (_what, components, minor, rule) => {
    const bundle = loadedOf([], { perKubernetes: { [`1.${minor}`]: { components: kubernetesParts(minor) } } });
    const plan = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components }] }), { kubernetes: `1.${minor}` });
    if (rule === undefined) expect(plan.spec.outcome).toBe('ready');
    else expect(blocks(plan)).toContain(rule);
  });

  it('API servers of 1.31 and 1.32 beside a kubelet of 1.32 are a violation that the plan to 1.32 fixes', () => {
    const servers = {
      id: 'kube-apiserver',
      live: [
        { version: 'v1.31.0', name: 'a' },
        { version: 'v1.32.0', name: 'b' },
      ],
    };
    const bundle = loadedOf([], { perKubernetes: { '1.32': { components: kubernetesParts(32) } } });
    const plan = planOf(
      bundle,
      snapshotOf({ clusters: [{ name: 'c', components: [servers, running('kubelet', 'v1.32.0', ['n'])] }] }),
      { kubernetes: '1.32' },
    );
    expect(plan.spec.outcome).toBe('ready');
    expect(plan.spec.findings.filter(({ rule }) => rule === 'k8s.kubelet')).toMatchObject([
      { severity: 'info', why: expect.stringContaining('this is the state before the plan starts; the plan fixes it') },
    ]);
  });

  it.each([
    ['one agent ahead of its controller', 'v2.1.0', ['v2.1.0', 'v2.1.1'], 'v2.2.0'],
    ['all agents ahead, at the target', 'v2.1.0', ['v2.2.0', 'v2.2.0'], 'v2.2.0'],
    ['an agent a minor ahead, over a stop', 'v2.1.0', ['v2.2.0'], 'v2.2.1'],
  ])(
    '%s is fixed by the plan: the controller goes first, and no agent goes farther ahead',
    (_what, controller, agents, target) => {
      const live = agents.map((version, node) => ({ version, node: `n${node}` }));
      const components = [running('antrea-controller', controller), { id: 'antrea-agent', live }];
      const bundle = loadedOf([at('antrea-controller', target), at('antrea-agent', target, { scope: 'node' })]);
      const plan = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components }] }));
      expect(blocks(plan)).toEqual([]);
      expect(upgrades(plan)[0]).toBe('a antrea-controller');
      expect(
        plan.spec.findings.map(({ rule, severity, why }) => [rule, severity, why.includes('the plan fixes it')]),
      ).toContainEqual(['antrea.agent', 'info', true]);
    },
  );

  it('a leader behind its members is fixed by the plan', () => {
    const plan = planOf(loadedOf(mc('v2.7.0')), snapshotOf(shop([member('east', 'v2.6.1')], leader('v2.6.0'))));
    expect(blocks(plan)).toEqual([]);
    expect(upgrades(plan)).toEqual(['north mc-leader', 'east mc-member']);
  });

  it('what is broken at the start and still at the end blocks, beside what the plan fixes', () => {
    const agents = { id: 'antrea-agent', live: [{ version: 'v2.1.1', node: 'n0' }] };
    const cluster = (name: string, more: object = {}) => ({
      name,
      components: [running('antrea-controller', 'v2.1.0'), agents],
      ...more,
    });
    const stays = cluster('b', { roles: ['workload'] });
    const bundle = loadedOf([
      at('antrea-controller', 'v2.2.0', { roles: ['management'] }),
      at('antrea-agent', 'v2.2.0', { scope: 'node', roles: ['management'] }),
    ]);
    const snapshot = snapshotOf({ clusters: [cluster('a', { roles: ['management'] }), stays] });
    const found = planOf(bundle, snapshot).spec.findings.filter(({ rule }) => rule === 'antrea.agent');
    expect(
      found.map(({ severity, subject, why }) => [severity, subject.cluster, why.split('; ').slice(1).join('; ')]),
    ).toEqual([
      ['block', 'b', 'this is the state before the plan starts'],
      ['info', 'a', 'this is the state before the plan starts; the plan fixes it'],
    ]);
  });
});

describe('the waves of a plan', () => {
  const members = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8'].map((name) => member(name, 'v2.6.0'));
  const waved = (wanted: WantedWaves, policies = shippedPolicies()) => {
    const { steps } = planOf(loadedOf(mc('v2.7.0')), snapshotOf(shop(members)), {
      policies,
      waves: wavesOf(wanted, policies),
    }).spec;
    const ofMembers = steps.filter(({ component, kind }) => component === 'mc-member' && kind === 'upgrade');
    const byWave = Map.groupBy(ofMembers, ({ wave }) => wave);
    return { steps, waves: [...byWave.values()].map((some) => some.map(({ cluster }) => cluster).join(' ')) };
  };
  const saying = (waves: object): Policy[] => [
    ...shippedPolicies(),
    policyKind.decode({
      apiVersion: 'upgrade.isthmus.dev/v1alpha1',
      kind: 'Policy',
      metadata: { name: 'ours' },
      spec: { product: 'Ours', waves },
    }).value,
  ];

  it.each([
    ['nothing', {}, ['m1', 'm2', 'm3 m4 m5 m6 m7 m8']],
    ['shares', { shares: [25, 50] }, ['m1', 'm2', 'm3 m4', 'm5 m6 m7 m8']],
    ['two canaries', { canary: 2, shares: [50, 100] }, ['m1 m2', 'm3 m4', 'm5 m6 m7 m8']],
    ['no canary', { canary: 0, shares: [50] }, ['m1 m2 m3 m4', 'm5 m6 m7 m8']],
    ['the canary by name', { canaries: ['m7'], shares: [50] }, ['m7', 'm1 m2 m3', 'm4 m5 m6 m8']],
    ['all at once', { canary: 0, shares: [100] }, ['m1 m2 m3 m4 m5 m6 m7 m8']],
  ])('are those that are wanted: %s', (_what, wanted, waves) => {
    expect(waved(wanted).waves).toEqual(waves);
  });

  it('are those of a policy where a person does not choose others', () => {
    const policies = saying({ canary: 2, shares: [50] });
    expect(waved({}, policies).waves).toEqual(['m1 m2', 'm3 m4', 'm5 m6 m7 m8']);
    expect(waved({ canary: 1 }, policies).waves).toEqual(['m1', 'm2 m3 m4', 'm5 m6 m7 m8']);
  });

  it('run for a time before the next one begins, where that is wanted', () => {
    const { steps } = waved({ shares: [50], soakSeconds: 600 });
    const soaked = steps.filter(({ gates }) => gates.some(({ kind, seconds }) => kind === 'soak' && seconds === 600));
    expect(soaked.map(({ cluster }) => cluster)).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(waved({ shares: [50] }).steps.flatMap(({ gates }) => gates.filter(({ kind }) => kind === 'soak'))).toEqual(
      [],
    );
  });
});

describe('the findings of a blocked plan', () => {
  const antrea = (version: string) => [
    at('antrea-controller', version),
    at('antrea-agent', version, { scope: 'node' }),
  ];
  const at21 = (name: string, agents: readonly string[]) => ({
    name,
    components: [
      running('antrea-controller', 'v2.1.0'),
      { id: 'antrea-agent', live: agents.map((version, node) => ({ version, node: `n${node}` })) },
    ],
  });

  it('is the way that is too far, once for all clusters, and not what follows from it', () => {
    const clusters = ['a', 'b', 'c'].map((name) => at21(name, ['v2.1.0']));
    const clients = [{ component: 'antctl', version: 'v2.1.0' }];
    const bundle = loadedOf([...antrea('v2.7.0'), at('antctl', 'v2.7.0', { scope: 'client' })]);
    const { findings } = planOf(bundle, snapshotOf({ clusters, clients })).spec;
    expect(findings.filter(({ severity }) => severity === 'block')).toMatchObject([
      { rule: 'antrea.hop', clusters: ['a', 'b', 'c'] },
      { rule: 'antrea.hop-agent', clusters: ['a', 'b', 'c'] },
    ]);
  });

  it('is reported once where it is so before the plan begins', () => {
    const agents = loadedOf(antrea('v2.2.0').slice(1));
    const plan = planOf(agents, snapshotOf({ clusters: [at21('a', ['v2.1.0', 'v2.1.1'])] }));
    const reported = plan.spec.findings.filter(({ severity }) => severity === 'block').map(({ why }) => why);
    expect(reported).toHaveLength(4);
    expect(reported.filter((why) => why.includes('v2.1.1 (Node n1 of cluster a)'))).toEqual([
      expect.stringContaining('this is the state before the plan starts'),
    ]);
  });

  it('is what keeps the clusters, and not what programs of people would break meanwhile', () => {
    const bundle = loadedOf([...antrea('v2.2.0').slice(1), at('antctl', 'v2.2.0', { scope: 'client' })]);
    const clients = [{ component: 'antctl', version: 'v2.1.0' }];
    const plan = planOf(bundle, snapshotOf({ clusters: [at21('a', ['v2.1.1'])], clients }));
    expect(new Set(blocks(plan))).toEqual(new Set(['antrea.agent', 'plan.order']));
  });

  it('a waiver does not let a plan without an order pass', () => {
    const waiver = { rule: 'plan.order', reason: 'seen', by: 'ops', until: '2026-12-31' };
    const circle = [
      at('x', 'v1.1.0', { requires: [{ component: 'y' }] }),
      at('y', 'v1.1.0', { requires: [{ component: 'x' }] }),
    ];
    const snapshot = snapshotOf({
      clusters: [{ name: 'a', components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')] }],
    });
    const plan = planOf(loadedOf(circle), snapshot, { waivers: [waiver] });
    expect(plan.spec).toMatchObject({ outcome: 'blocked', waived: [] });
  });
});

describe('a plan and what becomes of it', () => {
  const snapshot = snapshotOf(shop([member('east', 'v2.6.0')]));
  const plan = planOf(loadedOf(mc('v2.7.0')), snapshot);

  const bundle = loadedOf(mc('v2.7.0'));
  const bounds = { bundle, snapshot, policies: shippedPolicies(), sha256 };

  it('is stale when a cluster has changed, and names it', () => {
    expect(comparePlan(plan, bounds)).toEqual([]);
    const edited = snapshotOf(shop([member('east', 'v2.6.1')]));
    expect(comparePlan(plan, { ...bounds, snapshot: edited })).toMatchObject([
      { rule: 'plan.stale', severity: 'block', subject: { cluster: 'east' } },
    ]);
    expect(comparePlan(plan, { ...bounds, snapshot: snapshotOf(shop([])) })).toHaveLength(1);
    const later = snapshotOf({ ...shop([member('east', 'v2.6.0')]), takenAt: '2026-12-01T00:00:00Z' });
    expect(comparePlan(plan, { ...bounds, snapshot: later })).toEqual([]);
  });

  it('is bound to its bundle and its policies', () => {
    const other = loadedOf([...mc('v2.7.0'), at('x', 'v1.0.0')]);
    expect(comparePlan(plan, { ...bounds, bundle: other }).map(({ rule }) => rule)).toEqual(['plan.other-bundle']);
    const [first, ...rest] = shippedPolicies();
    const changed = first === undefined ? [] : [{ ...first, spec: { ...first.spec, product: 'another' } }];
    expect(comparePlan(plan, { ...bounds, policies: [...changed, ...rest] }).map(({ why }) => why)).toEqual([
      `policy ${first?.metadata.name ?? ''} has changed since the plan was created`,
    ]);
    expect(comparePlan(plan, { ...bounds, policies: rest }).map(({ why }) => why)).toEqual([
      `the plan was created with policy ${first?.metadata.name ?? ''}, which was not given`,
    ]);
  });

  it.each([
    ['which is not at hand', { name: 'ours' }, ['plan.policy']],
    ['with another digest', { name: 'antrea', digest: digest(1) }, ['plan.policy']],
    ['which is at hand', { name: 'antrea' }, []],
  ])('is blocked where the bundle wants a policy %s', (_what, wanted, rules) => {
    expect(blocks(planOf(loadedOf(mc('v2.7.0'), { policies: [wanted] }), snapshot))).toEqual(rules);
  });

  it('is read again as it was written', () => {
    const text = JSON.stringify(plan);
    const read = readFile(planKind, text, 'plan.json');
    expect(read.kind === 'read' ? JSON.stringify(read.value.spec.steps) : read.problems).toBe(
      JSON.stringify(JSON.parse(text).spec.steps),
    );
  });

  it('has waivers printed, which end on their last day', () => {
    const broken = {
      clusters: [
        { name: 'a', components: [running('antrea-controller', 'v2.1.0'), running('antrea-agent', 'v2.2.0', ['n'])] },
      ],
    };
    const bundle = loadedOf([at('antrea-agent', 'v2.2.1', { scope: 'node' })]);
    const waiver = { rule: 'antrea.agent', path: 'a', reason: 'seen', by: 'ops', until: '2026-11-21' };
    expect(planOf(bundle, snapshotOf(broken), { waivers: [waiver] }).spec).toMatchObject({
      outcome: 'ready',
      waived: [{ rule: 'antrea.agent', by: 'ops' }],
    });
    expect(blocks(planOf(bundle, snapshotOf(broken), { waivers: [{ ...waiver, until: '2026-11-20' }] }))).toContain(
      'antrea.agent',
    );
  });
});
