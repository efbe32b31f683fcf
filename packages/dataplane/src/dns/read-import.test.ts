import type { EndpointSlice, ServiceImport } from '@isthmus/api';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import { readImport } from './read-import.ts';

const imported = (spec: ServiceImport['spec']): ServiceImport => ({
  apiVersion: 'multicluster.x-k8s.io/v1beta1',
  kind: 'ServiceImport',
  metadata: { name: 'db', namespace: 'shop' },
  spec,
});
const slice = (
  endpoints: EndpointSlice['endpoints'],
  labels: Readonly<Record<string, string>> = { 'multicluster.kubernetes.io/source-cluster': 'west' },
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'db-west', namespace: 'shop', labels },
  addressType: 'IPv4',
  endpoints,
  ports: [{ name: 'sql', port: 5432 }, { name: 'any' }],
});

describe('an import, as its names resolve', () => {
  test('has the addresses of a ClusterSetIP, and no endpoints', () => {
    const spec = {
      type: 'ClusterSetIP',
      ips: ['10.99.0.1', 'nonsense'],
      ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }],
    } as const;
    expect(
      readImport(imported({ ...spec, ips: [...spec.ips], ports: [...spec.ports] }), [
        slice([{ addresses: ['10.20.1.5'] }]),
      ]),
    ).toEqual({
      namespace: 'shop',
      name: 'db',
      isHeadless: false,
      ips: [address('10.99.0.1')],
      ports: [{ name: 'sql', protocol: 'TCP', port: 5432 }],
      endpoints: [],
    });
  });

  test('has the ready endpoints of a headless one, with host names and ports', () => {
    const slices = [
      slice([
        { addresses: ['10.20.1.5'], hostname: 'db-0' },
        { addresses: ['10.20.1.6'], conditions: { ready: false } },
        { addresses: ['x'] },
      ]),
      slice([{ addresses: ['10.30.1.5'] }], {}),
      slice(null),
    ];
    const ports = [{ name: 'sql', protocol: 'TCP', port: 5432 }];
    expect(readImport(imported({ type: 'Headless', ports: [] }), slices).endpoints).toEqual([
      { clusterID: 'west', address: address('10.20.1.5'), hostname: 'db-0', ports },
    ]);
  });
});
