import type { KubernetesObject } from '@isthmus/machinery';
import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest, written } from '../bundle/testing/bundle-of.ts';
import { definitionForm } from '../live/kept-forms.ts';
import { running, snapshotOf } from '../fleet/testing/snapshot-of.ts';
import type { Plan } from './format/plan.ts';
import type { PlanInput } from './input/plan-input.ts';
import { loadedOf, planOf } from './testing/plan-of.ts';

const workloads = [{ kind: 'Deployment', namespace: 'n', name: 'x' }];
const manifest = { name: 'manifest', kind: 'manifest', uri: 'x.yaml', digest: digest(5) };
const made = (apiVersion: string, kind: string, name: string, rest: object = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'n' },
  ...rest,
});
const deployment = (labels: object, more: object = {}) =>
  made('apps/v1', 'Deployment', 'x', {
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
    ...more,
  });
const crdName = 'things.example.org';

/** A CRD with the versions given, the last one stored in; `modes` is the enum of spec.mode. */
function crd(
  versions: readonly string[],
  stored?: readonly string[],
  modes: readonly string[] = ['a', 'b'],
): KubernetesObject {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { mode: { type: 'string', enum: modes } } } },
    },
  };
  const spec = {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: versions.map((name, at) => ({ name, served: true, storage: at === versions.length - 1, schema })),
  };
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName },
    spec,
  };
  return stored === undefined ? object : ({ ...object, status: { storedVersions: stored } } as KubernetesObject);
}

function planned(
  target: readonly KubernetesObject[],
  live: object,
  more: { readonly component?: object; readonly input?: Partial<PlanInput> } = {},
): Plan {
  const component = written({
    id: 'x',
    version: { upstream: 'v1.1.0' },
    artifacts: [manifest],
    workloads,
    ...more.component,
  });
  const bundle = { ...loadedOf([component]), contents: new Map([[digest(5), target]]) };
  return planOf(
    bundle,
    snapshotOf({
      clusters: [{ name: 'c', components: [running('x', 'v1.0.0'), running('kube-apiserver', 'v1.34.0')], ...live }],
    }),
    more.input,
  );
}
const kinds = ({ spec }: Plan) => spec.steps.map(({ kind }) => kind);
const findings = ({ spec }: Plan, rule: string) => spec.findings.filter((one) => one.rule === rule);

describe('what a plan does with manifests', () => {
  it('CRDs are applied and Established before the Deployment is touched', () => {
    const plan = planned([deployment({ app: 'x' }), crd(['v1']), made('v1', 'ConfigMap', 'x')], {});
    expect(kinds(plan)).toEqual(['apply-definitions', 'apply-shared', 'upgrade', 'record']);
    expect(plan.spec.steps[0]?.gates.map(({ kind }) => kind)).toContain('established');
    expect(plan.spec.steps[2]?.after).toEqual([plan.spec.steps[1]?.id]);
  });

  it('objects stored in a version that the new CRD drops are rewritten before it is applied', () => {
    const plan = planned([crd(['v1beta1'])], { definitions: [crd(['v1alpha1', 'v1beta1'], ['v1alpha1', 'v1beta1'])] });
    expect(kinds(plan).slice(0, 3)).toEqual(['backup', 'migrate-storage', 'apply-definitions']);
    expect(plan.spec.steps[0]?.objects).toEqual([crdName]);
    expect(plan.spec.steps[1]?.gates[0]?.what).toBe(`status.storedVersions of ${crdName} is [v1beta1].`);
  });

  it('texts of a CRD that the snapshot does not keep have not changed; others that change are a note', () => {
    const described = (text: string, own = crd(['v1'])) => {
      const { spec, ...rest } = own as unknown as { spec: { versions: { schema: { openAPIV3Schema: object } }[] } };
      const versions = spec.versions.map((one) => ({
        ...one,
        schema: { openAPIV3Schema: { ...one.schema.openAPIV3Schema, description: text } },
        additionalPrinterColumns: [
          { name: 'A', type: 'string', jsonPath: '.spec.mode', ...(text === '' ? {} : { description: text }) },
        ],
      }));
      return { ...rest, spec: { ...spec, versions } } as unknown as KubernetesObject;
    };
    const kept = definitionForm(described('What a thing is.', crd(['v1'], ['v1'])));
    const notes = (live: object) =>
      findings(planned([described('What a thing is.')], { definitions: [live] }), 'G21').length;
    expect(notes(kept)).toBe(0);
    expect(notes(described('Otherwise.', crd(['v1'], ['v1'])))).toBeGreaterThan(0);
  });

  it('a CRD that drops the current storage version blocks', () => {
    const plan = planned([crd(['v1beta1'])], { definitions: [crd(['v1alpha1'], ['v1alpha1'])] });
    expect(plan.spec.outcome).toBe('blocked');
    expect(findings(plan, 'G06')).toMatchObject([{ severity: 'block' }]);
  });

  it('a custom resource of a manifest that the CRD of that step rejects blocks, and the finding names the component to put first', () => {
    const own = made('example.org/v1', 'Thing', 'one', { spec: { mode: 'new' } });
    const live = { definitions: [crd(['v1'], ['v1'])] };
    const plan = planned([own], live);
    expect(findings(plan, 'plan.custom-resource')).toMatchObject([
      { severity: 'block', subject: { object: 'Thing n/one', path: 'spec.mode' } },
    ]);
    expect(findings(plan, 'plan.custom-resource')[0]?.unblock).toContain(
      `upgrade the component that has ${crdName} first`,
    );
    expect(planned([own, crd(['v1'], undefined, ['a', 'b', 'new'])], live).spec.outcome).toBe('ready');
  });

  it.each([
    ['is no CRD', { spec: 'x' }, 'API servers reject: spec must be an object'],
    ['has the API version that Kubernetes 1.22 removed', { apiVersion: 'apiextensions.k8s.io/v1beta1' }, 'v1beta1'],
  ])('a CRD of a manifest that %s blocks', (_, more, why) => {
    const plan = planned([{ ...crd(['v1']), ...more }], { definitions: [crd(['v1'], ['v1'])] });
    expect(plan.spec.outcome).toBe('blocked');
    expect(findings(plan, 'plan.definition')).toMatchObject([
      { severity: 'block', subject: { cluster: 'c', object: crdName }, why: expect.stringContaining(why) as string },
    ]);
  });

  it('a live CRD that the snapshot does not have whole is reported, because nothing is compared with it', () => {
    const plan = planned([crd(['v1'])], { definitions: [{ ...crd(['v1'], ['v1']), spec: { group: 'example.org' } }] });
    expect(findings(plan, 'plan.definition')).toMatchObject([
      {
        severity: 'warn',
        subject: { cluster: 'c', object: crdName },
        why: expect.stringContaining('not judged') as string,
      },
    ]);
  });

  it.each(['a', 'b'])('a name that another CRD of the group has blocks in that cluster alone: %s', (taken) => {
    const short = (one: KubernetesObject, name: string, plural: string) => {
      const { spec } = one as unknown as { readonly spec: { readonly names: object } };
      const names = { ...spec.names, plural, shortNames: ['th'] };
      return { ...one, metadata: { name }, spec: { ...spec, names } } as KubernetesObject;
    };
    const { spec } = crd(['v1']) as unknown as { readonly spec: object };
    const rival = {
      ...crd(['v1'], ['v1']),
      metadata: { name: 'thieves.example.org' },
      spec: { ...spec, names: { plural: 'thieves', kind: 'Thief', shortNames: ['th'] } },
    };
    const component = written({ id: 'x', version: { upstream: 'v1.1.0' }, artifacts: [manifest], workloads });
    const target = short(crd(['v1']), crdName, 'things');
    const plan = planOf(
      { ...loadedOf([component]), contents: new Map([[digest(5), [target]]]) },
      snapshotOf({
        clusters: ['a', 'b'].map((name) => ({
          name,
          components: [running('x', 'v1.0.0'), running('kube-apiserver', 'v1.34.0')],
          definitions: [crd(['v1'], ['v1']), ...(name === taken ? [rival] : [])],
        })),
      }),
    );
    expect(findings(plan, 'G19').flatMap(({ clusters }) => clusters)).toEqual([taken]);
  });

  it('a stored object that the new CRD refuses blocks, until a person answers for it', () => {
    const objects = [made('example.org/v1', 'Thing', 'one', { spec: { mode: 'b' } })];
    const live = {
      definitions: [crd(['v1'], ['v1'])],
      objects,
      components: [running('x', 'v1.0.0'), running('kube-apiserver', 'v1.28.0')],
    };
    expect(planned([crd(['v1'], undefined, ['a'])], live).spec.outcome).toBe('blocked');
    const waivers = [{ rule: 'F09', crd: crdName, reason: 'rewritten by hand', by: 'ops', until: '2026-12-01' }];
    const waived = planned([crd(['v1'], undefined, ['a'])], live, { input: { waivers } });
    expect(waived.spec).toMatchObject({ outcome: 'ready', waived: [{ rule: 'F09', by: 'ops' }] });
  });

  it('a selector that changes is reported before anything starts, and the Deployment is recreated', () => {
    const plan = planned([deployment({ app: 'new' })], { objects: [deployment({ app: 'old' })] });
    expect(findings(plan, 'plan.immutable')).toMatchObject([
      { severity: 'warn', subject: { object: 'Deployment n/x' } },
    ]);
    expect(plan.spec.steps[0]).toMatchObject({
      kind: 'recreate',
      action: 'recreate-foreground',
      rolling: false,
      effects: [{ to: 'v1.1.0' }],
      interrupts: ['Deployment n/x has no Pods from its deletion until the new ones are ready.'],
    });
    expect(kinds(plan)).not.toContain('upgrade');
  });

  it('a Deployment keeps its Pods while it is recreated where its bundle asks for it, but not where they answer webhooks', () => {
    const component = { workloads: workloads.map((one) => ({ ...one, recreate: 'orphan' })) };
    const live = { objects: [deployment({ app: 'old' })] };
    const plan = planned([deployment({ app: 'new' })], live, { component });
    expect(plan.spec.steps.map(({ kind, action }) => [kind, action])).toEqual([
      ['recreate', 'recreate-orphan'],
      ['record', undefined],
    ]);
    const hook = made('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'h', {
      webhooks: [{ clientConfig: { service: { namespace: 'n', name: 's' } } }],
    });
    const answering = [
      deployment({ app: 'new' }),
      made('v1', 'Service', 's', { spec: { selector: { app: 'new' } } }),
      hook,
    ];
    const recreated = planned(answering, live, { component }).spec.steps.find(({ kind }) => kind === 'recreate');
    expect(recreated?.action).toBe('recreate-foreground');
  });

  it('a Deployment is recreated while its Pods stay where it is named for that', () => {
    const change = [deployment({ app: 'new' })];
    const live = { objects: [deployment({ app: 'old' })] };
    const plan = planned(change, live, { input: { orphans: ['n/x'] } });
    expect(kinds(plan)).toEqual(['recreate', 'record']);
    expect(plan.spec.steps[0]).toMatchObject({ action: 'recreate-orphan', rolling: true, effects: [{ to: 'v1.1.0' }] });
    expect(plan.spec.steps[0]?.gates.at(-1)?.what).toBe(
      'The old ReplicaSet of Deployment n/x is deleted, and its Pods are gone.',
    );
    expect(findings(plan, 'plan.orphan')).toEqual([]);
    expect(planned(change, live, { input: { orphans: ['n/y'] } }).spec.steps[0]?.action).toBe('recreate-foreground');
  });

  it.each([
    ['it answers webhooks', [deployment({ app: 'new' })], 'they serve webhooks: they are deleted first'],
    ['it stays as it is', [deployment({ app: 'old' })], 'it is not recreated'],
  ])('reports where the Pods of a Deployment cannot be kept: %s', (_what, target, why) => {
    const service = made('v1', 'Service', 'hooks', { spec: { selector: { app: 'new' } } });
    const webhooks = made('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'w', {
      webhooks: [{ clientConfig: { service: { namespace: 'n', name: 'hooks' } } }],
    });
    const plan = planned(
      [...target, service, webhooks],
      { objects: [deployment({ app: 'old' })] },
      { input: { orphans: ['n/x'] } },
    );
    expect(plan.spec.steps.map(({ action }) => action)).not.toContain('recreate-orphan');
    expect(findings(plan, 'plan.orphan')).toMatchObject([
      { severity: 'warn', why: expect.stringContaining(why) as string },
    ]);
  });

  it('a RoleBinding with another role is recreated before the shared objects are applied', () => {
    const binding = (name: string) =>
      made('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', { roleRef: { kind: 'Role', name } });
    expect(kinds(planned([deployment({ app: 'x' }), binding('two')], { objects: [binding('one')] }))).toEqual([
      'recreate',
      'apply-shared',
      'upgrade',
      'record',
    ]);
  });

  it('a CRD that hangs in its deletion is reported with the objects that hold it', () => {
    const metadata = {
      name: crdName,
      deletionTimestamp: '2026-11-20T00:00:00Z',
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    };
    const hanging = { ...crd(['v1'], ['v1']), metadata };
    const held = {
      apiVersion: 'example.org/v1',
      kind: 'Thing',
      metadata: { name: 't', namespace: 'n', finalizers: ['example.org/f'] },
    };
    const plan = planned([deployment({ app: 'x' })], { definitions: [hanging], objects: [held] });
    expect(findings(plan, 'removal.stuck')).toMatchObject([
      {
        severity: 'warn',
        subject: { cluster: 'c', object: crdName },
        why: expect.stringContaining('its objects Thing n/t have the finalizers example.org/f') as string,
      },
    ]);
  });

  it('a StatefulSet that would lose its claims blocks', () => {
    const set = (serviceName: string) => made('apps/v1', 'StatefulSet', 'x', { spec: { serviceName } });
    expect(planned([set('b')], { objects: [set('a')] }).spec.outcome).toBe('blocked');
  });

  it('what a component runs beside its Nodes is upgraded first and by itself, and a step for Nodes has only the DaemonSets', () => {
    const target = [made('apps/v1', 'Deployment', 'operator'), made('apps/v1', 'DaemonSet', 'agent')];
    const own = [
      { kind: 'Deployment', namespace: 'n', name: 'operator' },
      { kind: 'DaemonSet', namespace: 'n', name: 'agent' },
    ];
    const at = (more: object) => ({ version: 'v1.0.0', ...more });
    const live = [at({ name: 'operator' }), at({ node: 'n1' }), at({ node: 'n2' })];
    const plan = planned(
      target,
      { components: [{ id: 'x', recorded: { version: 'v1.0.0' }, live }, running('kube-apiserver', 'v1.34.0')] },
      {
        component: { scope: 'node', workloads: own },
        input: { waves: { canary: 1, percent: [100], nodesAtOnce: 2 } },
      },
    );
    const upgrades = plan.spec.steps.filter(({ kind }) => kind === 'upgrade');
    expect(upgrades.map(({ title, nodes, objects }) => [title, nodes, objects])).toEqual([
      ['Upgrade x (operator) in c to v1.1.0', [], ['Deployment n/operator']],
      ['Upgrade x on 2 Nodes in c to v1.1.0', ['n1', 'n2'], ['DaemonSet n/agent']],
    ]);
  });

  it('there is no way back after the migration that drops a version', () => {
    const plan = planned([deployment({ app: 'x' }), crd(['v1beta1'])], {
      definitions: [crd(['v1alpha1', 'v1beta1'], ['v1alpha1', 'v1beta1'])],
    });
    const migration = plan.spec.steps.find(({ kind }) => kind === 'migrate-storage');
    expect(plan.spec.pointOfNoReturn).toEqual({
      step: migration?.id,
      reasons: [`${crdName} is no longer stored in v1alpha1`],
    });
    expect(plan.spec.steps.filter(({ reversible }) => reversible).map(({ kind }) => kind)).toEqual(['backup']);
    const harmless = planned([deployment({ app: 'x' })], {});
    expect(harmless.spec.pointOfNoReturn).toBeUndefined();
    expect(harmless.spec.steps.map(({ reversible }) => reversible)).not.toContain(false);
  });

  it('a component that names what cannot be undone is a point of no return as well', () => {
    const plan = planned([deployment({ app: 'x' })], {}, { component: { irreversible: ['the data is rewritten'] } });
    expect(plan.spec.pointOfNoReturn?.reasons).toEqual(['the data is rewritten']);
  });

  it('fields that a GitOps tool owns are reported with its name, and the tool is paused meanwhile', () => {
    const owned = {
      ...deployment({ app: 'x' }),
      metadata: { name: 'x', namespace: 'n', managedFields: [{ manager: 'kustomize-controller' }] },
    };
    const plan = planned([deployment({ app: 'x' })], { objects: [owned] });
    expect(findings(plan, 'plan.other-owner')[0]?.why).toContain('kustomize-controller owns fields of Deployment n/x');
    expect(kinds(plan)).toEqual(['freeze', 'upgrade', 'record', 'unfreeze']);
    expect(plan.spec.steps[0]).toMatchObject({
      title: 'Pause kustomize-controller in c',
      instructions: expect.stringContaining('kustomize.toolkit.fluxcd.io/reconcile: disabled') as string,
    });
    expect(plan.spec.steps.at(-1)?.title).toBe('Resume kustomize-controller in c');
  });

  it('every step that is done in a cluster has its name in the title', () => {
    const plan = planned([deployment({ app: 'new' }), crd(['v1beta1']), made('v1', 'ConfigMap', 'x')], {
      objects: [deployment({ app: 'old' })],
      definitions: [crd(['v1alpha1', 'v1beta1'], ['v1alpha1', 'v1beta1'])],
    });
    expect(new Set(kinds(plan))).toEqual(
      new Set(['backup', 'migrate-storage', 'apply-definitions', 'apply-shared', 'recreate', 'record']),
    );
    const apart = plan.spec.steps.filter(({ title, cluster = '' }) => !` ${title} `.includes(` ${cluster} `));
    expect(apart.map(({ title }) => title)).toEqual([]);
  });

  it('names what of Flux was suspended before, and resumes nothing of it; a suspended flux-system is resumed for Flux itself', () => {
    const own = 'Kustomization flux-system/flux-system';
    const managed = deployment(
      { app: 'x' },
      { metadata: { name: 'x', namespace: 'n', managedFields: [{ manager: 'kustomize-controller' }] } },
    );
    const facts = { 'flux/suspended': `Kustomization flux-system/apps, ${own}` };
    const texts = (component: object) =>
      planned([deployment({ app: 'x' })], { objects: [managed], facts }, { component }).spec.steps.flatMap(
        ({ kind, instructions = '' }) => (kind.endsWith('freeze') ? [instructions] : []),
      );
    expect(texts({})).toEqual([
      expect.stringContaining(`Suspended already when the snapshot was taken: Kustomization flux-system/apps, ${own}.`),
      `Resume kustomize-controller, except Kustomization flux-system/apps, ${own}, unless an earlier plan of this upgrade suspended it.`,
    ]);
    const [before = '', after = ''] = texts({ method: 'flux' });
    expect(before).toContain(`${own} is suspended: resume it, otherwise Flux does not upgrade itself.`);
    expect(after).toContain(`Allow pushes again. Suspend ${own} again.`);
  });

  it('reports what was not available, and plans with the manifest unread', () => {
    const component = written({ id: 'x', version: { upstream: 'v1.1.0' }, artifacts: [manifest] });
    const plan = planOf(
      loadedOf([component]),
      snapshotOf({ clusters: [{ name: 'c', components: [running('x', 'v1.0.0')] }] }),
    );
    expect(plan.spec.notExamined).toEqual([
      'x v1.1.0: manifest (x.yaml) was not available; its CRDs, immutable fields and custom resources were not checked',
    ]);
    expect(kinds(plan)).toEqual(['apply-definitions', 'apply-shared', 'upgrade', 'record']);
  });

  it('a manifest without a digest has the steps for CRDs and shared objects once in each cluster, as one that was not available', () => {
    const { digest: _, ...undigested } = manifest;
    const parts = ['x', 'y'].map((id) =>
      written({ id, unit: 'u', version: { upstream: 'v1.1.0' }, artifacts: [undigested] }),
    );
    const clusters = ['a', 'b'].map((name) => ({
      name,
      components: [running('x', 'v1.0.0'), running('y', 'v1.0.0')],
    }));
    const { spec } = planOf(loadedOf(parts), snapshotOf({ clusters }));
    expect(spec.steps.map(({ kind, cluster = '' }) => `${kind} ${cluster}`)).toEqual([
      ...['a', 'b'].flatMap((name) =>
        ['apply-definitions', 'apply-shared', 'upgrade', 'upgrade'].map((kind) => `${kind} ${name}`),
      ),
      'record a',
      'record b',
    ]);
    expect(spec.steps[0]?.artifacts).toEqual(['x.yaml (no digest)']);
    expect(spec.notExamined[0]).toBe(
      'x v1.1.0: manifest (x.yaml) has no digest in the bundle, so it was not read; its CRDs, immutable fields and custom resources were not checked',
    );
  });

  it('bears live objects and definitions of any shape', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const any = fc.record({
      finalizers: json,
      deletionTimestamp: json,
      managedFields: json,
      spec: json,
      status: json,
      roleRef: json,
    });
    fc.assert(
      fc.property(any, any, (live, definition) => {
        const { finalizers, deletionTimestamp, managedFields, ...rest } = live;
        const metadata = { name: 'x', namespace: 'n', finalizers, deletionTimestamp, managedFields };
        const objects = ['Deployment', 'StatefulSet'].map((kind) => ({
          apiVersion: 'apps/v1',
          kind,
          metadata,
          ...rest,
        }));
        const odd = { ...crd(['v1']), spec: definition.spec, status: definition.status };
        const definitions = [{ ...odd, metadata: { ...metadata, name: crdName } }];
        const set = made('apps/v1', 'StatefulSet', 'x', { spec: { serviceName: 'x' } });
        planned([deployment({ app: 'x' }), set, crd(['v1'])], { objects, definitions });
      }),
      { numRuns: sweepRuns(60, { oneIn: 8 }), seed: 5 },
    );
  });
});
