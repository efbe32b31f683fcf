import type { ResourceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { soleSource, sourceClusterOf } from './source-cluster.ts';

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
