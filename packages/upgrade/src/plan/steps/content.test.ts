import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { Component } from '../../bundle/component.ts';
import { componentOf, digest } from '../../bundle/testing/bundle-of.ts';
import { loadedOf } from '../testing/plan-of.ts';
import { artifactText, contentReader, otherImages } from './content.ts';

const made = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'n' },
  ...more,
});
const manifest = (digit: number, more: object = {}) => ({
  name: 'manifest',
  kind: 'manifest',
  uri: `m${digit}.yaml`,
  digest: digest(digit),
  ...more,
});
const part = (id: string, artifacts: readonly object[], workload = id): Component =>
  componentOf({
    id,
    unit: 'u',
    artifacts,
    workloads: [{ kind: 'Deployment', namespace: 'n', name: workload }],
  });
const has = (contents: Readonly<Record<string, readonly KubernetesObject[]>>) => ({
  ...loadedOf([]),
  contents: new Map(Object.entries(contents)),
});
const names = (objects: readonly KubernetesObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('the content of a component', () => {
  const all = [
    made('CustomResourceDefinition', 'things'),
    made('Deployment', 'x'),
    made('Deployment', 'y'),
    made('Deployment', 'z'),
    made('ConfigMap', 'x'),
  ];
  const x = part('x', [manifest(5)]);
  const y = part('y', []);
  const read = contentReader([has({ [digest(5)]: all })], (one) => (one === x ? [y] : [x]));

  it('is its manifest, split by its workloads and those of its unit', () => {
    const { definitions, shared, own, ...rest } = read(x);
    expect([definitions, shared, own].map(names)).toEqual([
      ['CustomResourceDefinition things'],
      ['Deployment z', 'ConfigMap x'],
      ['Deployment x'],
    ]);
    expect(rest).toEqual({
      all,
      servesWebhooks: false,
      missing: [],
      artifacts: [`m5.yaml@${digest(5)}`],
      keys: [digest(5)],
    });
  });

  it('is the manifest of its unit where it has none itself', () => {
    expect(names(read(y).own)).toEqual(['Deployment y']);
    expect(read(y).keys).toEqual([digest(5)]);
  });

  it('is read once for each component', () => {
    expect(read(x)).toBe(read(x));
  });

  it.each<readonly [string, object, boolean]>([
    ['of the same kind, Namespace and name', {}, true],
    ['of another kind', { kind: 'DaemonSet' }, false],
    ['of another name', { metadata: { name: 'w', namespace: 'n' } }, false],
    ['of another Namespace', { metadata: { name: 'x', namespace: 'm' } }, false],
    ['without a Namespace, which is default', { metadata: { name: 'x' } }, false],
  ])('its workloads are objects %s', (_, more, expected) => {
    const object = { ...made('Deployment', 'x'), ...more };
    const { own, shared } = contentReader([has({ [digest(5)]: [object] })], () => [])(x);
    expect([own.length, shared.length]).toEqual(expected ? [1, 0] : [0, 1]);
  });

  it('an object without a Namespace is a workload in default', () => {
    const workloads = [{ kind: 'Deployment', namespace: 'default', name: 'x' }];
    const one = componentOf({ id: 'x', artifacts: [manifest(5)], workloads });
    const object = { ...made('Deployment', 'x'), metadata: { name: 'x' } };
    expect(contentReader([has({ [digest(5)]: [object] })], () => [])(one).own).toEqual([object]);
  });

  it('lists which of its manifests, by name, were not available', () => {
    const two = part('x', [
      manifest(6, { name: 'b', digest: undefined }),
      manifest(5, { name: 'a', kind: 'crdset' }),
      { name: 'image', kind: 'image', uri: 'registry.example/x', digest: digest(1) },
    ]);
    const { missing, artifacts, keys, all: found } = contentReader([has({}), has({ [digest(5)]: all })], () => [])(two);
    expect(missing.map(({ name }) => name)).toEqual(['b']);
    expect(artifacts).toEqual([`m5.yaml@${digest(5)}`, 'm6.yaml (no digest)']);
    expect(keys).toEqual([digest(5), 'v1.0.0 m6.yaml']);
    expect(found).toEqual(all);
  });

  it.each<readonly [string, object, boolean]>([
    ['its Service selects', { app: 'x' }, true],
    ['its Service selects not', { app: 'y' }, false],
  ])('a workload that %s answers the webhooks', (_, selector, expected) => {
    const objects = [
      made('Deployment', 'x', { spec: { template: { metadata: { labels: { app: 'x' } } } } }),
      made('Service', 'hook', { spec: { selector } }),
      made('ValidatingWebhookConfiguration', 'hooks', {
        webhooks: [{ clientConfig: { service: { namespace: 'n', name: 'hook' } } }],
      }),
    ];
    expect(contentReader([has({ [digest(5)]: objects })], () => [])(x).servesWebhooks).toBe(expected);
  });
});

describe('other images of the workloads', () => {
  const images = (...list: readonly unknown[]) =>
    otherImages(
      {
        ...contentReader([], () => [])(part('x', [])),
        own: [
          made('Deployment', 'x', {
            spec: { template: { spec: { initContainers: 'odd', containers: list.map((image) => ({ image })) } } },
          }),
        ],
      },
      part('x', [
        { name: 'image', kind: 'image', uri: 'registry.example:5000/antrea/agent:v1', digest: digest(1) },
        manifest(5, { uri: 'other/tool' }),
      ]),
    );

  it.each<readonly [string, unknown, readonly string[]]>([
    ['one that is listed', 'registry.example:5000/antrea/agent:v1', []],
    ['one that is listed, from a mirror', 'mirror.example/antrea/agent:v2', []],
    ['one that is listed, without a host', 'antrea/agent', []],
    ['one that is listed, by its digest', `antrea/agent@${digest(3)}`, []],
    ['one of another folder', 'other/antrea/agent:v1', ['other/antrea/agent:v1 (no digest)']],
    ['one by its digest', `other/tool@${digest(3)}`, [`other/tool@${digest(3)}`]],
    ['one without a folder', 'agent:v1', ['agent:v1 (no digest)']],
    ['an empty one', '', []],
    ['no text', 7, []],
  ])('%s', (_, image, expected) => {
    expect(images(image)).toEqual(expected);
  });

  it('are listed once', () => {
    expect(images('b:v1', 'a:v1', 'b:v1')).toEqual(['b:v1 (no digest)', 'a:v1 (no digest)']);
  });

  it('of containers that begin first are included, and what is not a container is left out', () => {
    const workload = (spec: unknown) => made('Deployment', 'x', { spec: { template: spec } });
    const found = (spec: unknown) =>
      otherImages({ ...contentReader([], () => [])(part('x', [])), own: [workload(spec)] }, part('x', []));
    expect(found({ spec: { initContainers: [{ image: 'a:v1' }], containers: ['odd', { image: 'b:v1' }] } })).toEqual([
      'a:v1 (no digest)',
      'b:v1 (no digest)',
    ]);
    expect(found('odd')).toEqual([]);
  });
});

it.each<readonly [string, string | undefined, string]>([
  ['x:v1', undefined, 'x:v1 (no digest)'],
  ['x:v1', digest(1), `x:v1@${digest(1)}`],
  [`x:v1@${digest(1)}`, digest(1), `x:v1@${digest(1)}`],
])('the artifact %s with the digest %s is %s', (uri, sha, expected) => {
  expect(artifactText({ name: 'a', kind: 'image', uri, digest: sha })).toBe(expected);
});
