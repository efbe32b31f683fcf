import type { Family } from '@isthmus/machinery';

/** The end of the names of sets that hold addresses of one family. */
export type Digit = '4' | '6';
export const digit: Readonly<Record<Family, Digit>> = { IPv4: '4', IPv6: '6' };
/** How rules of nft name the header of a family. */
export const keyword: Readonly<Record<Family, 'ip' | 'ip6'>> = { IPv4: 'ip', IPv6: 'ip6' };
/** How sets of nft name the addresses of a family. */
export const addressType: Readonly<Record<Family, string>> = { IPv4: 'ipv4_addr', IPv6: 'ipv6_addr' };
