import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { PlanInput } from '../input/plan-input.ts';
import { plannerContext } from '../input/planner-context.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import { clustersLeftAlone, findDifferences, whyLeftAlone } from './find-differences.ts';
import type { Differences } from './find-differences.ts';

const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });

interface Fleet {
  readonly components: readonly object[];
  readonly clusters?: readonly object[];
  readonly clients?: readonly object[];
  readonly bundle?: object;
  readonly input?: Partial<PlanInput>;
}

function differences({ components, clusters = [], clients = [], bundle, input }: Fleet): Differences {
  return findDifferences(
    plannerContext(inputOf(loadedOf(components, bundle), snapshotOf({ clusters, clients }), input)),
  );
}
const named = (list: Differences['moving']) => list.map(({ row }) => `${row.id} ${row.relation}`);
const skippedOf = ({ skipped }: Differences) =>
  skipped.map(({ cluster = '', component = '', why }) => `${cluster}/${component}: ${why}`);
const found = ({ findings }: Differences) =>
  findings.map(({ rule, severity, subject, why }) => {
    const { cluster = '', component = '' } = subject;
    return `${rule} ${severity} ${cluster}/${component}: ${why}`;
  });

describe('the differences between a fleet and a bundle', () => {
  const x = at('x', 'v1.1.0');

  it('are those of each cluster by name, and of each component by id', () => {
    const clusters = [
      { name: 'b', components: [running('x', 'v1.1.0'), running('w', 'v1.0.0')] },
      { name: 'a', components: [running('x', 'v1.0.0'), running('w', 'v1.0.0')] },
    ];
    const result = differences({ components: [x, at('w', 'v2.0.0')], clusters });
    expect(named(result.moving)).toEqual(['a/w major', 'a/x minor', 'b/w major']);
    expect(result).toMatchObject({ unchanged: [], skipped: [], findings: [] });
  });

  it.each<readonly [string, object, Partial<PlanInput>, string]>([
    ['is paused', { paused: true }, {}, 'its reconciliation is paused'],
    ['did not answer', { reachable: false }, {}, 'its API server did not answer'],
    ['is excluded', {}, { leftOut: new Map([['c', 'not now']]) }, 'not now'],
  ])('of a cluster that %s are only shown', (_, more, input, why) => {
    const live = [{ version: 'v1.0.0', ready: false }];
    const clusters = [{ name: 'c', components: [{ id: 'x', live }], ...more }];
    const result = differences({ components: [x], clusters, input });
    expect(result.moving).toEqual([]);
    expect(named(result.unchanged)).toEqual(['c/x minor']);
    expect(skippedOf(result)).toEqual([`c/: ${why}`]);
    // It is not changed, so it need not be ready.
    expect(result.findings).toEqual([]);
    expect(clustersLeftAlone(result)).toEqual(new Set(['c']));
  });

  it.each<readonly [string, boolean, readonly string[]]>([
    ['a cluster that was never read has none', false, []],
    ['a cluster that was read lacks what it does not have', true, ['c/x added']],
  ])('%s', (_, reachable, moving) => {
    expect(named(differences({ components: [x], clusters: [{ name: 'c', reachable }] }).moving)).toEqual(moving);
  });

  it('of a component that its owner excludes are only shown', () => {
    const clusters = [
      {
        name: 'c',
        components: [{ ...running('x', 'v1.0.0'), skip: 'by hand', handSet: ['-v'] }, running('w', 'v1.0.0')],
      },
    ];
    const result = differences({ components: [x, at('w', 'v1.1.0')], clusters });
    expect(named(result.moving)).toEqual(['c/w minor']);
    expect(named(result.unchanged)).toEqual(['c/x minor']);
    expect(skippedOf(result)).toEqual(['c/x: by hand']);
    expect(result.findings).toEqual([]);
  });

  it.each<readonly [string, object, boolean, readonly string[]]>([
    ['is reported', {}, false, ['plan.kubernetes block c/: ']],
    ['is not reported of a cluster that is left alone', { paused: true }, false, []],
  ])('a Kubernetes that the bundle does not have %s', (_, more, __, expected) => {
    const clusters = [{ name: 'c', components: [running('kube-apiserver', 'v1.30.0')], ...more }];
    const bundle = { perKubernetes: { '1.31': { components: [] }, '1.32': { components: [] } } };
    const { findings } = differences({ components: [x], clusters, bundle });
    expect(findings.map(({ rule, severity, subject }) => `${rule} ${severity} ${subject.cluster}/: `)).toEqual(
      expected,
    );
    for (const { unblock } of findings) {
      expect(unblock).toBe(
        'choose a Kubernetes minor that the bundle has (--kubernetes, 1.31, 1.32), or a bundle that has this one',
      );
    }
  });

  it.each<readonly [string, object, readonly string[]]>([
    [
      'that are not ready, and where',
      {
        id: 'x',
        live: [
          { version: 'v1.1.0', node: 'n2', ready: false },
          { version: 'v1.1.0', node: 'n1', ready: false },
        ],
      },
      ['plan.not-ready warn c/x: x was not ready (n1, n2) when the snapshot was taken'],
    ],
    [
      'of which one replica is not ready',
      {
        id: 'x',
        live: [
          { version: 'v1.1.0', name: 'a' },
          { version: 'v1.1.0', name: 'b', ready: false },
        ],
      },
      ['plan.not-ready warn c/x: x was not ready (b) when the snapshot was taken'],
    ],
    [
      'that are not ready, at no place',
      { id: 'x', live: [{ version: 'v1.1.0', ready: false }] },
      ['plan.not-ready warn c/x: x was not ready when the snapshot was taken'],
    ],
    [
      'whose record differs, where they have the target',
      { id: 'x', recorded: { version: 'v1.0.0' }, live: [{ version: 'v1.1.0' }] },
      ['plan.recorded-differs info c/x: the recorded version differs: the recorded version is v1.0.0, but v1.1.0 runs'],
    ],
    [
      'whose record differs, where they are changed: the row has it',
      { id: 'x', recorded: { version: 'v0.9.0' }, live: [{ version: 'v1.0.0' }] },
      [],
    ],
    [
      'with arguments that were set by hand',
      { ...running('x', 'v1.0.0'), handSet: ['-v', '--dry-run'] },
      ['plan.hand-set warn c/x: manually set arguments will be lost: -v, --dry-run'],
    ],
    ['with such arguments, where nothing is changed', { ...running('x', 'v1.1.0'), handSet: ['-v'] }, []],
    [
      'that run a build of the user',
      { id: 'x', live: [{ version: 'mine' }, { version: 'other' }] },
      [
        'plan.unknown-version block c/x: the version cannot be compared: what runs is "mine"; rules about it could not be checked',
      ],
    ],
    [
      'whose record is no version',
      { id: 'x', recorded: { version: 'mine' } },
      [
        'plan.unknown-version warn c/x: the version cannot be compared: recorded is "mine"; rules about it could not be checked',
      ],
    ],
    [
      'whose record is empty',
      { id: 'x', recorded: { version: '' } },
      [
        'plan.unknown-version warn c/x: the version cannot be compared: no version is known; rules about it could not be checked',
      ],
    ],
    ['that are to be added', { id: 'x' }, []],
  ])('findings about components %s', (_, installed, expected) => {
    expect(found(differences({ components: [x], clusters: [{ name: 'c', components: [installed] }] }))).toEqual(
      expected,
    );
  });

  it('versions without an order do not block where the component has none', () => {
    const opaque = written({ id: 'x', version: { upstream: 'blue', scheme: 'opaque' } });
    const clusters = [{ name: 'c', components: [running('x', 'green')] }];
    const result = differences({ components: [opaque], clusters });
    expect([named(result.moving), result.findings]).toEqual([['c/x unknown'], []]);
  });
});

describe('components that the bundle disables', () => {
  const off = at('x', 'deprecated');
  const clusters = [{ name: 'c', components: [running('x', 'v1.0.0'), running('kube-apiserver', 'v1.31.0')] }];

  it('are shown where they are installed', () => {
    const result = differences({ components: [off, at('w', 'v1.0.0')], clusters });
    expect(named(result.moving)).toEqual(['c/w added']);
    expect(result.unchanged.map(({ row }) => row)).toMatchObject([
      { id: 'c/x', relation: 'disabled', orderKnown: true, reasons: ['the bundle has no version of it: deprecated'] },
    ]);
    expect(skippedOf(result)).toEqual(['c/x: the bundle disables it']);
  });

  it.each<readonly [string, object, readonly object[], Partial<PlanInput>, readonly string[]]>([
    ['for the minor of the cluster', { '1.31': { components: [off] } }, [], {}, ['c/x disabled']],
    ['for another minor', { '1.30': { components: [off] }, '1.31': { components: [] } }, [], {}, []],
    [
      'for the minor that the plan goes to',
      { '1.32': { components: [off] }, '1.31': { components: [] } },
      [],
      { kubernetes: '1.32' },
      ['c/x disabled'],
    ],
    ['for every minor but this one', { '1.31': { components: [at('x', 'v1.0.0')] } }, [off], {}, []],
  ])('%s', (_, perKubernetes, components, input, expected) => {
    const result = differences({ components, clusters, bundle: { perKubernetes }, input });
    expect(named(result.unchanged)).toEqual(expected);
  });
});

describe('programs of people', () => {
  const kubectl = at('kubectl', 'v1.31.0', { scope: 'client' });

  it('move last, sorted by their place and version', () => {
    const clients = [
      { component: 'kubectl', name: 'laptop', version: 'v1.30.0' },
      { component: 'kubectl', version: 'v1.29.0' },
      { component: 'kubectl', name: 'laptop', version: 'v1.28.0' },
      { component: 'kubectl', name: 'ci', version: 'v1.31.0' },
      { component: 'other', version: 'v1.0.0' },
    ];
    const { moving } = differences({ components: [kubectl, at('x', 'v1.0.0')], clusters: [{ name: 'c' }], clients });
    expect(named(moving)).toEqual(['c/x added', 'kubectl minor']);
    expect(moving[1]?.running.map(({ name, version }) => [name, version.text])).toEqual([
      [undefined, 'v1.29.0'],
      ['ci', 'v1.31.0'],
      ['laptop', 'v1.28.0'],
      ['laptop', 'v1.30.0'],
    ]);
  });

  it.each<readonly [string, readonly object[]]>([
    ['nobody has', []],
    ['all have as the bundle has it', [{ component: 'kubectl', version: 'v1.31.0' }]],
  ])('that %s do not move', (_, clients) => {
    expect(differences({ components: [kubectl], clients }).moving).toEqual([]);
  });

  it.each<readonly [string, Partial<PlanInput>, string]>([
    ['the newest Kubernetes of the fleet', {}, 'v1.31.0'],
    ['the Kubernetes that the plan goes to', { kubernetes: '1.30' }, 'v1.30.0'],
  ])('are those for %s', (_, input, expected) => {
    const client = (upstream: string) => ({ components: [at('kubectl', upstream, { scope: 'client' })] });
    const bundle = { perKubernetes: { '1.30': client('v1.30.0'), '1.31': client('v1.31.0') } };
    const clusters = ['1.31', '1.30'].map((minor) => ({
      name: `c${minor}`,
      components: [running('kube-apiserver', `v${minor}.0`)],
    }));
    const clients = [{ component: 'kubectl', version: 'v1.29.0' }];
    const { moving } = differences({ components: [], clusters, clients, bundle, input });
    expect(moving.map(({ row }) => row.to.version)).toEqual([expected]);
  });
});

describe('a change that must follow a leader', () => {
  const components = [
    at('mc-leader', 'v2.4.0', { roles: ['leader'] }),
    at('mc-member', 'v2.4.0', { roles: ['member'] }),
  ];
  const leader = (more: object = {}) => ({
    name: 'north',
    roles: ['leader'],
    clusterSet: 's',
    components: [running('mc-leader', 'v2.3.0')],
    ...more,
  });
  const member = (more: object = {}) => ({
    name: 'east',
    roles: ['member'],
    clusterSet: 's',
    components: [running('mc-member', 'v2.3.0')],
    ...more,
  });

  it.each<readonly [string, object, object, readonly string[], readonly string[]]>([
    ['goes on behind a leader that moves', leader(), member(), ['east/mc-member minor', 'north/mc-leader minor'], []],
    [
      'waits behind a leader that is left alone',
      leader({ paused: true }),
      member(),
      [],
      [
        'north/: its reconciliation is paused',
        'east/mc-member: mc.order: mc-leader must be upgraded first, and is skipped in north: its reconciliation is paused',
      ],
    ],
    [
      'waits behind a component that is left alone',
      leader({ components: [{ ...running('mc-leader', 'v2.3.0'), skip: 'later' }] }),
      member(),
      [],
      [
        'north/mc-leader: later',
        'east/mc-member: mc.order: mc-leader must be upgraded first, and is skipped in north: later',
      ],
    ],
    [
      'does not wait for the leader of another ClusterSet',
      leader({ paused: true, clusterSet: 't' }),
      member(),
      ['east/mc-member minor'],
      ['north/: its reconciliation is paused'],
    ],
    [
      'does not wait outside of a ClusterSet',
      leader({ paused: true }),
      member({ clusterSet: undefined }),
      ['east/mc-member minor'],
      ['north/: its reconciliation is paused'],
    ],
    [
      'does not wait for a leader that has the target',
      leader({ paused: true, components: [running('mc-leader', 'v2.4.0')] }),
      member(),
      ['east/mc-member minor'],
      ['north/: its reconciliation is paused'],
    ],
  ])('%s', (_, first, second, moving, skipped) => {
    const result = differences({ components, clusters: [first, second] });
    expect(named(result.moving)).toEqual(moving);
    expect(skippedOf(result)).toEqual(skipped);
  });

  it('does not wait for a component that the bundle disables', () => {
    const result = differences({
      components: [at('mc-leader', 'deprecated', { roles: ['leader'] }), ...components.slice(1)],
      clusters: [leader(), member()],
    });
    expect(named(result.moving)).toEqual(['east/mc-member minor']);
    expect(named(result.unchanged)).toEqual(['north/mc-leader disabled']);
  });
});

it('a reason covers one component, or its whole cluster', () => {
  const skipped = [
    { cluster: 'a', why: 'paused' },
    { cluster: 'b', component: 'x', why: 'by hand' },
    { component: 'x', why: 'no program' },
  ];
  const why = whyLeftAlone({ moving: [], unchanged: [], findings: [], skipped });
  expect(
    [
      { cluster: 'a', component: 'x' },
      { cluster: 'b', component: 'x' },
      { cluster: 'b', component: 'y' },
      { cluster: 'c', component: 'x' },
    ].map(why),
  ).toEqual(['paused', 'by hand', undefined, undefined]);
});
