import { describe, expect, it } from 'vitest';
import { componentOf, digest, written } from '../../bundle/testing/bundle-of.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import type { PlanInput } from './plan-input.ts';
import { isKubernetes, kubernetesOf, leftAlone, plannerContext, targetsOf } from './planner-context.ts';

function clusterOf(fields: object = {}): ClusterSnapshot {
  const [cluster] = snapshotOf({ clusters: [{ name: 'c', ...fields }] }).spec.clusters;
  if (cluster === undefined) throw new Error('no cluster');
  return cluster;
}
const contextOf = (
  components: readonly object[],
  more: object = {},
  input: Partial<PlanInput> = {},
  fleet: object = {},
) => plannerContext(inputOf(loadedOf(components, more), snapshotOf(fleet), input));
const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });

describe('what the planner looks up', () => {
  const image = { name: 'image', kind: 'image', uri: 'registry.example/x', digest: digest(1) };
  const other = loadedOf([at('x', 'v1.0.0'), at('x2', 'v1.0.0')], { number: 5 });
  const { digest: _, ...undigested } = image;

  it('a component at its known versions, and the bundle that has it', () => {
    const bundle = loadedOf([at('x', 'v1.1.0')]);
    const context = plannerContext(inputOf(bundle, snapshotOf({}), { otherBundles: [other] }));
    expect(context.knownVersions('x').map(({ text }) => text)).toEqual(['v1.1.0', 'v1.0.0']);
    expect(context.knownVersions('z')).toEqual([]);
    expect(context.atVersion('x', 'v1.0.0')?.bundle).toBe(other);
    expect(context.atVersion('x', 'v1.1.0')?.bundle).toBe(bundle);
    expect(context.atVersion('x', 'v1.2.0')).toBeUndefined();
    expect(context.inBundle(other, 'x2')?.id).toBe('x2');
    expect(context.inBundle(other, 'z')).toBeUndefined();
  });

  it('no version of which the content is not named', () => {
    const context = contextOf([at('x', 'v1.1.0', { artifacts: [undigested] })], {}, { otherBundles: [other] });
    expect(context.knownVersions('x').map(({ text }) => text)).toEqual(['v1.0.0']);
    expect(context.inBundle(context.input.bundle, 'x')).toBeUndefined();
  });

  it.each<readonly [string, readonly number[], number]>([
    ['of the bundle itself, which has it as well', [5], 7],
    ['of others, whatever their order', [6, 5], 5],
    ['of others, whatever their order', [5, 6], 5],
  ])('one version once: that %s: %j', (_text, numbers, expected) => {
    const bundles = numbers.map((number) => loadedOf([at('x', 'v1.0.0')], { number }));
    const [least] = bundles.toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
    const own = expected === 7 ? [at('x', 'v1.0.0')] : [at('x', 'v1.1.0')];
    const context = contextOf(own, {}, { otherBundles: bundles });
    expect(context.atVersion('x', 'v1.0.0')?.bundle).toBe(expected === 7 ? context.input.bundle : least);
  });

  it('clusters by their names', () => {
    const clusters = ['b', 'c', 'a'].map((name) => ({ name }));
    expect(contextOf([], {}, {}, { clusters }).clusters.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('the Kubernetes that a version supports', () => {
    const kubernetes = { min: '1.30', max: '1.32' };
    const { supportOf } = contextOf([at('x', 'v1.1.0', { supports: { kubernetes } })]);
    const instance = (component: string, text: string) =>
      ({ component, type: component, version: { text } }) as Parameters<typeof supportOf>[0];
    expect(supportOf(instance('x', 'v1.1.0'))).toEqual(kubernetes);
    expect(supportOf(instance('x', 'v1.0.0'))).toBeUndefined();
    expect(supportOf(instance('y', 'v1.1.0'))).toBeUndefined();
  });
});

describe('the family of a cluster', () => {
  it.each<readonly [string, readonly object[], readonly (readonly string[])[]]>([
    ['is itself', [{ name: 'a' }, { name: 'b' }], [['a'], ['b']]],
    [
      'is its ClusterSet',
      [
        { name: 'a', clusterSet: 's' },
        { name: 'b', clusterSet: 's' },
        { name: 'c', clusterSet: 't' },
      ],
      [['a', 'b'], ['c']],
    ],
    [
      'is that of the cluster that manages it',
      [{ name: 'a' }, { name: 'b', managedBy: 'a' }, { name: 'c', managedBy: 'b' }, { name: 'd' }],
      [['a', 'b', 'c'], ['d']],
    ],
    [
      'is both together',
      [
        { name: 'a', managedBy: 'm' },
        { name: 'm' },
        { name: 'b', clusterSet: 's' },
        { name: 'a2', managedBy: 'm', clusterSet: 's' },
      ],
      [['a', 'a2', 'b', 'm']],
    ],
    ['is no ClusterSet of the name of a cluster', [{ name: 'a', clusterSet: 'b' }, { name: 'b' }], [['a'], ['b']]],
  ])('%s', (_, clusters, expected) => {
    const { familyOf, clusters: sorted } = contextOf([], {}, {}, { clusters });
    const families = Map.groupBy(
      sorted.map(({ name }) => name),
      familyOf,
    );
    expect([...families.values()]).toEqual(expected);
  });
});

describe('a cluster that is left alone', () => {
  it.each<readonly [object, ReadonlyMap<string, string> | undefined, string | undefined]>([
    [{}, undefined, undefined],
    [{}, new Map([['d', 'later']]), undefined],
    [{}, new Map([['c', 'later']]), 'later'],
    [{ paused: true }, undefined, 'its reconciliation is paused'],
    [{ paused: true, reachable: false }, new Map([['c', 'later']]), 'later'],
    [{ paused: true, reachable: false }, undefined, 'its reconciliation is paused'],
    [{ reachable: false }, undefined, 'its API server did not answer'],
    [{ reachable: false, notRead: 'forbidden' }, undefined, 'it could not be read: forbidden'],
  ])('%j, excluded %j: %s', (fields, leftOut, why) => {
    expect(leftAlone(clusterOf(fields), { leftOut })).toBe(why);
  });
});

describe('the Kubernetes of a cluster', () => {
  const servers = (...versions: readonly string[]) => ({
    id: 'kube-apiserver',
    live: versions.map((version, index) => ({ version, name: `a${index}` })),
  });

  it.each<readonly [string, readonly object[], string | undefined]>([
    ['is that of its API server', [running('kube-apiserver', 'v1.31.4')], '1.31'],
    ['is the oldest of its API servers', [servers('v1.31.4', 'v1.9.9', 'v1.30.0')], '1.9'],
    ['is that of a component of this type', [{ ...running('api', 'v1.31.4'), type: 'kube-apiserver' }], '1.31'],
    [
      'is not that of a component of another type',
      [{ ...running('kube-apiserver', 'v1.31.4'), type: 'proxy' }],
      undefined,
    ],
    ['is not a version that is none', [servers('main', 'v1.31.4')], '1.31'],
    ['is not known', [running('kubelet', 'v1.31.4')], undefined],
  ])('%s', (_, components, minor) => {
    expect(kubernetesOf(clusterOf({ components }))).toBe(minor);
  });
});

describe('the components that the bundle has for a cluster', () => {
  const server = running('kube-apiserver', 'v1.31.0');
  const kubelet = (upstream: string) => at('kubelet', upstream, { method: 'kubernetes' });
  const targets = (components: readonly object[], fields: object, more: object = {}, input: Partial<PlanInput> = {}) =>
    targetsOf(clusterOf(fields), contextOf(components, more, input));

  it.each<readonly [string, object, object, boolean]>([
    ['of every cluster', {}, {}, true],
    ['of its role', { roles: ['leader', 'member'] }, { roles: ['member'] }, true],
    ['of another role', { roles: ['leader'] }, { roles: ['member'] }, false],
    ['that people run', { scope: 'client' }, {}, false],
    ['that are optional and not installed', { optional: true }, {}, false],
    ['that are optional and installed', { optional: true }, { components: [running('x', 'v1.0.0')] }, true],
    ['that are switched off', { version: { upstream: 'deprecated' } }, {}, false],
  ])('%s', (_, component, fields, expected) => {
    const { components, problem } = targets([written({ id: 'x', ...component })], fields);
    expect([components.map(({ id }) => id), problem]).toEqual([expected ? ['x'] : [], undefined]);
  });

  it.each<readonly [string, readonly object[], object, Partial<PlanInput>, readonly string[]]>([
    [
      'of its minor, which it runs',
      [kubelet('v1.31.4')],
      { components: [server, running('kubelet', 'v1.31.0')] },
      {},
      ['v1.31.4'],
    ],
    ['of its minor, which it does not run', [kubelet('v1.31.4')], { components: [server] }, {}, []],
    ['of another minor', [kubelet('v1.32.0')], { components: [server, running('kubelet', 'v1.31.0')] }, {}, []],
    [
      'of the minor that the plan goes to',
      [kubelet('v1.32.0')],
      { components: [server, running('kubelet', 'v1.31.0')] },
      { kubernetes: '1.32' },
      ['v1.32.0'],
    ],
    [
      'of a minor that is not known',
      [kubelet('v1.32.0')],
      { components: [running('kubelet', 'v1.31.0')] },
      {},
      ['v1.32.0'],
    ],
  ])('of Kubernetes: %s', (_, components, fields, input, expected) => {
    const found = targets(components, fields, {}, input).components;
    expect(found.map(({ version }) => version.upstream)).toEqual(expected);
  });

  it.each<readonly [string, Partial<PlanInput>, readonly string[], string | undefined]>([
    ['its own', {}, ['v1.1.0'], undefined],
    ['the one that the plan goes to', { kubernetes: '1.32' }, ['v1.2.0'], undefined],
    [
      'one that the bundle does not have',
      { kubernetes: '1.33' },
      [],
      'Kubernetes 1.33 is not in the bundle bundle-7 (number 7); it has 1.31, 1.32',
    ],
  ])('for a Kubernetes: %s', (_, input, expected, problem) => {
    const perKubernetes = {
      '1.31': { components: [at('x', 'v1.1.0')] },
      '1.32': { components: [at('x', 'v1.2.0')] },
    };
    const result = targets([], { components: [server] }, { perKubernetes }, input);
    expect([result.components.map(({ version }) => version.upstream), result.problem]).toEqual([expected, problem]);
  });

  it.each<readonly [object, boolean]>([
    [{ id: 'kubelet', method: 'kubernetes' }, true],
    [{ id: 'kube-apiserver', method: 'manual' }, true],
    [{ id: 'api', type: 'kube-apiserver' }, true],
    [{ id: 'kubelet' }, false],
  ])('%j is a part of Kubernetes: %s', (component, expected) => {
    expect(isKubernetes(componentOf(component as { readonly id: string }))).toBe(expected);
  });
});
