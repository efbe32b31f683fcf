import type { ResourceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { partSource, soleSource, sourceClusterOf } from './source-cluster.ts';

const imported = (spec: ResourceImport['spec'], labels: Readonly<Record<string, string>> = {}): ResourceImport => ({
  metadata: { name: 'shop-cart-endpoints', labels },
  spec,
});

describe('the only exporter of a Service', () => {
  it('is named by merged endpoints that have its slices', () => {
    const object = imported({ kind: 'Endpoints', clusterID: ['west'], endpointSlices: [] });
    expect([soleSource(object), sourceClusterOf(object)]).toEqual(['west', 'west']);
  });

  it.each([
    ['that another leader has written since', { kind: 'Endpoints', clusterID: ['west'] }],
    ['of several clusters', { kind: 'Endpoints', clusterID: ['east', 'west'], endpointSlices: [] }],
    ['of nobody', { kind: 'Endpoints', clusterID: [], endpointSlices: [] }],
    ['of a name that no cluster can have', { kind: 'Endpoints', clusterID: ['../x'], endpointSlices: [] }],
    ['of another kind', { kind: 'EndpointSlices', clusterID: ['west'], endpointSlices: [] }],
  ])('is not known by endpoints %s', (_, spec) => {
    expect(soleSource(imported(spec))).toBeUndefined();
  });

  it('is otherwise the cluster of the label', () => {
    expect(sourceClusterOf(imported({ kind: 'EndpointSlices' }, { sourceClusterID: 'east' }))).toBe('east');
  });
});

describe('the cluster whose endpoints an import has beside those of others', () => {
  const part = (name: string, labels: Readonly<Record<string, string>> = {}): ResourceImport => ({
    metadata: { name, labels },
    spec: { kind: 'EndpointSlices', namespace: 'shop', name: 'cart', endpointSlices: [] },
  });

  it.each([
    ['without labels', {}],
    ['with the label of another cluster', { sourceClusterID: 'south' }],
  ])('is the one in its name, also %s', (_, labels) => {
    const object = part('shop-cart-endpoints.west', labels);
    expect([partSource(object), sourceClusterOf(object)]).toEqual(['west', 'west']);
  });

  it.each([
    ['of another Service', part('shop-other-endpoints.west')],
    ['without a cluster', part('shop-cart-endpoints.')],
    ['of what no cluster can be', part('shop-cart-endpoints.Not_An_ID')],
    [
      'of another kind',
      { ...part('shop-cart-endpoints.west'), spec: { kind: 'Endpoints', namespace: 'shop', name: 'cart' } },
    ],
  ])('is not known by a name %s', (_, object) => {
    expect(partSource(object)).toBeUndefined();
  });
});
