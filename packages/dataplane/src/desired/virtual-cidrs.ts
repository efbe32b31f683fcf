import type { Address, Cidr } from '@isthmus/machinery';
import { contains } from '@isthmus/machinery';
import type { VirtualCIDR } from './cluster-network.ts';

const bits = { IPv4: 32, IPv6: 128 } as const;

/** The part of a virtual range that stands for a part of the own one; undefined: none does. */
export function virtualOf(cidr: Cidr, virtualCIDRs: readonly VirtualCIDR[] = []): Cidr | undefined {
  const found = virtualCIDRs.find(({ own }) => contains(own, cidr));
  return found && { ...cidr, value: withPrefix(cidr, found.virtual) };
}

/** By which ranges other clusters may send to one of this cluster. */
export function knownRanges(cidr: Cidr, virtualCIDRs: readonly VirtualCIDR[] = []): readonly Cidr[] {
  const virtual = virtualOf(cidr, virtualCIDRs);
  const isOwnUsed = virtualCIDRs.find(({ own }) => contains(own, cidr))?.isOwnUsed === true;
  return virtual === undefined ? [cidr] : [...(isOwnUsed ? [cidr] : []), virtual];
}

/** An address of a range, or the begin of a part of it, in another range of the same length. */
export function withPrefix({ value }: Pick<Address, 'value'>, { family, value: prefix, length }: Cidr): bigint {
  return prefix | (value & ((1n << BigInt(bits[family] - length)) - 1n));
}

/** The address by which other clusters know an address of this one. */
export function knownAs(address: Address, virtualCIDRs: readonly VirtualCIDR[] | undefined): Address {
  const { family } = address;
  const virtual = virtualOf({ ...address, length: bits[family] }, virtualCIDRs);
  return virtual === undefined ? address : { family, value: virtual.value };
}
