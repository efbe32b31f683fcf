import type { EndpointSlice, EndpointSlicePayload } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { keptPods, podsFor } from './pods.ts';

const http = [{ name: 'http', port: 8080, protocol: 'TCP' }];
const pods = [{ endpoints: [{ addresses: ['10.20.1.5'] }], ports: http }];
const clusterIP = (address: string, behind: EndpointSlicePayload['pods']): EndpointSlicePayload => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: [address] }],
  ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  pods: behind,
});
const perCluster = new Map([
  ['east', [clusterIP('10.96.0.20', pods)]],
  ['south', [clusterIP('10.98.0.3', undefined)]],
  ['west', [clusterIP('10.97.0.10', pods)]],
]);
const existing: EndpointSlice = {
  metadata: {
    name: 'one',
    namespace: 'shop',
    labels: { 'multicluster.kubernetes.io/service-name': 'cart', 'multicluster.kubernetes.io/source-cluster': 'west' },
  },
  addressType: 'IPv4',
  endpoints: [],
  ports: [],
};
const input = { remote: { perCluster }, ownClusterID: 'east', current: [existing] };

describe('the Pods of other clusters', () => {
  it('are wanted where the cluster has agents, of each cluster that exports some, less the own one', () => {
    const slices = [{ addressType: 'IPv4', endpoints: pods[0]?.endpoints, ports: http }];
    expect(podsFor(true, input)).toEqual([{ clusterID: 'west', slices }]);
  });

  it('are not wanted without agents', () => {
    expect(podsFor(false, input)).toEqual([]);
  });

  it('stay as they are until it is known whether there are agents', () => {
    expect(podsFor(undefined, input)).toEqual([{ clusterID: 'west', slices: 'kept' }]);
    expect(keptPods([])).toEqual([]);
  });
});
