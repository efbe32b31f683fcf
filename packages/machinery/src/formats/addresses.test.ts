import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressText, cidrText, constantCidr, contains, overlaps, parseAddress, parseCidr } from './addresses.ts';
import type { Address, Cidr } from './addresses.ts';

describe('an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['fe80:0:0:1:0:0:0:1', 'fe80:0:0:1::1'],
  ])('%s has the canonical text %s', (text, canonical) => {
    const address = parseAddress(text);
    expect(address && addressText(address)).toBe(canonical);
  });

  it.each([
    '',
    '10.1',
    '10.0.0.256',
    '010.0.0.1',
    '10.0.0.01',
    '10.0.0.1 ',
    ' 10.0.0.1',
    '10.0.0.1/32',
    '0x0a.0.0.1',
    '1.2.3.4.5',
    '1::2%eth0',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'g::',
    'localhost',
    '1'.repeat(1000),
  ])('%j is not valid', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe('a network', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3/32'],
    ['1.2.3.4/0', '0.0.0.0/0'],
    ['2001:db8::1/64', '2001:db8::/64'],
    ['::/0', '::/0'],
  ])('%s has the canonical text %s', (text, canonical) => {
    const cidr = parseCidr(text);
    expect(cidr && cidrText(cidr)).toBe(canonical);
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::/129',
    '/8',
    '10.0.0.0/ 8',
    '10.0.0.0/1e1',
  ])('%j is not valid', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '10.0.0.1', false],
    ['10.0.0.1/32', '10.0.0.1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
  ])('%s contains %s: %s', (network, text, expected) => {
    const [cidr, address] = [parseCidr(network), parseAddress(text)];
    expect(cidr && address && contains(cidr, address)).toBe(expected);
  });

  it.each([
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.1.0.0/16', '10.0.0.0/8', true],
    ['10.1.0.0/16', '10.1.0.0/16', true],
    ['10.1.0.0/16', '10.2.0.0/16', false],
    ['0.0.0.0/0', '::/0', false],
  ])('%s and %s have an address in common: %s', (one, other, expected) => {
    const [a, b] = [parseCidr(one), parseCidr(other)];
    expect(a && b && overlaps(a, b)).toBe(expected);
  });

  it('contains no wider network, also where both begin at the same address', () => {
    const [wide, narrow] = [parseCidr('10.0.0.0/8'), parseCidr('10.0.0.0/16')];
    expect(wide && narrow && [contains(wide, narrow), contains(narrow, wide)]).toEqual([true, false]);
  });
});

describe('laws', () => {
  const address: fc.Arbitrary<Address> = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value) => ({ family: 'IPv4' as const, value })),
    fc
      .bigInt({ min: 0n, max: 2n ** 128n - 1n })
      .filter((value) => value >> 32n !== 0xffffn)
      .map((value) => ({ family: 'IPv6' as const, value })),
  );
  // Short prefixes, so that networks meet.
  const cidr: fc.Arbitrary<Cidr> = fc
    .tuple(address, fc.integer({ min: 0, max: 6 }))
    .map(([{ family, value }, length]) => {
      const free = BigInt((family === 'IPv4' ? 32 : 128) - length);
      return { family, value: (value >> free) << free, length };
    });

  it('canonical texts are read back as the same values', () => {
    fc.assert(
      fc.property(address, cidr, (one, network) => {
        expect(parseAddress(addressText(one))).toEqual(one);
        expect(parseCidr(cidrText(network))).toEqual(network);
        expect(constantCidr(cidrText(network))).toEqual(network);
      }),
    );
  });

  it('containing is transitive', () => {
    fc.assert(
      fc.property(cidr, cidr, address, (a, b, one) => {
        if (contains(a, b) && contains(b, one)) expect(contains(a, one)).toBe(true);
      }),
    );
  });
});
