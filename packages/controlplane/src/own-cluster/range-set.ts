import type { Address, Cidr } from '@isthmus/machinery';

/** Many ranges, with which each of many addresses is compared. */
export interface RangeSet {
  has(address: Address): boolean;
}

/** Ranges of one length are found by one look-up: a cluster has a range for each of its Nodes. */
export function rangeSetOf(cidrs: readonly Cidr[]): RangeSet {
  const groups = [...Map.groupBy(cidrs, ({ family, length }) => `${family} ${length}`).values()];
  const sets = groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { family, length } = first;
    const free = BigInt((family === 'IPv4' ? 32 : 128) - length);
    return [{ family, free, prefixes: new Set(group.map(({ value }) => value >> free)) }];
  });
  return {
    has: ({ family, value }) => sets.some((one) => one.family === family && one.prefixes.has(value >> one.free)),
  };
}
