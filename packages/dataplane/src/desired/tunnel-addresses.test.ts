import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import { tunnelAddresses } from './tunnel-addresses.ts';

describe('the addresses of a Node inside of tunnels', () => {
  test('of an IPv4 address contain it: no two Nodes share one', () => {
    expect(tunnelAddresses(address('192.168.50.11'))).toEqual({
      mac: '0a:58:c0:a8:32:0b',
      hop: { IPv4: '192.168.50.11', IPv6: 'fe80::858:c0ff:fea8:320b' },
      link: address('fe80::858:c0ff:fea8:320b'),
    });
    expect(tunnelAddresses(address('1.2.3.4')).mac).toBe('0a:58:01:02:03:04');
  });

  test('of an IPv6 address depend on all of it, and lead IPv4 as well', () => {
    const { mac, hop } = tunnelAddresses(address('fd00::1'));
    expect(mac).toMatch(/^0a:59(?::[0-9a-f]{2}){4}$/);
    expect(hop.IPv4).toBe(hop.IPv6);
    expect(hop.IPv6).toMatch(/^fe80::859:/);
    const macs = ['fd00::1', 'fd00::2', 'fd01::1', 'fd00:0:0:1::1'].map((text) => tunnelAddresses(address(text)).mac);
    expect(new Set(macs).size).toBe(4);
  });

  test('are the same at both ends, however the address was written, and unicast', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: (1n << 128n) - 1n }), (value) => {
        const { mac } = tunnelAddresses({ family: 'IPv6', value });
        expect(mac).toMatch(/^0a:59(?::[0-9a-f]{2}){4}$/);
      }),
    );
    expect(tunnelAddresses(address('fd00:0:0::1'))).toEqual(tunnelAddresses(address('fd00::1')));
  });
});
