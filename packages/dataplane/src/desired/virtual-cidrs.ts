import type { Address, Cidr } from '@isthmus/machinery';
import { contains } from '@isthmus/machinery';
import type { VirtualCIDR } from './cluster-network.ts';

const bits = { IPv4: 32, IPv6: 128 } as const;

/**
 * The part of a virtual range that represents a part of the own range. Undefined: no virtual range
 * does.
 */
export function virtualOf(cidr: Cidr, virtualCIDRs: readonly VirtualCIDR[] = []): Cidr | undefined {
  const found = virtualCIDRs.find(({ own }) => contains(own, cidr));
  return found && { ...cidr, value: withPrefix(cidr, found.virtual) };
}

/** The ranges by which other clusters may send to a range of this cluster. */
export function knownRanges(cidr: Cidr, virtualCIDRs: readonly VirtualCIDR[] = []): readonly Cidr[] {
  const virtual = virtualOf(cidr, virtualCIDRs);
  const isOwnUsed = virtualCIDRs.find(({ own }) => contains(own, cidr))?.isOwnUsed === true;
  return virtual === undefined ? [cidr] : [...(isOwnUsed ? [cidr] : []), virtual];
}

/**
 * The address in a range of the same length with the same bits after the prefix. The first argument
 * may also be the begin of a part of a range.
 */
export function withPrefix({ value }: Pick<Address, 'value'>, { family, value: prefix, length }: Cidr): bigint {
  return prefix | (value & ((1n << BigInt(bits[family] - length)) - 1n));
}

/** The address by which other clusters know an address of this cluster. */
export function knownAs(address: Address, virtualCIDRs: readonly VirtualCIDR[] | undefined): Address {
  const { family } = address;
  const virtual = virtualOf({ ...address, length: bits[family] }, virtualCIDRs);
  return virtual === undefined ? address : { family, value: virtual.value };
}
