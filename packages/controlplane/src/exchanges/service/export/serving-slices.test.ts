import type { EndpointSlice, Service } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { ownSlices, servingSlices } from './serving-slices.ts';

const service = (...names: readonly (string | undefined)[]): Service => ({
  metadata: { name: 'db', namespace: 'shop' },
  spec: { clusterIP: '10.96.0.7', ports: names.map((name, index) => ({ name, port: 5432 + index, protocol: 'TCP' })) },
});
const slice = (name: string, ports: EndpointSlice['ports'], more: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { name },
  addressType: 'IPv4',
  ports,
  endpoints: [{ addresses: ['198.51.100.7'], conditions: { ready: true } }],
  ...more,
});
const sql = { name: 'sql', port: 5432, protocol: 'TCP' };
const namesOf = (slices: readonly EndpointSlice[]) => slices.map(({ metadata }) => metadata.name);

describe('slices that serve no port of the Service', () => {
  const why =
    'No endpoint serves port sql (TCP) of the Service: EndpointSlice db-1 has no port of that name and protocol';

  it.each([
    ['has no name', [{ port: 5432, protocol: 'TCP' }]],
    ['has another name', [{ ...sql, name: 'SQL' }]],
    ['has another protocol', [{ ...sql, protocol: 'UDP' }]],
    ['has no number', [{ name: 'sql', protocol: 'TCP' }]],
    ['does not exist', []],
    ['does not exist, as the API server writes it', null],
  ])('are left out where the port %s, and named', (_, ports) => {
    expect(servingSlices(service('sql'), [slice('db-1', ports)])).toEqual({ slices: [], notes: [why] });
  });

  it('are named where another slice serves all ports', () => {
    const found = servingSlices(service('sql'), [slice('db-1', [sql]), slice('db-2', [{ port: 5432 }])]);
    expect(namesOf(found.slices)).toEqual(['db-1']);
    expect(found.notes).toEqual(['Endpoints are not used: EndpointSlice db-2 has no port of the Service']);
  });

  it('leave out the port that no slice has, and keep the others', () => {
    const found = servingSlices(service('sql', 'metrics'), [slice('db-1', [sql]), slice('db-2', [sql])]);
    expect(namesOf(found.slices)).toEqual(['db-1', 'db-2']);
    expect(found.notes).toEqual([
      'No endpoint serves port metrics (TCP) of the Service: EndpointSlices db-1, db-2 have no port of that name and protocol',
    ]);
  });

  it.each([
    ['without endpoints that are ready', service('sql'), slice('db-1', [], { endpoints: null })],
    ['of a port without name', service(undefined), slice('db-1', [{ name: '', port: 5432, protocol: 'TCP' }])],
    [
      'of a headless Service without ports',
      { metadata: { name: 'db' }, spec: { clusterIP: 'None' } },
      slice('db-1', []),
    ],
  ])('are not reported %s', (_, of, one) => {
    expect(servingSlices(of, [one]).notes).toEqual([]);
  });
});

describe('slices of another cluster', () => {
  const ofCluster = (id: string) =>
    slice('db-2', [sql], { metadata: { name: 'db-2', labels: { 'multicluster.kubernetes.io/source-cluster': id } } });
  const dispatched = slice('db-3', [sql], {
    metadata: {
      name: 'db-3',
      labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-dispatch-controller.karmada.io' },
    },
  });

  it('are left out and named with the label that marks them', () => {
    const found = ownSlices([slice('db-1', [sql]), ofCluster('other'), dispatched], 'west');
    expect(namesOf(found.slices)).toEqual(['db-1']);
    expect(found.notes).toEqual([
      'EndpointSlices that are marked as slices of another cluster are not exported: db-2 (multicluster.kubernetes.io/source-cluster=other), db-3 (endpointslice.kubernetes.io/managed-by=endpointslice-dispatch-controller.karmada.io)',
    ]);
  });

  it('are those of this cluster if the label names it', () => {
    expect(ownSlices([ofCluster('west')], 'west').notes).toEqual([]);
  });
});
