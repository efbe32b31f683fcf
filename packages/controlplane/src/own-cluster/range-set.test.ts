import { contains, parseAddress, parseCidr } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { rangeSetOf } from './range-set.ts';

const cidrs = ['10.1.0.0/16', '10.2.0.0/16', '10.3.7.0/24', '192.0.2.1/32', '0.0.0.0/32', '2001:db8::/48'].flatMap(
  (text) => parseCidr(text) ?? [],
);

describe('a set of ranges', () => {
  it.each([
    '10.1.0.0',
    '10.2.255.255',
    '10.3.7.9',
    '10.3.8.0',
    '10.0.255.255',
    '192.0.2.1',
    '192.0.2.2',
    '2001:db8::9',
    '2001:db9::',
    '::a01:0',
  ])('has %s if one of them contains it', (text) => {
    const address = parseAddress(text);
    expect(address && rangeSetOf(cidrs).has(address)).toBe(cidrs.some((cidr) => address && contains(cidr, address)));
  });

  it('of all addresses of a family has them, and without ranges none', () => {
    const address = parseAddress('198.51.100.1');
    const all = parseCidr('0.0.0.0/0');
    expect(address && all && rangeSetOf([all]).has(address)).toBe(true);
    expect(address && rangeSetOf([]).has(address)).toBe(false);
  });
});
