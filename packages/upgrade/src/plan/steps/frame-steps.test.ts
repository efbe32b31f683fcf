import { describe, expect, it } from 'vitest';
import { componentOf, written } from '../../bundle/testing/bundle-of.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { PlanInput } from '../input/plan-input.ts';
import { plannerContext } from '../input/planner-context.ts';
import type { Move } from '../order/move.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import { framedClusters, stepsAfter, stepsBefore } from './frame-steps.ts';
import type { StepDraft } from './step-draft.ts';
import { draft } from './step-draft.ts';

interface Fleet {
  readonly clusters: readonly object[];
  /** What moves: `cluster component`, with other fields of the component. */
  readonly moves?: readonly (readonly [cluster: string, id: string, fields?: object])[];
  readonly input?: Partial<PlanInput>;
  readonly steps?: readonly StepDraft[];
}
function framed({ clusters, moves = [], input }: Fleet) {
  const context = plannerContext(inputOf(loadedOf([written({ id: 'x' })]), snapshotOf({ clusters }), input));
  const made = moves.map(
    ([name, id, fields]) =>
      ({
        cluster: context.clusters.find((one) => one.name === name),
        component: componentOf({ id, ...fields }),
      }) as Move,
  );
  return framedClusters(made, context);
}
const before = (fleet: Fleet) =>
  stepsBefore(framed(fleet), fleet.steps ?? []).map(({ kind, title, objects }) => [kind, title, ...objects]);
const after = (fleet: Fleet) => stepsAfter(framed(fleet)).map(({ kind, title, why }) => [kind, title, why]);
const instructions = (fleet: Fleet) => [
  ...stepsBefore(framed(fleet), []).flatMap((one) => one.instructions ?? []),
  ...stepsAfter(framed(fleet)).flatMap((one) => one.instructions ?? []),
];
const managed = (...managers: readonly string[]) => ({
  kind: 'ConfigMap',
  metadata: { name: 'x', managedFields: managers.map((manager) => ({ manager })) },
});

describe('the steps before and after those of a cluster', () => {
  const plain = { clusters: [{ name: 'a' }, { name: 'b' }], moves: [['b', 'x'] as const] };

  it('are none of a cluster that does not change, and a record of one that does', () => {
    expect(before(plain)).toEqual([]);
    expect(after(plain)).toEqual([['record', 'Record the versions of b', 'for the next plan: x v1.0.0']]);
  });

  it('record each component once, sorted', () => {
    const moves = [
      ['a', 'y'],
      ['a', 'x'],
      ['a', 'y'],
    ] as const;
    expect(after({ clusters: [{ name: 'a' }], moves })[0]?.[2]).toBe('for the next plan: x v1.0.0, y v1.0.0');
  });

  it.each<readonly [string, object, readonly StepDraft[], readonly string[] | undefined]>([
    [
      'of a leader',
      { roles: ['leader'] },
      [],
      ['clustersets', 'resourceexports', 'resourceimports'].map((one) => `${one}.multicluster.crd.antrea.io`),
    ],
    ['of a management cluster, whose CRDs are not known', { roles: ['management'] }, [], ['all custom resources']],
    [
      'of a management cluster, whose CRDs are known: each once, sorted',
      {
        roles: ['management'],
        definitions: [{ kind: 'CustomResourceDefinition', metadata: { name: 'b.example.org' } }],
        objectCounts: { 'b.example.org': 1, 'a.example.org': 0 },
      },
      [],
      ['a.example.org', 'b.example.org'],
    ],
    ['of a member', { roles: ['member'] }, [], undefined],
    [
      'of a cluster where a step cannot be undone',
      {},
      [
        draft({
          kind: 'upgrade',
          title: 't',
          why: 'w',
          group: 'members',
          lane: 'a',
          cluster: 'a',
          irreversible: ['gone'],
        }),
      ],
      ['all custom resources'],
    ],
    [
      'of a cluster beside one where a step cannot be undone',
      {},
      [
        draft({
          kind: 'upgrade',
          title: 't',
          why: 'w',
          group: 'members',
          lane: 'b',
          cluster: 'b',
          irreversible: ['gone'],
        }),
      ],
      undefined,
    ],
  ])('save the data %s', (_, cluster, steps, objects) => {
    expect(before({ clusters: [{ name: 'a', ...cluster }], moves: [['a', 'x']], steps })).toEqual(
      objects === undefined ? [] : [['backup', 'Save the data for a rollback of a', ...objects]],
    );
  });
});

describe('a ClusterSet that is held', () => {
  const clusters = [
    { name: 'north', roles: ['leader'], clusterSet: 's' },
    { name: 'east', roles: ['member'], clusterSet: 's' },
    { name: 'west', roles: ['member'], clusterSet: 's' },
  ];
  const leader = ['north', 'mc-leader', { roles: ['leader'] }] as const;
  const east = ['east', 'mc-member', { roles: ['member'] }] as const;
  const west = ['west', 'mc-member', { roles: ['member'] }] as const;
  const held = (fleet: Fleet) =>
    framed(fleet).map(({ cluster, moves, held: all }) => [cluster.name, moves.length, ...all.map(({ why }) => why)]);
  const wait = (who: string) => `new exports and members of s wait while its ${who} upgraded`;

  it.each<readonly [string, Fleet, readonly (readonly unknown[])[]]>([
    ['where its leader is upgraded', { clusters, moves: [leader] }, [['north', 1, wait('leader is')]]],
    [
      'at the leader that has its target, where members are upgraded',
      { clusters, moves: [east, west] },
      [
        ['east', 1],
        ['north', 0, wait('members are')],
        ['west', 1],
      ],
    ],
    [
      'at the first member, where the leader is left alone',
      { clusters, moves: [west, east], input: { leftOut: new Map([['north', 'later']]) } },
      [
        ['east', 1, wait('members are')],
        ['west', 1],
      ],
    ],
    [
      'not where something else is upgraded',
      {
        clusters,
        moves: [
          ['east', 'x'],
          ['west', 'y', { roles: ['management'] }],
        ],
      },
      [
        ['east', 1],
        ['west', 1],
      ],
    ],
    ['not outside of a ClusterSet', { clusters: [{ name: 'east', roles: ['member'] }], moves: [east] }, [['east', 1]]],
  ])('%s', (_, fleet, expected) => {
    expect(held(fleet)).toEqual(expected);
  });

  it('is paused and resumed, also where nothing else changes', () => {
    const fleet = { clusters, moves: [east] };
    expect(before(fleet)).toEqual([['freeze', 'Pause new exports and members of s in north']]);
    expect(after(fleet).map(([kind, title]) => [kind, title])).toEqual([
      ['record', 'Record the versions of east'],
      ['unfreeze', 'Resume new exports and members of s in north'],
    ]);
  });
});

describe('tools that are paused', () => {
  const noted = 'Note which of them were paused before.';
  const fluxed =
    'Annotate these objects with `kustomize.toolkit.fluxcd.io/reconcile: disabled`, or suspend their Kustomizations.';
  const suspended = 'Suspended already when the snapshot was taken: Kustomization n/apps.';
  const only = 'Kustomization n/apps, unless an earlier plan of this upgrade suspended it';

  it.each<readonly [string, string, object, readonly string[]]>([
    [
      'Flux',
      'kustomize-controller',
      {},
      [`${fluxed} ${noted}`, 'Resume kustomize-controller, except where it was paused before.'],
    ],
    [
      'Flux with Helm',
      'helm-controller',
      {},
      [
        `Suspend the HelmReleases that have these objects. ${noted}`,
        'Resume helm-controller, except where it was paused before.',
      ],
    ],
    [
      'Argo CD',
      'argocd-controller',
      { 'flux/suspended': 'Kustomization n/apps' },
      [
        `Switch automated sync off in the Applications of Argo CD that have these objects. ${noted}`,
        'Resume argocd-controller, except where it was paused before.',
      ],
    ],
    [
      'Flux, of which a part was suspended',
      'kustomize-controller',
      { 'flux/suspended': 'Kustomization n/apps' },
      [`${fluxed} ${suspended}`, `Resume kustomize-controller, except ${only}.`],
    ],
  ])('%s', (_, manager, facts, expected) => {
    const clusters = [{ name: 'a', objects: [managed(manager)], facts }];
    expect(instructions({ clusters, moves: [['a', 'x']] })).toEqual(expected);
  });

  it('are named once, sorted', () => {
    const clusters = [{ name: 'a', objects: [managed('helm-controller', 'argocd'), managed('argocd')] }];
    expect(before({ clusters, moves: [['a', 'x']] })).toEqual([['freeze', 'Pause argocd, helm-controller in a']]);
    expect(before({ clusters })).toEqual([]);
  });

  it.each<readonly [string, object, readonly string[]]>([
    [
      'that may be suspended',
      {},
      [
        'Stop pushes to the repository that Flux applies. If the Kustomization flux-system is suspended, resume it for the upgrade and suspend it again afterwards.',
        'Allow pushes again.',
      ],
    ],
    [
      'that is suspended',
      { 'flux/suspended': 'Kustomization flux-system/flux-system' },
      [
        'Stop pushes to the repository that Flux applies. Kustomization flux-system/flux-system is suspended: resume it, otherwise Flux does not upgrade itself.',
        'Allow pushes again. Suspend Kustomization flux-system/flux-system again.',
      ],
    ],
  ])('are paused where Flux itself is upgraded, by a Kustomization %s', (_, facts, expected) => {
    const clusters = [{ name: 'a', facts }];
    expect(instructions({ clusters, moves: [['a', 'flux', { method: 'flux' }]] })).toEqual(expected);
  });
});
