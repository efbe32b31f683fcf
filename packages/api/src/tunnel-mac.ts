import type { Address } from '@isthmus/machinery';
import { fnv1a } from '@isthmus/machinery';

/**
 * The four bytes by which a Node is known inside of tunnels: the last ones of its MAC address there
 * (docs/spec/wire.md). An IPv4 address has four; an IPv6 address is hashed to four, so two of them
 * can have the same.
 */
export function tunnelSuffix({ family, value }: Address): bigint {
  return family === 'IPv4' ? value : BigInt(fnv1a(groupsOf(value)));
}

/** The MAC address inside of tunnels of the Node with this address outside of them. */
export function tunnelMAC(node: Address): string {
  const bytes = tunnelSuffix(node).toString(16).padStart(8, '0').match(/../g) ?? [];
  return [...tunnelPrefix(node), ...bytes].join(':');
}

/**
 * The first two bytes: locally administered, and the second one keeps the families of Node
 * addresses apart.
 */
export function tunnelPrefix({ family }: Address): readonly [string, string] {
  return ['0a', family === 'IPv4' ? '58' : '59'];
}

/** The eight groups of an IPv6 address. */
function groupsOf(value: bigint): readonly number[] {
  return Array.from({ length: 8 }, (_, group) => Number((value >> BigInt(16 * (7 - group))) & 0xffffn));
}
