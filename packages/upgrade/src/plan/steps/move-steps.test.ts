import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { componentOf, digest } from '../../bundle/testing/bundle-of.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { ImmutableFinding } from '../../immutable/immutable-rule.ts';
import type { RuleSet } from '../../policy/rule-set.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { Move } from '../order/move.ts';
import type { Content } from './content.ts';
import { stepsOfMove } from './move-steps.ts';
import type { MoveContent } from './move-steps.ts';

const made = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'n' },
  ...more,
});
const crd: KubernetesObject = { kind: 'CustomResourceDefinition', metadata: { name: 'things' } };
const manifest = { name: 'm', kind: 'manifest', uri: 'm.yaml' } as const;
const crdset = { name: 'c', kind: 'crdset', uri: 'c.yaml' } as const;

const contentWith = (more: Partial<Content> = {}): Content => ({
  definitions: [],
  shared: [],
  own: [],
  all: [],
  servesWebhooks: false,
  missing: [],
  artifacts: [],
  keys: [],
  ...more,
});
const rules: RuleSet = { skew: [], floors: [], order: [], hops: [], kubernetes: [], interruptions: [] };
const partsWith = (more: Partial<MoveContent> = {}): MoveContent => ({
  content: contentWith(),
  isFirst: true,
  migrations: [],
  immutable: [],
  hooks: [],
  rules,
  ...more,
});

interface Case {
  readonly component?: object;
  readonly cluster?: object | undefined;
  readonly before?: readonly object[];
  readonly after?: readonly object[];
  readonly running?: readonly object[];
  readonly relation?: string;
  readonly move?: Partial<Move>;
}

/** A move of x from 1.0 to 1.1 in the cluster c. */
function moveOf({ relation = 'minor', component = {}, move = {}, ...one }: Case = {}): Move {
  const made = componentOf({ id: 'x', displayName: 'X', version: { upstream: 'v1.1.0' }, ...component });
  const [cluster] = snapshotOf({ clusters: [{ name: 'c', ...one.cluster }] }).spec.clusters;
  const versioned = (version: string) => (some: object) => ({
    type: 'x',
    component: 'x',
    version: parseVersion(version),
    ...some,
  });
  return {
    key: '1/c/x/0',
    change: { row: { relation }, running: one.running ?? [] } as unknown as Move['change'],
    component: made,
    cluster: 'cluster' in one && one.cluster === undefined ? undefined : cluster,
    family: 'f',
    round: 1,
    group: 'members',
    wave: 2,
    nodes: [],
    before: (one.before ?? [{}]).map(versioned('v1.0.0')),
    after: (one.after ?? [{}]).map(versioned('v1.1.0')),
    rolling: true,
    ...move,
  };
}
const kindsOf = (move: Move, parts: Partial<MoveContent>) =>
  stepsOfMove(move, partsWith(parts)).map(({ kind }) => kind);
/** The step that changes the version: the last one. */
function last(move: Move, parts: Partial<MoveContent> = {}) {
  const step = stepsOfMove(move, partsWith(parts)).at(-1);
  if (step === undefined) throw new Error('no step');
  return step;
}
const before = { crd: 'things', from: ['v1', 'v2'], to: 'v3', when: 'before-crd' } as const;
const after = { ...before, when: 'after-crd' } as const;
const immutable = (more: Partial<ImmutableFinding> = {}): ImmutableFinding => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  ref: { namespace: 'n', name: 'x' },
  changes: [],
  action: 'recreate-foreground',
  why: 'spec.selector: field is immutable',
  ...more,
});

describe('the steps of a move', () => {
  const all = contentWith({ definitions: [crd], shared: [made('ConfigMap', 'x')] });

  it('are in the order in which each needs the one before', () => {
    const other = immutable({ kind: 'Job', ref: { namespace: 'n', name: 'j' } });
    expect(kindsOf(moveOf(), { content: all, migrations: [after, before], immutable: [other] })).toEqual([
      'migrate-storage',
      'apply-definitions',
      'migrate-storage',
      'recreate',
      'apply-shared',
      'upgrade',
    ]);
  });

  it.each<readonly [string, Case, Partial<MoveContent>, readonly string[]]>([
    [
      'of a later part of a unit have nothing of the manifest',
      {},
      { content: all, isFirst: false, migrations: [before] },
      ['upgrade'],
    ],
    ['without a manifest are one', {}, {}, ['upgrade']],
    ['by clusterctl: it applies all', { component: { method: 'clusterctl' } }, { content: all }, ['upgrade']],
    ['by Flux: it applies all', { component: { method: 'flux' } }, { content: all }, ['upgrade']],
    ['by Helm: the CRDs alone', { component: { method: 'helm' } }, { content: all }, ['apply-definitions', 'upgrade']],
    [
      'of a manifest that was not read: it may have both',
      {},
      { content: contentWith({ missing: [manifest] }) },
      ['apply-definitions', 'apply-shared', 'upgrade'],
    ],
    [
      'of a manifest that Helm has',
      { component: { method: 'helm' } },
      { content: contentWith({ missing: [manifest] }) },
      ['upgrade'],
    ],
    [
      'of CRDs that were not read',
      { component: { method: 'helm' } },
      { content: contentWith({ missing: [crdset] }) },
      ['apply-definitions', 'upgrade'],
    ],
    [
      'whose only workload is created again',
      {},
      { content: contentWith({ own: [made('Deployment', 'x')] }), immutable: [immutable()] },
      ['recreate'],
    ],
    [
      'of which one workload is created again, and another is not',
      {},
      { content: contentWith({ own: [made('Deployment', 'x'), made('Deployment', 'y')] }), immutable: [immutable()] },
      ['recreate', 'upgrade'],
    ],
    [
      'whose own workload is created again by a later part of a unit',
      {},
      { content: contentWith({ own: [made('Deployment', 'x')] }), immutable: [immutable()], isFirst: false },
      ['recreate'],
    ],
  ])('%s', (_, one, parts, expected) => {
    expect(kindsOf(moveOf(one), parts)).toEqual(expected);
  });

  it('have the place of the move', () => {
    for (const step of stepsOfMove(moveOf(), partsWith({ content: all, migrations: [before] }))) {
      expect(step).toMatchObject({
        group: 'members',
        wave: 2,
        round: 1,
        cluster: 'c',
        component: 'x',
        move: '1/c/x/0',
        lane: 'c',
      });
    }
    expect(last(moveOf({ cluster: undefined })).lane).toBe('client x');
  });

  it.each([
    [before, 'the new CRD drops v1, v2, in which objects are stored (G05)', ['things is no longer stored in v1, v2']],
    [after, 'the CRD stores in v3 from now on; objects stored in v1, v2 are rewritten (G08)', []],
  ])('%j: objects are rewritten', (migration, why, irreversible) => {
    const [first] = stepsOfMove(moveOf(), partsWith({ migrations: [migration] }));
    expect(first).toMatchObject({
      title: 'Rewrite the objects of things in c from v1, v2 to v3',
      why,
      objects: ['things'],
      storedVersion: 'v3',
      irreversible,
      gates: [
        { id: 'rewritten', at: 'after', kind: 'objects-valid', what: 'status.storedVersions of things is [v3].' },
      ],
    });
  });

  it.each<readonly [string, Partial<Content>, readonly (readonly [string, readonly string[]])[]]>([
    [
      'that was read',
      { definitions: [crd], shared: [made('Service', 'b'), made('ConfigMap', 'a')] },
      [
        ['CRDs must be Established before objects that use them change', ['things']],
        [
          'RBAC, configuration and Services must exist before the Pods that need them',
          ['ConfigMap n/a', 'Service n/b'],
        ],
      ],
    ],
    [
      'that was not',
      { missing: [manifest] },
      [
        ['the manifest was not read: if it has CRDs, they must be Established before objects that use them change', []],
        [
          'the manifest was not read; it is split by its workloads: objects that belong to no workload come before them',
          [],
        ],
      ],
    ],
    [
      'of CRDs that was not',
      { missing: [crdset] },
      [['CRDs must be Established before objects that use them change', []]],
    ],
  ])('state what is applied of a manifest %s', (_, content, expected) => {
    const steps = stepsOfMove(moveOf(), partsWith({ content: contentWith(content) })).slice(0, -1);
    expect(steps.map(({ why, objects }) => [why, objects])).toEqual(expected);
  });
});

describe('the step that changes the version', () => {
  it.each<readonly [string, Case, string]>([
    ['to a newer version', {}, 'Upgrade X in c to v1.1.0'],
    ['without a name for people', { component: { displayName: undefined } }, 'Upgrade x in c to v1.1.0'],
    ['from nothing', { relation: 'added' }, 'Install X in c, v1.1.0'],
    ['to other content', { relation: 'content-drift' }, 'Apply again X in c, v1.1.0'],
    ['to an older version', { relation: 'downgrade' }, 'Roll back X in c, v1.1.0'],
    ['on one Node', { move: { nodes: ['n1'] } }, 'Upgrade X on n1 in c to v1.1.0'],
    ['on several Nodes', { move: { nodes: ['n1', 'n2'] } }, 'Upgrade X on 2 Nodes in c to v1.1.0'],
    ['of one replica', { move: { name: 'a' } }, 'Upgrade X (a) in c to v1.1.0'],
    [
      'of what is beside the Nodes',
      { component: { scope: 'node' }, after: [{ name: 'b' }, { name: 'a' }] },
      'Upgrade X (a, b) in c to v1.1.0',
    ],
    ['of replicas of another scope', { after: [{ name: 'b' }, { name: 'a' }] }, 'Upgrade X in c to v1.1.0'],
    [
      'of programs of people',
      { component: { scope: 'client' }, cluster: undefined, after: [{ name: 'laptop' }, { name: 'ci' }] },
      'Upgrade X on ci, laptop to v1.1.0',
    ],
    ['of programs at no place', { component: { scope: 'client' }, cluster: undefined }, 'Upgrade X to v1.1.0'],
  ])('%s has the title', (_, one, title) => {
    expect(last(moveOf(one)).title).toBe(title);
  });

  it('names the Kubernetes that its chart is rendered for', () => {
    expect(last(moveOf(), { kubernetesStays: '1.31' }).title).toBe(
      'Upgrade X in c to v1.1.0, rendered for Kubernetes 1.31, which still runs',
    );
  });

  const order = (first: string, next: string) => ({ id: `${first}-${next}`, first, next }) as RuleSet['order'][number];
  it.each<readonly [string, Case, Partial<RuleSet>, string]>([
    ['a change', {}, {}, 'v1.0.0 → v1.1.0 (minor)'],
    ['a version that was not known', { before: [] }, {}, 'an unknown version → v1.1.0 (minor)'],
    ['what is installed', { relation: 'added' }, {}, 'the bundle requires it here'],
    [
      'rules of order about its type',
      { component: { type: 't' } },
      { order: [order('t', 'u'), order('s', 't'), order('a', 'b'), order('x', 'y')] },
      'v1.0.0 → v1.1.0 (minor); before u (t-u); after s (s-t)',
    ],
    [
      'what it requires',
      { component: { requires: [{ component: 'y' }, { component: 'z', reason: 'it reads it' }] } },
      {},
      'v1.0.0 → v1.1.0 (minor); it requires y; it requires z: it reads it',
    ],
  ])('gives the reason: %s', (_, one, some, why) => {
    expect(last(moveOf(one), { rules: { ...rules, ...some } }).why).toBe(why);
  });

  const workload = (kind: string, name: string) => ({ kind, namespace: 'n', name });
  const onNode = { version: parseVersion('v1.0.0'), node: 'n1', digests: {} };
  const nowhere = { version: parseVersion('v1.0.0'), digests: {} };
  const split: Case = {
    component: { scope: 'node', workloads: [workload('Deployment', 'op'), workload('DaemonSet', 'agent')] },
    running: [onNode, nowhere],
  };
  it.each<readonly [string, Case, Partial<Content>, readonly string[]]>([
    [
      'of its manifest',
      {},
      { own: [made('Deployment', 'b'), made('Deployment', 'a')] },
      ['Deployment n/a', 'Deployment n/b'],
    ],
    ['of the bundle', { component: { workloads: [workload('Deployment', 'x')] } }, {}, ['Deployment n/x']],
    ['on Nodes alone', { ...split, move: { nodes: ['n1'] } }, {}, ['DaemonSet n/agent']],
    ['beside the Nodes alone', split, {}, ['Deployment n/op']],
    ['all, where all run on Nodes', { ...split, running: [onNode] }, {}, ['DaemonSet n/agent', 'Deployment n/op']],
    [
      'all, where the component is not one of Nodes',
      { ...split, component: { ...split.component, scope: 'cluster' } },
      {},
      ['DaemonSet n/agent', 'Deployment n/op'],
    ],
    [
      'all, where none of them is of the part that moves',
      { ...split, component: { scope: 'node', workloads: [workload('DaemonSet', 'agent')] } },
      {},
      ['DaemonSet n/agent'],
    ],
  ])('changes the workloads %s', (_, one, content, objects) => {
    expect(last(moveOf(one), { content: contentWith(content) }).objects).toEqual(objects);
  });

  it.each<readonly [string, Partial<Content>, readonly string[]]>([
    ['alone', { artifacts: ['m.yaml (no digest)'] }, [`registry.example/x@${digest(1)}`]],
    [
      'with the manifest of its workloads, and their other images',
      {
        artifacts: ['m.yaml (no digest)'],
        own: [made('Deployment', 'x', { spec: { template: { spec: { containers: [{ image: 'other:v1' }] } } } })],
      },
      ['m.yaml (no digest)', 'other:v1 (no digest)', `registry.example/x@${digest(1)}`],
    ],
  ])('lists the artifacts of the component %s', (_, content, artifacts) => {
    expect(last(moveOf(), { content: contentWith(content) }).artifacts).toEqual(artifacts);
  });

  it('shows what runs before and after at each place', () => {
    const one: Case = {
      before: [{ node: 'n1' }, { name: 'a' }],
      after: [{ node: 'n1' }, { name: 'a' }, { node: 'n2' }],
    };
    const place = { component: 'x', cluster: 'c' };
    expect(last(moveOf(one)).effects).toEqual([
      { ...place, node: 'n1', from: 'v1.0.0', to: 'v1.1.0' },
      { ...place, name: 'a', from: 'v1.0.0', to: 'v1.1.0' },
      { ...place, node: 'n2', from: '', to: 'v1.1.0' },
    ]);
  });

  const inSet = { clusterSet: 's' };
  it.each<readonly [string, Case, Partial<Content>, readonly string[]]>([
    ['a component', {}, {}, ['ready']],
    ['one whose Pods answer webhooks', {}, { servesWebhooks: true }, ['ready', 'webhook-ready']],
    ['a leader', { component: { roles: ['leader'] }, cluster: inSet }, {}, ['ready', 'webhook-ready', 'canary']],
    ['a member', { component: { roles: ['member'] }, cluster: inSet }, {}, ['ready', 'heartbeat', 'imports-unchanged']],
    [
      'both',
      { component: { roles: ['leader', 'member'] }, cluster: inSet },
      {},
      ['ready', 'webhook-ready', 'canary', 'heartbeat', 'imports-unchanged'],
    ],
    ['a leader outside of a ClusterSet', { component: { roles: ['leader'] } }, {}, ['ready']],
    ['a member outside of a ClusterSet', { component: { roles: ['member'] } }, {}, ['ready']],
    ['agents of a leader', { component: { roles: ['leader'], scope: 'node' }, cluster: inSet }, {}, ['ready']],
    ['agents of a member', { component: { roles: ['member'], scope: 'node' }, cluster: inSet }, {}, ['ready']],
    ['a program of people', { component: { scope: 'client' }, cluster: undefined }, {}, []],
  ])('is complete by its gates: %s', (_, one, content, gates) => {
    expect(last(moveOf(one), { content: contentWith(content) }).gates.map(({ id }) => id)).toEqual(gates);
  });

  it('waits for hooks first', () => {
    const hook = { id: 'h', title: 'Renew the keys' } as MoveContent['hooks'][number]['hook'];
    expect(last(moveOf(), { hooks: [{ hook, clusters: ['a', 'b'] }] }).gates[0]).toEqual({
      id: 'hook-h',
      at: 'before',
      kind: 'fact',
      what: 'Renew the keys: done in a, b.',
    });
  });

  it.each<readonly [string, Case, string]>([
    ['its cluster', {}, 'c'],
    ['its replica', { move: { name: 'a' } }, 'a'],
    ['its Nodes', { move: { nodes: ['n1', 'n2'], name: 'a' } }, 'n1, n2'],
  ])('is ready at %s', (_, one, where) => {
    expect(last(moveOf(one)).gates[0]?.what).toBe(`X runs v1.1.0 and is available on ${where}.`);
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['of the bundle', { interrupts: ['It stops.'] }, ['It stops.']],
    ['of the policies for its type', { type: 't' }, ['By policy.']],
    ['of neither', {}, []],
  ])('has the interruptions %s', (_, component, expected) => {
    const interruptions = [{ id: 'i', component: 't', text: 'By policy.' }] as unknown as RuleSet['interruptions'];
    expect(last(moveOf({ component }), { rules: { ...rules, interruptions } }).interrupts).toEqual(expected);
  });

  it('has what cannot be undone', () => {
    expect(last(moveOf({ component: { irreversible: ['It writes v2.'] } })).irreversible).toEqual(['It writes v2.']);
  });
});

describe('an object that is created again', () => {
  const gone = (object: string) => `${object} has no Pods from its deletion until the new ones are ready.`;

  it.each<readonly [string, Partial<ImmutableFinding>, object]>([
    [
      'a Job',
      { kind: 'Job', ref: { namespace: 'n', name: 'j' } },
      { objects: ['Job n/j'], gates: [], interrupts: [], action: 'recreate-foreground' },
    ],
    [
      'an object of no Namespace',
      { kind: 'StorageClass', ref: { name: 's' } },
      { objects: ['StorageClass s'], gates: [], interrupts: [], action: 'recreate-foreground' },
    ],
    ...['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'].map(
      (kind) =>
        [
          `a ${kind}`,
          { kind },
          { objects: [`${kind} n/x`], gates: [], interrupts: [gone(`${kind} n/x`)], action: 'recreate-foreground' },
        ] as const,
    ),
    [
      'a Deployment whose Pods stay',
      { action: 'recreate-orphan' },
      {
        objects: ['Deployment n/x'],
        gates: [
          {
            id: 'old-pods-gone',
            at: 'after',
            kind: 'ready',
            what: 'The old ReplicaSet of Deployment n/x is deleted, and its Pods are gone.',
            seconds: 300,
          },
        ],
        interrupts: [],
        action: 'recreate-orphan',
      },
    ],
    ['an object about which a person decides', { kind: 'Job', action: 'block' }, { action: undefined }],
  ])('%s', (_, more, expected) => {
    const [step] = stepsOfMove(moveOf(), partsWith({ immutable: [immutable(more)] }));
    expect(step).toMatchObject({
      kind: 'recreate',
      why: 'spec.selector: field is immutable',
      artifacts: [`registry.example/x@${digest(1)}`],
      ...expected,
    });
    expect(step?.title).toBe(`Delete ${step?.objects[0]} in c and create it again for X v1.1.0`);
  });

  const own = contentWith({ own: [made('Deployment', 'x')] });
  it.each<readonly [ImmutableFinding['action'], boolean, boolean, readonly string[], readonly string[]]>([
    ['recreate-foreground', true, false, ['ready'], [gone('Deployment n/x'), 'It stops.']],
    ['recreate-orphan', true, true, ['ready', 'old-pods-gone'], ['It stops.']],
    ['recreate-orphan', false, false, ['ready', 'old-pods-gone'], ['It stops.']],
  ])('by %s, where the move is rolling: %s, is the upgrade itself', (action, moves, rolling, gates, interrupts) => {
    const move = moveOf({ component: { interrupts: ['It stops.'] }, move: { rolling: moves } });
    const step = last(move, { content: own, immutable: [immutable({ action })] });
    expect([step.kind, step.rolling, step.gates.map(({ id }) => id), step.interrupts]).toEqual([
      'recreate',
      rolling,
      gates,
      interrupts,
    ]);
    expect(step.effects).toMatchObject([{ from: 'v1.0.0', to: 'v1.1.0' }]);
  });

  it.each<readonly [string, Partial<ImmutableFinding>, readonly string[]]>([
    ['of its manifest', {}, ['recreate']],
    ['of another kind', { kind: 'DaemonSet' }, ['recreate', 'upgrade']],
    ['of another name', { ref: { namespace: 'n', name: 'y' } }, ['recreate', 'upgrade']],
    ['of another Namespace', { ref: { namespace: 'm', name: 'x' } }, ['recreate', 'upgrade']],
  ])('a workload %s is the component itself, or something beside it', (_, more, expected) => {
    expect(kindsOf(moveOf(), { content: own, immutable: [immutable(more)] })).toEqual(expected);
  });
});
