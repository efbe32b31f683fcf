import { addressText } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import type { ImportedService, OwnNode, ServiceEndpoint } from './cluster-network.ts';
import { usableEndpoints } from './usable-endpoints.ts';

const node: OwnNode = { name: 'node-1', address: address('172.30.1.1'), podCIDRs: [], isGateway: false, zone: 'a' };

const endpoint = (text: string, more: Partial<ServiceEndpoint> = {}): ServiceEndpoint => ({
  clusterID: 'west',
  address: address(text),
  port: 8080,
  ...more,
});
const here = endpoint('10.1.1.1', { clusterID: '', node: 'node-1', zones: ['a'] });
const sameZone = endpoint('10.1.2.1', { clusterID: '', node: 'node-2', zones: ['a'] });
const otherZone = endpoint('10.1.3.1', { clusterID: '', node: 'node-3', zones: ['b'] });
const westSameZone = endpoint('10.2.1.1', { zones: ['a'] });
const westOtherZone = endpoint('10.2.1.2', { zones: ['b'] });
const south = endpoint('10.3.1.1', { clusterID: 'south' });

const use = (
  endpoints: readonly ServiceEndpoint[],
  options: Partial<ImportedService> = {},
  unreached: readonly string[] = [],
) => {
  const used = usableEndpoints(
    {
      namespace: 'shop',
      name: 'cart',
      protocol: 'TCP',
      address: address('10.99.0.1'),
      port: 80,
      endpoints,
      ...options,
    },
    node,
    new Set(unreached),
  );
  return typeof used === 'string' ? used : used.map((one) => addressText(one.address));
};
const texts = (endpoints: readonly ServiceEndpoint[]) => endpoints.map((one) => addressText(one.address));

describe('of the endpoints of an imported Service, a client', () => {
  test('may get any that is ready, wherever it is', () => {
    const all = [here, otherZone, westSameZone, south];
    expect(use([...all, { ...westOtherZone, isTerminating: true }])).toEqual(texts(all));
  });

  test('gets those that end but still serve where none is ready', () => {
    expect(use([{ ...westOtherZone, isTerminating: true }])).toEqual(texts([westOtherZone]));
    expect(use([{ ...here, isTerminating: true }, westOtherZone], { isNodeLocal: true })).toEqual(texts([here]));
  });

  test('gets none where there is none, and is rejected', () => {
    expect(use([])).toBe('reject');
    expect(use([], { isNodeLocal: true })).toBe('reject');
  });

  test('gets those of a cluster that nobody reaches in that family only if no other cluster has any', () => {
    const all = [westSameZone, south];
    expect(use(all, {}, ['west IPv4'])).toEqual(texts([south]));
    expect(use(all, { clusterOrder: ['west'] }, ['west IPv4'])).toEqual(texts([south]));
    expect(use(all, {}, ['west IPv6'])).toEqual(texts(all));
    expect(use(all, {}, ['west IPv4', 'south IPv4'])).toEqual(texts(all));
    expect(use([westSameZone, { ...south, isTerminating: true }], {}, ['west IPv4'])).toEqual(texts([south]));
    expect(use([westSameZone, { ...south, isUncertain: true }], {}, ['west IPv4'])).toEqual(texts([south]));
  });

  test('gets one that may not be reached only where there is no other, not even one that ends', () => {
    const uncertain = { ...south, isUncertain: true };
    expect(use([uncertain, westSameZone])).toEqual(texts([westSameZone]));
    expect(use([uncertain, { ...westSameZone, isTerminating: true }])).toEqual(texts([westSameZone]));
    expect(use([uncertain])).toEqual(texts([uncertain]));
    expect(use([uncertain, westSameZone], { clusterOrder: ['south'] })).toEqual(texts([westSameZone]));
  });

  test('gets those on its Node alone with internalTrafficPolicy Local, and its packets are dropped where all are elsewhere', () => {
    expect(use([here, sameZone, westSameZone], { isNodeLocal: true })).toEqual(texts([here]));
    expect(use([sameZone, westSameZone], { isNodeLocal: true })).toBe('drop');
    expect(use([endpoint('10.2.1.9', { node: 'node-1' })], { isNodeLocal: true })).toBe('drop');
  });

  test.each([
    ['Node', [westOtherZone, westSameZone, otherZone, sameZone, here], [here]],
    ['Zone', [westOtherZone, westSameZone, otherZone, sameZone, here], [sameZone, here]],
    ['Node', [westOtherZone, westSameZone, otherZone, sameZone], [sameZone]],
    ['Zone', [westOtherZone, westSameZone, otherZone], [otherZone]],
    ['Zone', [westOtherZone, westSameZone, south], [westSameZone]],
    ['Zone', [westOtherZone, south], [westOtherZone, south]],
  ] as const)('gets the nearest ones when it prefers those of its %s: case %#', (nearest, all, expected) => {
    expect(use(all, { nearest })).toEqual(texts(expected));
  });

  test('gets those of the first cluster in their order that has any, and else those of all clusters that are not named', () => {
    const all = [here, westSameZone, south];
    expect(use(all, { clusterOrder: ['', 'west'] })).toEqual(texts([here]));
    expect(use([{ ...here, isTerminating: true }, westSameZone, south], { clusterOrder: ['', 'west'] })).toEqual(
      texts([westSameZone]),
    );
    expect(use([westSameZone, south], { clusterOrder: ['', 'east'] })).toEqual(texts([westSameZone, south]));
    expect(use(all, { clusterOrder: ['south'], nearest: 'Zone' })).toEqual(texts([south]));
  });

  test('gets those of a cluster with weight 0 only if no other cluster has any', () => {
    const clusterWeights = new Map([['west', 0]]);
    expect(use([here, westSameZone], { clusterWeights })).toEqual(texts([here]));
    expect(use([westSameZone], { clusterWeights })).toEqual(texts([westSameZone]));
  });
});
