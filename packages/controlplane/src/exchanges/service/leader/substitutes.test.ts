import type { ResourceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { substitutesOf } from './substitutes.ts';

const source = { namespace: 'shop', name: 'cart' };
const area = 'antrea-multicluster';
const tcp = (name: string, port: number) => ({ name, port, protocol: 'TCP' as const });
const http = tcp('http', 80);
const admin = tcp('admin', 9000);
const metrics = tcp('metrics', 9090);

const slices = (ip: string, ports: readonly (typeof http)[]) => [
  { addressType: 'IPv4' as const, endpoints: [{ addresses: [ip], conditions: { ready: true } }], ports },
];
const service: ResourceImport = {
  metadata: { namespace: area, name: 'shop-cart-service' },
  spec: {
    ...source,
    kind: 'ServiceImport',
    serviceImport: { spec: { type: 'ClusterSetIP', ports: [http, admin, metrics] } },
  },
};
const part = (clusterID: string, ports: readonly (typeof http)[] | undefined): ResourceImport => ({
  metadata: { namespace: area, name: `shop-cart-endpoints.${clusterID}` },
  spec: {
    ...source,
    kind: 'EndpointSlices',
    endpointSlices: ports === undefined ? [] : slices('10.0.0.1', ports),
  },
});
const portsOf = (object: ResourceImport, imports: readonly ResourceImport[]) => {
  const [export_] = substitutesOf(object, imports);
  return export_?.spec?.service?.serviceSpec?.ports?.map(({ name }) => name);
};

describe('what stands for a lost export of a Service', () => {
  it('has the ports of the only exporter, also one that has no endpoint', () => {
    const merged: ResourceImport = {
      metadata: { namespace: area, name: 'shop-cart-endpoints' },
      spec: { ...source, kind: 'Endpoints', clusterID: ['west'], endpointSlices: slices('10.0.0.1', [http]) },
    };
    expect(portsOf(merged, [service, merged])).toEqual(['http', 'admin', 'metrics']);
  });

  it('lacks the ports that only other clusters serve', () => {
    const [west, east] = [part('west', [http]), part('east', [http, admin])];
    expect(portsOf(west, [service, west, east])).toEqual(['http', 'metrics']);
    expect(portsOf(east, [service, west, east])).toEqual(['http', 'admin', 'metrics']);
  });

  it('has all ports where the cluster has no endpoints, and nobody knows which it serves', () => {
    const [west, east] = [part('west', undefined), part('east', [http, admin])];
    expect(portsOf(west, [service, west, east])).toEqual(['http', 'admin', 'metrics']);
  });
});
