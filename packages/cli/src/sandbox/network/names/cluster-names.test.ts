import { Label } from '@isthmus/api';
import type { EndpointSlice, Service } from '@isthmus/api';
import { answerQuestion } from '@isthmus/dataplane';
import { describe, expect, test } from 'vitest';
import { readService } from './cluster-names.ts';

const meta = (name: string) => ({ namespace: 'shop', name });
const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
const service = (name: string, spec: Service['spec']): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta(name),
  spec,
});
const slice: EndpointSlice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...meta('db-1'), labels: { [Label.serviceName]: 'db' } },
  addressType: 'IPv4',
  ports,
  endpoints: [
    { addresses: ['10.1.1.5'], hostname: 'db-0', conditions: { ready: true } },
    { addresses: ['10.1.2.5'], conditions: {} },
    { addresses: ['10.1.2.6'], conditions: { ready: false } },
  ],
};
const known = [
  readService(service('cart', { clusterIP: '10.101.0.5', clusterIPs: ['10.101.0.5'], ports }), []),
  readService(service('db', { clusterIP: 'None', clusterIPs: ['None'], ports }), [slice]),
];
const ask = (name: string, type: string) => {
  const zone = {
    name: 'cluster.local',
    hasNamespace: (namespace: string) => namespace === 'shop',
    find: (namespace: string, wanted: string) =>
      known.find((one) => one.namespace === namespace && one.name === wanted),
  };
  const { rcode, answers } = answerQuestion({ name: `${name}.svc.cluster.local`, type }, zone);
  return rcode === 'NOERROR' ? answers.map(({ data }) => (typeof data === 'string' ? data : data.target)) : rcode;
};

describe('the names of the Services of a cluster', () => {
  test.each([
    ['cart.shop', 'A', ['10.101.0.5']],
    ['_http._tcp.cart.shop', 'SRV', ['cart.shop.svc.cluster.local']],
    ['db.shop', 'A', ['10.1.1.5', '10.1.2.5']],
    ['db-0.db.shop', 'A', ['10.1.1.5']],
    ['10-1-2-5.db.shop', 'A', ['10.1.2.5']],
    ['_http._tcp.db.shop', 'SRV', ['db-0.db.shop.svc.cluster.local', '10-1-2-5.db.shop.svc.cluster.local']],
    ['db-9.db.shop', 'A', 'NXDOMAIN'],
    ['west.db.shop', 'A', 'NXDOMAIN'],
    ['db-0.cart.shop', 'A', 'NXDOMAIN'],
    ['none.shop', 'A', 'NXDOMAIN'],
  ] as const)('%s %s: %j', (name, type, expected) => {
    expect(ask(name, type)).toEqual(expected);
  });
});
