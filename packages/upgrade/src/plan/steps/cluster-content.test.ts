import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { componentOf, digest } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { PlanInput } from '../input/plan-input.ts';
import type { Move } from '../order/move.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import { ClusterContents, gitOpsManagers, identity, readObjects } from './cluster-content.ts';
import type { ClusterVerdict } from './cluster-content.ts';
import type { Content } from './content.ts';

const things = 'things.example.org';
const text = { type: 'string' };

/** A CRD of Thing in these versions, stored in the last one; `fields` of its spec. */
function crd(versions: readonly string[], fields: object = { mode: text }, more: object = {}): KubernetesObject {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: things },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: versions.map((name, at) => ({ name, served: true, storage: at === versions.length - 1, schema })),
    },
    ...more,
  } as KubernetesObject;
}
const stored = (...storedVersions: readonly string[]) => ({ status: { storedVersions } });
const made = (apiVersion: string, kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'n' },
  ...more,
});
const thing = (spec: object, name = 'one') => made('example.org/v1', 'Thing', name, { spec });

function contentOf(objects: readonly KubernetesObject[], more: Partial<Content> = {}): Content {
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const own = objects.filter(({ kind }) => kind === 'Deployment');
  const shared = objects.filter((one) => !definitions.includes(one) && !own.includes(one));
  return {
    definitions,
    own,
    shared,
    all: objects,
    servesWebhooks: false,
    missing: [],
    artifacts: [],
    keys: ['k'],
    ...more,
  };
}

interface Setting {
  readonly live?: object;
  readonly component?: object;
  readonly input?: Partial<PlanInput>;
}

/** The judge of a plan, and its moves of x in the clusters a and b, and outside of them. */
function setting({ live = {}, component = {}, input = {} }: Setting = {}) {
  const clusters = ['a', 'b'].map((name) => ({
    name,
    components: [running('x', 'v1.0.0'), running('kube-apiserver', 'v1.34.0')],
    ...live,
  }));
  const snapshot = snapshotOf({ clusters });
  const contents = new ClusterContents(inputOf(loadedOf([]), snapshot, input));
  const moveIn = (cluster: Move['cluster']) =>
    ({ cluster, component: componentOf({ id: 'x', version: { upstream: 'v1.1.0' }, ...component }) }) as Move;
  const [a, b] = snapshot.spec.clusters;
  return { contents, a: moveIn(a), b: moveIn(b), outside: moveIn(undefined) };
}
function judged(
  objects: readonly KubernetesObject[],
  given: Setting = {},
  more: Partial<Content> = {},
): ClusterVerdict {
  const { contents, a } = setting(given);
  return contents.judge(a, contentOf(objects, more));
}
const said = ({ findings }: Pick<ClusterVerdict, 'findings'>) =>
  findings.map(({ rule, severity, subject }) => `${rule} ${severity} ${subject.object ?? ''}`.trim());

describe('the content of moves', () => {
  it('is not judged outside of clusters', () => {
    const { contents, outside } = setting();
    expect(contents.judge(outside, contentOf([crd(['v1'])]))).toEqual({
      isFirst: false,
      migrations: [],
      immutable: [],
      findings: [],
      notExamined: [],
      waived: [],
    });
  });

  it.each<readonly [string, 'a' | 'b', readonly string[], boolean]>([
    ['the same manifest in the same cluster', 'a', ['k'], false],
    ['the same manifest in another cluster', 'b', ['k'], true],
    ['another manifest', 'a', ['l'], true],
    ['the same manifest and another', 'a', ['k', 'l'], true],
    ['no manifest', 'a', [], false],
  ])('comes first once: then %s', (_, place, keys, isFirst) => {
    const one = setting();
    expect(one.contents.judge(one.a, contentOf([])).isFirst).toBe(true);
    expect(one.contents.judge(one[place], contentOf([], { keys })).isFirst).toBe(isFirst);
  });

  it('reports what was not examined, the first time', () => {
    const one = setting();
    const missing = [
      { name: 'm', kind: 'manifest', uri: 'm.yaml', digest: digest(1) },
      { name: 'c', kind: 'crdset', uri: 'c.yaml' },
    ] as const;
    const rest = 'its CRDs, immutable fields and custom resources were not checked';
    expect(one.contents.judge(one.a, contentOf([], { missing })).notExamined).toEqual([
      `x v1.1.0: m (m.yaml) was not available; ${rest}`,
      `x v1.1.0: c (c.yaml) has no digest in the bundle, so it was not read; ${rest}`,
    ]);
    expect(one.contents.judge(one.a, contentOf([], { missing })).notExamined).toEqual([]);
  });
});

describe('the CRDs of a move', () => {
  it.each<readonly [string, readonly KubernetesObject[], object, readonly string[]]>([
    ['that are new', [crd(['v1'])], {}, []],
    ['as they are live', [crd(['v1'])], { definitions: [crd(['v1'], undefined, stored('v1'))] }, []],
    [
      'that lose a field',
      [crd(['v1'], {})],
      { definitions: [crd(['v1'], undefined, stored('v1'))] },
      [`F01 block ${things}`],
    ],
    [
      'that lose a version in which objects are stored, and can be rewritten first',
      [crd(['v2'])],
      { definitions: [crd(['v1', 'v2'], undefined, stored('v1', 'v2'))] },
      [`G05 info ${things}`, `G07 warn ${things}`],
    ],
    ['that are no CRDs', [{ ...crd(['v1']), spec: 'x' } as KubernetesObject], {}, [`plan.definition block ${things}`]],
    [
      'whose live form the snapshot does not have whole',
      [crd(['v1'])],
      { definitions: [{ ...crd(['v1']), spec: { group: 'example.org' } }] },
      [`plan.definition warn ${things}`],
    ],
    [
      'beside others that the snapshot does not have whole',
      [crd(['v1'])],
      { definitions: [{ ...crd(['v1']), metadata: { name: 'other.example.org' }, spec: {} }] },
      [],
    ],
  ])('%s', (_, objects, live, expected) => {
    expect(said(judged(objects, { live }))).toEqual(expected);
  });

  it.each<readonly [string | undefined, string]>([
    ['v1.21.9', 'warn'],
    ['v1.22.0', 'block'],
    [undefined, 'block'],
    ['v2.0.0', 'block'],
  ])('of the former API version, for Kubernetes %s: %s', (version, severity) => {
    const components = version === undefined ? [] : [running('kube-apiserver', version)];
    const { findings } = judged([{ ...crd(['v1']), apiVersion: 'apiextensions.k8s.io/v1beta1' }], {
      live: { components },
    });
    expect(findings).toMatchObject([
      {
        severity,
        why: 'the manifest of x has a CRD of apiextensions.k8s.io/v1beta1, which Kubernetes removed in 1.22; it is not checked',
        unblock: 'use a release with CRDs of apiextensions.k8s.io/v1',
      },
    ]);
  });

  it('are live for the next move of the cluster, and not for those of others', () => {
    const one = setting({ live: { definitions: [crd(['v1'], undefined, stored('v1'))] } });
    const [lost, back] = [contentOf([crd(['v1'], {})]), contentOf([crd(['v1'])], { keys: ['l'] })];
    expect(said(one.contents.judge(one.a, lost))).toEqual([`F01 block ${things}`]);
    expect(said(one.contents.judge(one.a, back))).toEqual([`F37 info ${things}`]);
    expect(said(one.contents.judge(one.b, back))).toEqual([]);
  });

  it('are stored in one version once a plan has rewritten the objects', () => {
    const one = setting({ live: { definitions: [crd(['v1', 'v2'], undefined, stored('v1', 'v2'))] } });
    const first = one.contents.judge(one.a, contentOf([crd(['v2'])]));
    expect(first.migrations).toMatchObject([{ crd: things, from: ['v1'], to: 'v2', when: 'before-crd' }]);
    expect(one.contents.judge(one.a, contentOf([crd(['v2'])], { keys: ['l'] })).migrations).toEqual([]);
  });

  it.each<readonly [string, readonly (readonly string[])[], readonly string[] | undefined]>([
    ['is stored in its storage version', [['v1'], ['v1', 'v2']], ['v1']],
    ['is stored in the new version alone once that was rewritten', [['v1'], ['v1', 'v2'], ['v2', 'v3']], ['v2']],
    ['is stored as before where its storage version stays', [['v1'], ['v0', 'v1'], ['v1', 'v2']], ['v1']],
    ['is stored as before where nothing was applied', [['v1'], ['v1']], undefined],
  ])('that was applied %s', (_, applied, from) => {
    const one = setting();
    const verdicts = applied.map((versions, at) =>
      one.contents.judge(one.a, contentOf([crd(versions)], { keys: [`k${at}`] })),
    );
    expect(verdicts.at(-1)?.migrations[0]?.from).toEqual(from);
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['has none', {}, []],
    ['has the same', { description: 'The mode.' }, []],
    ['has others', { description: 'Otherwise.' }, [`G21 info ${things}`]],
  ])('have texts: the live one %s', (_, description, expected) => {
    const live = crd(['v1'], { mode: { ...text, ...description } }, stored('v1'));
    const next = crd(['v1'], { mode: { ...text, description: 'The mode.' } });
    expect(said(judged([next], { live: { definitions: [live] } }))).toEqual(expected);
  });

  const enumOf = (...values: readonly string[]) => ({ mode: { type: 'string', enum: values } });
  it.each<readonly [string, readonly KubernetesObject[], readonly string[]]>([
    ['that the new one accepts', [thing({ mode: 'a' })], []],
    ['that the new one rejects', [thing({ mode: 'b' })], [`F09 block ${things}`]],
    ['of another group', [made('example.com/v1', 'Thing', 'one', { spec: { mode: 'a' } })], [`F09 block ${things}`]],
  ])('are compared with the objects %s', (_, objects, expected) => {
    const live = {
      definitions: [crd(['v1'], enumOf('a', 'b'), stored('v1'))],
      objects,
      components: [running('kube-apiserver', 'v1.28.0')],
    };
    const found = said(judged([crd(['v1'], enumOf('a'))], { live })).filter((one) => one.includes('block'));
    expect(found).toEqual(expected);
  });

  it('pass where a person answers for them', () => {
    const waivers = [{ rule: 'F01', crd: things, reason: 'unused', by: 'ops', until: '2026-12-01' }];
    const live = { definitions: [crd(['v1'], undefined, stored('v1'))] };
    const verdict = judged([crd(['v1'], {})], { live, input: { waivers } });
    expect(said(verdict)).toEqual([]);
    expect(verdict.waived.map(({ rule }) => rule)).toEqual(['F01']);
  });

  const short = (name: string, group = 'example.org') => ({
    ...crd(['v1'], undefined, stored('v1')),
    metadata: { name: `${name}.${group}` },
    spec: {
      ...(crd(['v1']) as unknown as { readonly spec: object }).spec,
      group,
      names: { plural: name, kind: 'Thing' },
    },
  });
  it.each<readonly [string, object, readonly string[]]>([
    ['of its group', short('thieves'), [`G19 block ${things}`]],
    ['of another group', short('thieves', 'example.com'), []],
  ])(
    'are judged beside the CRDs of the cluster, also where another cluster was judged before: one %s',
    (_, rival, expected) => {
      const one = setting();
      const taken = snapshotOf({
        clusters: [{ name: 'c', components: [running('kube-apiserver', 'v1.34.0')], definitions: [rival] }],
      }).spec.clusters[0];
      expect(said(one.contents.judge(one.a, contentOf([crd(['v1'])])))).toEqual([]);
      expect(said(one.contents.judge({ ...one.a, cluster: taken }, contentOf([crd(['v1'])])))).toEqual(expected);
    },
  );
});

describe('the custom resources of a manifest', () => {
  const live = { definitions: [crd(['v1'], { mode: { type: 'string', enum: ['a'] } }, stored('v1'))] };

  it.each<readonly [string, KubernetesObject, readonly string[]]>([
    ['that the live CRD accepts', thing({ mode: 'a' }), []],
    ['that it rejects', thing({ mode: 'b' }), ['plan.custom-resource block Thing n/one']],
    ['of another kind', made('example.org/v1', 'Other', 'one', { spec: { mode: 'b' } }), []],
    ['of another group', made('example.com/v1', 'Thing', 'one', { spec: { mode: 'b' } }), []],
    ['of no group', made('example.org', 'Thing', 'one', { spec: { mode: 'b' } }), []],
  ])('%s', (_, object, expected) => {
    expect(said(judged([object], { live }))).toEqual(expected);
  });

  it('that it rejects: the finding names what to upgrade first', () => {
    const [found] = judged([thing({ mode: 'b' })], { live }).findings;
    expect(found).toMatchObject({
      subject: { cluster: 'a', component: 'x', path: 'spec.mode' },
      unblock: `upgrade the component that has ${things} first, and let x require it in the bundle`,
    });
    expect(found?.why).toMatch(
      /^the manifest of x has Thing n\/one, which the CRD that is live at that step rejects: /,
    );
  });
});

describe('fields that cannot change', () => {
  const deployment = (app: string, more: object = {}) =>
    made('apps/v1', 'Deployment', 'x', {
      spec: { selector: { matchLabels: { app } }, template: { metadata: { labels: { app } } } },
      ...more,
    });
  const binding = (name: string) =>
    made('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', { roleRef: { kind: 'Role', name } });
  const changed = { live: { objects: [deployment('old'), binding('old')] } };
  const actions = ({ immutable }: ClusterVerdict) => immutable.map(({ kind, action }) => `${kind} ${action}`);

  it.each<readonly [string, readonly KubernetesObject[], Setting, readonly string[]]>([
    ['of objects as they are', [deployment('old'), binding('old')], changed, []],
    ['of objects that are not there', [deployment('new')], { live: { objects: [made('v1', 'Pod', 'x')] } }, []],
    ['of a cluster without objects', [deployment('new')], {}, []],
    [
      'of workloads and of shared objects',
      [deployment('new'), binding('new')],
      changed,
      ['Deployment recreate-foreground', 'RoleBinding recreate-foreground'],
    ],
    [
      'of a Deployment that is named',
      [deployment('new')],
      { ...changed, input: { orphans: ['n/x'] } },
      ['Deployment recreate-orphan'],
    ],
    [
      'of a Deployment beside one that is named',
      [deployment('new')],
      { ...changed, input: { orphans: ['n/y'] } },
      ['Deployment recreate-foreground'],
    ],
    ...(
      [
        ['its bundle keeps the Pods', {}, 'orphan'],
        ['its bundle deletes the Pods', { recreate: 'foreground' }, 'foreground'],
        ['its bundle keeps those of another name', { name: 'y' }, 'foreground'],
        ['its bundle keeps those of another Namespace', { namespace: 'm' }, 'foreground'],
        ['its bundle keeps those of another kind', { kind: 'DaemonSet' }, 'foreground'],
      ] as const
    ).map(
      ([what, more, action]) =>
        [
          `of a Deployment: ${what}`,
          [deployment('new')],
          {
            ...changed,
            component: {
              workloads: [{ kind: 'Deployment', namespace: 'n', name: 'x', recreate: 'orphan', ...more }],
            },
          },
          [`Deployment recreate-${action}`],
        ] as const,
    ),
  ])('%s', (_, objects, given, expected) => {
    expect(actions(judged(objects, given))).toEqual(expected);
  });

  it('of shared objects are changed by the first part of a unit alone', () => {
    const one = setting(changed);
    const content = contentOf([deployment('new'), binding('new')]);
    one.contents.judge(one.a, content);
    expect(actions(one.contents.judge(one.a, content))).toEqual(['Deployment recreate-foreground']);
  });

  it.each<readonly [string, KubernetesObject, KubernetesObject, object]>([
    [
      'that lead to a new object',
      deployment('old'),
      deployment('new'),
      {
        severity: 'warn',
        subject: { cluster: 'a', component: 'x', object: 'Deployment n/x' },
        why: expect.stringContaining(
          '; spec.selector is {"matchLabels":{"app":"old"}} and would be {"matchLabels":{"app":"new"}}',
        ) as string,
        unblock: 'the plan deletes Deployment n/x and creates it again (recreate-foreground)',
      },
    ],
    [
      'that hold data',
      made('apps/v1', 'StatefulSet', 'x', { spec: {} }),
      made('apps/v1', 'StatefulSet', 'x', { spec: { serviceName: 'b' } }),
      {
        severity: 'block',
        why: expect.stringContaining('; spec.serviceName is absent and would be "b"') as string,
        unblock: 'decide what to do with its data; delete the object, or keep the field unchanged',
      },
    ],
    [
      'of a Secret, whose values are not shown',
      made('v1', 'Secret', 's', { immutable: true, data: { a: 'b2xk' } }),
      made('v1', 'Secret', 's', { immutable: true, data: { a: 'bmV3' } }),
      { severity: 'warn', why: expect.stringMatching(/; data$/) as string },
    ],
    [
      'of an object of no Namespace',
      {
        ...made('storage.k8s.io/v1', 'StorageClass', 's'),
        metadata: { name: 's' },
        provisioner: 'a',
      } as KubernetesObject,
      {
        ...made('storage.k8s.io/v1', 'StorageClass', 's'),
        metadata: { name: 's' },
        provisioner: 'b',
      } as KubernetesObject,
      { severity: 'warn', subject: { cluster: 'a', component: 'x', object: 'StorageClass s' } },
    ],
  ])('are reported: those %s', (_, live, target, expected) => {
    const verdict = judged([target], { live: { objects: [live] } });
    expect(verdict.findings).toMatchObject([{ rule: 'plan.immutable', ...expected }]);
    // What a person has to decide is no step of the plan.
    expect(verdict.immutable).toHaveLength(verdict.findings[0]?.severity === 'block' ? 0 : 1);
  });
});

describe('tools that own fields', () => {
  const managed = (name: string, ...managers: readonly string[]) => ({
    ...made('v1', 'ConfigMap', name),
    metadata: { name, namespace: 'n', managedFields: managers.map((manager) => ({ manager })) },
  });
  const target = ['a', 'b'].map((name) => made('v1', 'ConfigMap', name));

  it('are reported by name, with the objects that the plan changes', () => {
    const objects = [managed('b', 'flux', 'argocd-controller'), managed('a', 'flux'), managed('c', 'helm-controller')];
    expect(
      judged(target, { live: { objects } }).findings.map(({ rule, severity, why }) => [rule, severity, why]),
    ).toEqual([
      ['plan.other-owner', 'warn', 'argocd-controller owns fields of ConfigMap n/b, which the plan changes'],
      ['plan.other-owner', 'warn', 'flux owns fields of ConfigMap n/a, ConfigMap n/b, which the plan changes'],
    ]);
  });

  it.each<readonly [unknown, readonly string[]]>([
    [undefined, []],
    ['odd', []],
    [[null, 'odd', {}, { manager: 5 }, { manager: 'kubectl' }, { manager: 'my-flux' }], []],
    [
      [{ manager: 'kustomize-controller' }, { manager: 'helm-controller' }],
      ['helm-controller', 'kustomize-controller'],
    ],
    [
      [{ manager: 'argocd' }, { manager: 'argocd' }, { manager: 'fluxcd' }],
      ['argocd', 'fluxcd'],
    ],
  ])('of the managed fields %j are %j', (managedFields, expected) => {
    const object = { kind: 'ConfigMap', metadata: { name: 'x', managedFields } } as unknown as KubernetesObject;
    expect(gitOpsManagers(object)).toEqual(expected);
  });
});

it('CRDs that hang in their deletion are reported; objects that hang are theirs', () => {
  const hanging = (one: KubernetesObject) => ({
    ...one,
    metadata: { ...one.metadata, deletionTimestamp: '2026-11-20T00:00:00Z', finalizers: ['example.org/f'] },
  });
  const live = { definitions: [hanging(crd(['v1']))], objects: [hanging(thing({})), hanging(made('v1', 'Pod', 'p'))] };
  expect(said(judged([], { live }))).toEqual([`removal.stuck warn ${things}`]);
});

it.each<readonly [unknown, boolean]>([
  [{ metadata: { name: 'x' } }, true],
  [{ metadata: { name: 5 } }, false],
  [{ metadata: null }, false],
  [{ metadata: 'x' }, false],
  [{}, false],
  [null, false],
  ['x', false],
])('%j has the shape of an object: %s', (value, expected) => {
  expect(readObjects([value])).toEqual(expected ? [value] : []);
});

it.each<readonly [KubernetesObject, string]>([
  [made('v1', 'Pod', 'p'), '["","Pod","n","p"]'],
  [made('apps/v1', 'Deployment', 'd'), '["apps","Deployment","n","d"]'],
  [made('apps/v2', 'Deployment', 'd'), '["apps","Deployment","n","d"]'],
  [{ metadata: { name: 'x' } }, '["","","","x"]'],
])('%j is identified by %s: its version does not count', (object, expected) => {
  expect(identity(object)).toBe(expected);
});
