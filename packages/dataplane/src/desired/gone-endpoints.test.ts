import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import { importedService } from '../testing/imported-service.ts';
import { endKey, withGoneEndpoints } from './gone-endpoints.ts';

const udp = (endpoints: readonly string[], clusterIP = '10.99.0.1') =>
  importedService(clusterIP, { protocol: 'UDP', endpoints });
const texts = (...[before, after]: Parameters<typeof withGoneEndpoints>) =>
  withGoneEndpoints(before, after).map(endKey);

describe('the Services of UDP whose flows may lead to endpoints that they do not have', () => {
  test('are those that had an endpoint and have it no more, under each of their addresses', () => {
    const before = [
      udp(['10.20.1.5', '10.20.1.6']),
      udp(['fd00:20::5'], 'fd00:99::1'),
      udp(['10.20.1.5'], '10.99.0.2'),
    ];
    const after = [
      udp(['10.20.1.6', '10.20.1.7']),
      udp([], 'fd00:99::1'),
      udp(['10.20.1.5', '10.20.1.6'], '10.99.0.2'),
    ];
    expect(texts(before, after)).toEqual(['10.99.0.1 80', 'fd00:99::1 80']);
  });

  test('are those whose endpoint has another port, too, and none whose endpoint ends but still serves', () => {
    const [one] = udp(['10.20.1.5']).endpoints;
    if (one === undefined) throw new Error('no endpoint');
    const has = (endpoint: typeof one, clusterIP: string) => ({ ...udp([], clusterIP), endpoints: [endpoint] });
    const other = { ...one, address: address('10.20.1.6') };
    const before = [has(one, '10.99.0.1'), has(other, '10.99.0.2')];
    const after = [has({ ...one, port: 9090 }, '10.99.0.1'), has({ ...other, isTerminating: true }, '10.99.0.2')];
    expect(texts(before, after)).toEqual(['10.99.0.1 80']);
  });

  test('are none that is the same, is gone, or is of TCP', () => {
    const [same, tcp] = [
      udp(['10.20.1.5']),
      importedService('10.99.0.1', { protocol: 'TCP', endpoints: ['10.20.1.5'] }),
    ];
    expect(texts([same], [same])).toEqual([]);
    expect(texts([same], [])).toEqual([]);
    expect(texts([tcp], [{ ...tcp, endpoints: [] }])).toEqual([]);
  });

  test('are all that are new, for example after the start of an agent: kube-proxy may have translated for them, or an agent before', () => {
    const tcp = importedService('10.99.0.1', { protocol: 'TCP', endpoints: ['10.20.1.5'] });
    const former = udp(['10.20.1.5'], '10.99.0.3');
    expect(texts([former], [former, udp(['10.20.1.5']), tcp, udp([], '10.99.0.2')])).toEqual([
      '10.99.0.1 80',
      '10.99.0.2 80',
    ]);
  });
});
