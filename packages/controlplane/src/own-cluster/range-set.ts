import type { Address, Cidr } from '@isthmus/machinery';

/** Many ranges, with which each of many addresses is compared. */
export interface RangeSet {
  has(address: Address): boolean;
}

/** Many ranges, each of a cluster. */
export interface RangeOwners {
  ownerOf(address: Address): string | undefined;
}

export function rangeSetOf(cidrs: readonly Cidr[]): RangeSet {
  const { ownerOf } = rangeOwnersOf(cidrs.map((cidr) => ({ cidr, owner: '' })));
  return { has: (address) => ownerOf(address) !== undefined };
}

/** Ranges of one length are found by one look-up: a cluster has a range for each of its Nodes. */
export function rangeOwnersOf(ranges: readonly { readonly cidr: Cidr; readonly owner: string }[]): RangeOwners {
  const groups = [...Map.groupBy(ranges, ({ cidr: { family, length } }) => `${family} ${length}`).values()];
  const sets = groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { family, length } = first.cidr;
    const free = BigInt((family === 'IPv4' ? 32 : 128) - length);
    return [{ family, free, owners: new Map(group.map(({ cidr, owner }) => [cidr.value >> free, owner])) }];
  });
  return {
    ownerOf({ family, value }) {
      for (const one of sets) {
        const owner = one.family === family ? one.owners.get(value >> one.free) : undefined;
        if (owner !== undefined) return owner;
      }
      return undefined;
    },
  };
}
