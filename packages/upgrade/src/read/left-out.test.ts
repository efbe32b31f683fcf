import { describe, expect, it } from 'vitest';
import { componentBundle } from '../bundle/component-bundle.ts';
import { fleetSnapshot } from '../fleet/fleet-snapshot.ts';
import { policy } from '../policy/policy.ts';
import { problemLine, readFile } from './read-file.ts';

/** The spec of a file of this kind as it is read. */
function specOf(kind: typeof policy | typeof componentBundle | typeof fleetSnapshot, spec: object): Spec {
  const text = JSON.stringify({
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: kind.kind,
    metadata: { name: 'x' },
    spec,
  });
  const result = readFile(kind as never, text, 'x.json');
  if (result.kind !== 'read') throw new Error(result.problems.map(problemLine).join('\n'));
  return (result.value as { readonly spec: Spec }).spec;
}

type Spec = Readonly<Record<string, unknown>>;

const time = '2026-11-21T09:00:00Z';

/** A rule with its required fields only, and the fields that it has once it is read. */
const rules: readonly (readonly [list: string, rule: object, added: object])[] = [
  [
    'skew',
    { id: 'x', source: 'x', subject: 'a', reference: 'b', scope: 'cluster', newer: {}, older: {} },
    { severity: 'block', newer: { patches: 'any' }, older: { patches: 'any' }, holds: 'always', when: {} },
  ],
  ['floors', { id: 'x', source: 'x', subject: 'a', range: '>=1', scope: 'cluster' }, { severity: 'block' }],
  ['order', { id: 'x', source: 'x', first: 'a', next: 'b', scope: 'cluster' }, { severity: 'block' }],
  [
    'hops',
    { id: 'x', source: 'x', subject: 'a', maxMinors: 1 },
    { severity: 'block', majors: 'by-sequence', downgrade: 'never', newestPatchFirst: false },
  ],
  ['kubernetes', { id: 'x', source: 'x', subject: 'a' }, { severity: 'block', lists: {} }],
  [
    'apis',
    {
      id: 'x',
      source: 'x',
      component: 'a',
      groups: ['*.x'],
      ga: { months: 12 },
      beta: { months: 9 },
      alpha: { months: 0 },
    },
    {
      severity: 'block',
      ga: { months: 12, releases: 0 },
      beta: { months: 9, releases: 0 },
      alpha: { months: 0, releases: 0 },
      conversionWhileDeprecated: true,
      gaWithinMajor: false,
    },
  ],
  [
    'metrics',
    { id: 'x', source: 'x', component: 'a', names: ['a_*'], stability: 'all-stable' },
    { severity: 'block', alpha: [], deprecatedMark: '(Deprecated since {version})', minMinors: 1 },
  ],
  ['placement', { id: 'x', source: 'x', groups: ['x'], usual: ['v1alpha1'] }, { severity: 'block' }],
  [
    'patchReleases',
    { id: 'x', source: 'x', component: 'a' },
    { severity: 'block', apis: true, crdSchemas: true, features: true, dependencies: {} },
  ],
  ['notes', { id: 'x', source: 'x', component: 'a', to: '2.0', text: 'x' }, { severity: 'info' }],
];

/** A cluster of which only the name and the components are given. */
const clusterDefaults = {
  roles: [],
  reachable: true,
  paused: false,
  facts: {},
  definitions: [],
  sharedDefinitions: [],
  objectCounts: {},
  objects: [],
};

describe('a file that gives only its required fields', () => {
  it.each(rules)('has a rule in %s with a default for each other field', (list, rule, added) => {
    expect(specOf(policy, { product: 'x', [list]: [rule] })[list]).toEqual([{ ...rule, ...added }]);
  });

  it('is a policy without rules', () => {
    const none = {
      sequences: [],
      skew: [],
      floors: [],
      order: [],
      roleOrder: [],
      hops: [],
      kubernetes: [],
      apis: [],
      removedApis: [],
      metrics: [],
      placement: [],
      patchReleases: [],
      features: [],
      notes: [],
      interruptions: [],
    };
    expect(specOf(policy, { product: 'x' })).toEqual({ product: 'x', ...none });
  });

  it('is a bundle for every engine and Kubernetes minor, whose components isthmus applies to every cluster and cannot roll back', () => {
    const spec = { number: 1, channel: 'stable', createdAt: time };
    const a = { id: 'a', version: { upstream: 'v1.0.0' } };
    const component = {
      id: 'a',
      version: { upstream: 'v1.0.0', scheme: 'semver' },
      scope: 'cluster',
      optional: false,
      method: 'apply',
      rollback: 'none',
      supports: {},
      builtFrom: {},
      artifacts: [],
      workloads: [],
      requires: [],
      contracts: [],
      irreversible: [],
      interrupts: [],
      hooks: [],
      upgradeFrom: { via: [] },
    };
    expect(specOf(componentBundle, { ...spec, components: [a], perKubernetes: { '1.31': {} } })).toEqual({
      ...spec,
      engine: {},
      policies: [],
      components: [component],
      perKubernetes: { '1.31': { components: [] } },
    });
    expect(specOf(componentBundle, { ...spec, components: [] })).toMatchObject({ perKubernetes: {} });
  });

  it('is a snapshot of clusters that were reached and are not paused, with components that are ready', () => {
    const components = [{ id: 'a', recorded: { version: 'v1.0.0' }, live: [{ version: 'v1.0.0' }] }, { id: 'b' }];
    expect(
      specOf(fleetSnapshot, { takenAt: time, clusters: [{ name: 'east', components }, { name: 'west' }] }),
    ).toEqual({
      takenAt: time,
      clusterSets: [],
      definitions: {},
      clients: [],
      clusters: [
        {
          ...clusterDefaults,
          name: 'east',
          components: [
            {
              id: 'a',
              recorded: { version: 'v1.0.0', digests: {} },
              live: [{ version: 'v1.0.0', digests: {}, ready: true }],
              handSet: [],
            },
            { id: 'b', live: [], handSet: [] },
          ],
        },
        { ...clusterDefaults, name: 'west', components: [] },
      ],
    });
  });
});
