import { describe, expect, it } from 'vitest';
import { parseCidr } from './addresses.ts';
import { specialUse } from './special-ranges.ts';

describe('The special use of a range or an address', () => {
  it.each([
    ['127.0.0.0/8', 'loopback'],
    ['10.0.0.0/8', undefined],
    ['169.254.1.0/24', 'link-local'],
    ['fe80::/64', 'link-local'],
    ['fd00:ec2::254/128', 'metadata'],
    ['fd20:ce::254/128', 'metadata'],
    ['fd20:ce::255/128', undefined],
    ['::1/128', 'loopback'],
    ['ff02::/16', 'multicast'],
    ['2001:db8::/32', undefined],
    // The owner of these ranges gets the IPv4 traffic of all Pods that have IPv6 only.
    ['64:ff9b::/96', 'NAT64'],
    ['64:ff9b::808:808/128', 'NAT64'],
    ['64:ff9b:1::/48', 'NAT64'],
    ['64:ff9b::7f00:0/104', 'NAT64'],
  ])('of %s is %s', (text, use) => {
    const range = parseCidr(text);
    expect(range && specialUse(range)?.use).toBe(use);
  });

  it.each([
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b:1::a9fe:a9fe', 'link-local'],
    ['2002:7f00:1::', 'loopback'],
    ['2002:a00:1::', undefined],
    ['64:ff9b::a00:1', undefined],
    ['::ffff:0:7f00:1', 'loopback'],
  ])('of %s, which leads to an IPv4 address, is %s', (text, use) => {
    const { family, value } = parseCidr(`${text}/128`) ?? { family: 'IPv4', value: 0n };
    expect(specialUse({ family, value })?.use).toBe(use);
  });
});
