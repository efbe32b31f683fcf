import type { EndpointSlice, EndpointSlicePayload, Service } from '@isthmus/api';
import { ports } from '@isthmus/wire/testing';
import type { RemoteService } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { matchedNames } from './matched-names.ts';

const payload = (list: string, address = '10.1.0.1'): EndpointSlicePayload => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: [address] }],
  ports: ports(list),
});
const remote = (list: string, slices: Readonly<Record<string, readonly EndpointSlicePayload[]>>): RemoteService => ({
  spec: { type: 'ClusterSetIP', ports: ports(list) },
  perCluster: new Map(Object.entries(slices)),
  merged: undefined,
  problems: [],
  unusable: undefined,
});
const service = (list: string): Service => ({
  metadata: { name: 'antrea-mc-cart', namespace: 'shop' },
  spec: { ports: ports(list) },
});
const slice = (clusterID: string, list: string, address = '10.1.0.1'): EndpointSlice => ({
  metadata: { name: `antrea-mc-cart-${clusterID}`, labels: { 'multicluster.kubernetes.io/source-cluster': clusterID } },
  addressType: 'IPv4',
  endpoints: [{ addresses: [address] }],
  ports: ports(list),
});

/** The import in west, with a Service of `http TCP 80` and slices of `existing` there. */
function matched(
  offered: RemoteService,
  existing: readonly EndpointSlice[] = [slice('east', 'http TCP 8080')],
): { service: unknown; endpoints: unknown } {
  const found = matchedNames(offered, { service: service('http TCP 80'), slices: existing, ownClusterID: 'west' });
  return {
    service: found.spec?.ports,
    endpoints: Object.fromEntries([...found.perCluster].map(([id, slices]) => [id, slices.map((one) => one.ports)])),
  };
}

describe('the names of an imported port', () => {
  it.each([
    ['are the new ones once both halves have them', 'web TCP 80', 'web TCP 8080', 'web TCP 80', 'web TCP 8080'],
    [
      'are the former ones while the endpoints have these',
      'web TCP 80',
      'http TCP 8080',
      'http TCP 80',
      'http TCP 8080',
    ],
    ['are the former ones while the Service has these', 'http TCP 80', 'web TCP 8080', 'http TCP 80', 'http TCP 8080'],
    [
      'are the new ones where the endpoints have both',
      'web TCP 80',
      'web TCP 8080, http TCP 8080',
      'web TCP 80',
      'web TCP 8080',
    ],
  ])('%s', (_, servicePorts, endpointPorts, expectedService, expectedEndpoints) => {
    expect(matched(remote(servicePorts, { east: [payload(endpointPorts)] }))).toEqual({
      service: ports(expectedService),
      endpoints: { east: [ports(expectedEndpoints)] },
    });
  });

  it('are found by the number of the Service for the own cluster, whose ClusterIP the leader has', () => {
    const existing = [slice('west', 'http TCP 8080, m TCP 90')];
    const offered = remote('http TCP 80, m TCP 90', { west: [payload('web TCP 80, m TCP 90')] });
    expect(matched(offered, existing).endpoints).toEqual({ west: [ports('http TCP 80, m TCP 90')] });
  });

  it('are the new ones where one cluster has them, whatever another has', () => {
    const offered = remote('web TCP 80', { east: [payload('http TCP 8080')], south: [payload('web TCP 8080')] });
    expect(matched(offered).service).toEqual(ports('web TCP 80'));
  });
});

it('endpoints that cannot be matched with the Service stay as they are here', () => {
  const found = matchedNames(remote('http TCP 80', { east: [payload('admin TCP 9000', '10.1.0.2')] }), {
    service: service('http TCP 80'),
    slices: [slice('east', 'http TCP 8080', '10.1.0.1')],
    ownClusterID: 'west',
  });
  expect(found.perCluster.get('east')).toEqual([payload('http TCP 8080', '10.1.0.1')]);
});

it('endpoints of a cluster that is new here are as the leader has them', () => {
  expect(matched(remote('http TCP 80', { east: [payload('web TCP 8080')] }), []).endpoints).toEqual({
    east: [ports('web TCP 8080')],
  });
});

it('what a headless Service without ports leads to is left as it is', () => {
  const portless = { ...remote('', { east: [{ ...payload(''), ports: [] }] }) };
  expect(matched(portless).endpoints).toEqual({ east: [[]] });
});
