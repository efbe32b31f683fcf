import type { EndpointSlicePayload } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { ClusterPart, MergedPart } from './current-endpoints.ts';
import { judgeParts } from './current-endpoints.ts';

const http = { name: 'http', port: 80, protocol: 'TCP' };

const slice = (addresses: readonly string[], more: Partial<EndpointSlicePayload> = {}): EndpointSlicePayload => ({
  addressType: 'IPv4',
  ports: [{ ...http, appProtocol: 'http' }],
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ...more,
});
const part = (resourceVersion: string | undefined, ...slices: readonly EndpointSlicePayload[]): ClusterPart => ({
  resourceVersion,
  slices,
});
const list = (resourceVersion: string | undefined, ...ips: readonly string[]): MergedPart => ({
  resourceVersion,
  subsets: ips.map((ip) => ({ addresses: [{ ip }], ports: [http] })),
});
const east = slice(['10.1.0.1']);
const west = slice(['10.2.0.1']);
const unready = slice([], { endpoints: [{ addresses: ['10.1.0.9'], conditions: { ready: false } }] });

describe('the imports of the single clusters, by the merged one', () => {
  it.each<readonly [string, readonly ClusterPart[], MergedPart, ReturnType<typeof judgeParts>]>([
    ['list the same', [part('9', east), part('8', west)], list('10', '10.2.0.1', '10.1.0.1'), 'current'],
    ['have what no list can', [part('9', slice(['fd00::1'], { addressType: 'IPv6' }), unready)], list('10'), 'current'],
    [
      'are younger and list the same',
      [part('11', east), part('12', west)],
      list('10', '10.2.0.1', '10.1.0.1'),
      'current',
    ],
    ['are younger and list more', [part('11', east), part('12', west)], list('10', '10.1.0.1'), 'current'],
    ['are younger than the list', [part('11', east)], list('10', '10.1.0.7'), 'arriving'],
    ['are younger, one of them', [part('11', east), part('8', west)], list('10', '10.1.0.7', '10.2.0.1'), 'arriving'],
    ['cannot be compared by age', [part('abc', east)], list('10', '10.1.0.7'), 'arriving'],
    ['say nothing of their age', [part(undefined, east)], list(undefined, '10.1.0.7'), 'arriving'],
    ['have an address that a younger list lacks', [part('9', east, west)], list('10', '10.1.0.1'), 'stale'],
    [
      'have another port',
      [part('9', slice(['10.1.0.1'], { ports: [{ ...http, port: 81 }] }))],
      list('10', '10.1.0.1'),
      'stale',
    ],
    ['lack it beside a younger one', [part('11', east), part('8', west)], list('10', '10.1.0.1'), 'stale'],
    ['are not there', [], list('10', '10.1.0.1'), 'stale'],
    ['lack an address of a younger list', [part('9', east)], list('10', '10.1.0.1', '10.2.0.1'), 'incomplete'],
  ])('that %s', (_, parts, merged, verdict) => {
    expect(judgeParts(parts, merged)).toBe(verdict);
  });

  it('list the same, though in other groups of ports', () => {
    const https = { name: 'https', port: 443, protocol: 'TCP' };
    const merged = { resourceVersion: '10', subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [http, https] }] };
    const apart = [slice(['10.1.0.1'], { ports: [https] }), slice(['10.1.0.1'], { ports: [http] })];
    expect(judgeParts([part('9', ...apart)], merged)).toBe('current');
    expect(judgeParts([part('9', ...apart.slice(1))], merged)).toBe('incomplete');
    expect(judgeParts([part('9', slice(['10.1.0.1'], { ports: [https, http] }))], list('10', '10.1.0.1'))).toBe(
      'stale',
    );
  });

  it('have more pairs of an address and a port than fit into memory', () => {
    const addresses = Array.from({ length: 20_000 }, (_, i) => `10.1.${Math.floor(i / 256)}.${i % 256}`);
    const ports = Array.from({ length: 1_000 }, (_, i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP' }));
    const merged = { resourceVersion: '10', subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }] };
    expect(judgeParts([part('9', slice(addresses, { ports }))], merged)).toBe('current');
    expect(judgeParts([part('9', slice(addresses.slice(1), { ports }))], merged)).toBe('incomplete');
    expect(judgeParts([part('9', slice(addresses, { ports: ports.slice(1) }))], merged)).toBe('incomplete');
  });
});
