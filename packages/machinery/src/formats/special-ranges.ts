import type { Address, Cidr, Family } from './addresses.ts';
import { constantCidr, contains, overlaps } from './addresses.ts';

/**
 * Ranges that no cluster can have for its Pods, Services or gateways: to route them to another
 * cluster would break Nodes (docs/spec/wire.md §8.4). Nor can an endpoint: behind the last one
 * clouds serve the credentials of a Node, as they do behind link-local addresses. 240.0.0.0/4 is
 * not among them: there are clusters with Pods in it.
 */
const specialRanges = [
  ['0.0.0.0/8', 'unspecified'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
  // AWS: metadata, credentials of Pods, DNS, time.
  ['fd00:ec2::/32', 'metadata'],
  // Google.
  ['fd20:ce::254/128', 'metadata'],
] as const;

/**
 * Azure, Alibaba and Oracle. Clusters use the ranges around them, so a range may contain them, but
 * an address may not be one of them.
 */
const specialHosts = [
  ['168.63.129.16/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['192.0.0.192/32', 'metadata'],
] as const;

/**
 * A gateway or an endpoint can be behind NAT64, and no cluster has Pods or Services there: who
 * announced them would get all traffic of Pods with IPv6 alone to IPv4.
 */
const translatedRanges = [
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'NAT64'],
] as const;

const networksOf = (ranges: readonly (readonly [range: string, use: string])[]) =>
  ranges.map(([range, use]) => ({ range, use, network: constantCidr(range) }));
const specials = networksOf(specialRanges);
const byFamily = <T extends { readonly network: Cidr }>(all: readonly T[]): Readonly<Record<Family, readonly T[]>> => ({
  IPv4: all.filter(({ network }) => network.family === 'IPv4'),
  IPv6: all.filter(({ network }) => network.family === 'IPv6'),
});
const specialNetworks = byFamily([...specials, ...networksOf(translatedRanges)]);
const specialAddresses = byFamily([...specials, ...networksOf(specialHosts)]);

/**
 * IPv6 ranges whose addresses lead to an IPv4 address that is in them, and how many bits follow it:
 * IPv4-compatible, IPv4-translated (RFC 2765), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056).
 */
const embeddings = [
  { network: constantCidr('::/96'), bitsAfter: 0n },
  { network: constantCidr('::ffff:0:0:0/96'), bitsAfter: 0n },
  { network: constantCidr('64:ff9b::/96'), bitsAfter: 0n },
  { network: constantCidr('64:ff9b:1::/48'), bitsAfter: 0n },
  { network: constantCidr('2002::/16'), bitsAfter: 80n },
] as const;

/**
 * Returns the special use of an address or of part of a range, with the range that has this use, or
 * undefined if the use is not special.
 */
export function specialUse(what: Address | Cidr): { readonly use: string; readonly range: string } | undefined {
  const found =
    'length' in what
      ? specialNetworks[what.family].find(({ network }) => overlaps(network, what))
      : specialAddresses[what.family].find(({ network }) => contains(network, what));
  if (found !== undefined) return { use: found.use, range: found.range };
  const embedding = 'length' in what ? undefined : embeddings.find(({ network }) => contains(network, what));
  return embedding && specialUse({ family: 'IPv4', value: (what.value >> embedding.bitsAfter) & 0xffffffffn });
}

/**
 * Ranges that the Internet does not route: private, shared, benchmarks, documentation, reserved.
 */
const privateRanges = [
  '10.0.0.0/8',
  // The Service range of GKE, which Google keeps for that.
  '34.118.224.0/20',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '2001:db8::/32',
  'fc00::/7',
].map(constantCidr);

/** Whether an address of the range may be one of the Internet. */
export function isPublicRange(range: Cidr): boolean {
  return !privateRanges.some((network) => contains(network, range));
}

/** `loopback` as `a loopback address`. */
export function addressOf(use: string): string {
  return `${/^[aeiou]/.test(use) ? 'an' : 'a'} ${use} address`;
}
