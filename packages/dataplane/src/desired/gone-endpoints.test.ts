import { addressText } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import { importedService } from '../testing/imported-service.ts';
import { goneEndpoints } from './gone-endpoints.ts';

const udp = (endpoints: readonly string[], clusterIP = '10.99.0.1') =>
  importedService(clusterIP, { protocol: 'UDP', endpoints });
const texts = (...[before, after]: Parameters<typeof goneEndpoints>) =>
  goneEndpoints(before, after).map(
    ({ service, port, endpoint }) =>
      `${addressText(service)}:${port} ${addressText(endpoint.address)}:${endpoint.port}`,
  );

describe('the endpoints that a Service of UDP has lost', () => {
  test('are those that it had and has not, of each of its addresses', () => {
    const before = [udp(['10.20.1.5', '10.20.1.6']), udp(['fd00:20::5'], 'fd00:99::1')];
    const after = [udp(['10.20.1.6', '10.20.1.7']), udp([], 'fd00:99::1')];
    expect(texts(before, after)).toEqual(['10.99.0.1:80 10.20.1.5:8080', 'fd00:99::1:80 fd00:20::5:8080']);
  });

  test('are those with another port, too, and none that ends but still serves', () => {
    const [one] = udp(['10.20.1.5']).endpoints;
    if (one === undefined) throw new Error('no endpoint');
    const before = { ...udp([]), endpoints: [one, { ...one, address: address('10.20.1.6') }] };
    const after = {
      ...udp([]),
      endpoints: [
        { ...one, port: 9090 },
        { ...one, address: address('10.20.1.6'), isTerminating: true },
      ],
    };
    expect(texts([before], [after])).toEqual(['10.99.0.1:80 10.20.1.5:8080']);
  });

  test('are none where the Service is the same, is gone, or is of TCP', () => {
    const [same, tcp] = [
      udp(['10.20.1.5']),
      importedService('10.99.0.1', { protocol: 'TCP', endpoints: ['10.20.1.5'] }),
    ];
    expect(texts([same], [same])).toEqual([]);
    expect(texts([same], [])).toEqual([]);
    expect(texts([tcp], [{ ...tcp, endpoints: [] }])).toEqual([]);
  });
});
