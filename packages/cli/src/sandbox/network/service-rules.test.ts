import type { EndpointSlice, Service } from '@isthmus/api';
import { describe, expect, test } from 'vitest';
import { serviceRules } from './service-rules.ts';

const cart: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'cart' },
  spec: {
    clusterIP: '10.101.0.7',
    ports: [
      { name: 'http', port: 80, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ],
  },
};
const slice = (
  endpoints: EndpointSlice['endpoints'],
  ports: EndpointSlice['ports'] = [{ name: 'http', port: 8080, protocol: 'TCP' }],
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } },
  addressType: 'IPv4',
  endpoints,
  ports,
});
const rules = (service: Service, ...slices: readonly EndpointSlice[]) =>
  serviceRules([service], slices, '10.1.0.0/16').split('\n');

describe('the rules for Services of a Node', () => {
  test('translate a port to its ready endpoints, at random', () => {
    const lines = rules(
      cart,
      slice([
        { addresses: ['10.1.2.3'] },
        { addresses: ['10.1.1.2'], conditions: { ready: true } },
        { addresses: ['10.1.1.9'], conditions: { ready: false } },
      ]),
    );
    expect(lines).toContain(
      'add rule ip isthmus-sandbox-proxy service-0 meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.1.1.2 . 8080, 1 : 10.1.2.3 . 8080 }',
    );
    expect(lines).toContain(
      'add rule ip isthmus-sandbox-proxy prerouting ip daddr 10.101.0.7 tcp dport 80 goto service-0',
    );
    expect(lines.join('\n')).not.toContain('10.1.1.9');
  });

  test('reject a port without endpoints', () => {
    const lines = rules(cart, slice([{ addresses: ['10.1.2.3'] }]));
    expect(lines).toContain('add rule ip isthmus-sandbox-proxy forward ip daddr 10.101.0.7 udp dport 53 reject');
    expect(rules(cart)).toContain(
      'add rule ip isthmus-sandbox-proxy local ip daddr 10.101.0.7 tcp dport 80 reject with tcp reset',
    );
  });

  test('use endpoints that end but serve where none is ready', () => {
    const ending = { addresses: ['10.1.2.3'], conditions: { ready: false, serving: true, terminating: true } };
    expect(rules(cart, slice([ending])).join('\n')).toContain('map { 0 : 10.1.2.3 . 8080 }');
  });

  test('have nothing of headless Services, and those of other names', () => {
    const headless = { ...cart, spec: { ...cart.spec, clusterIP: 'None' } };
    expect(rules(headless, slice([{ addresses: ['10.1.2.3'] }])).join('\n')).not.toContain('dnat ip');
  });
});
