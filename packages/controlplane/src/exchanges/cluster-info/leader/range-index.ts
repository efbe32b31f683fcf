import type { Cidr } from '@isthmus/machinery';

/** Ranges in the order in which they were added. They are looked up by overlap. */
export interface RangeIndex<T> {
  add(cidr: Cidr, item: T): void;
  /** The range that was added first, among those that overlap with `cidr` and pass the filter. */
  firstOverlap(cidr: Cidr, isMeant: (item: T) => boolean): T | undefined;
}

interface Entry<T> {
  readonly order: number;
  readonly item: T;
}

/**
 * An index of ranges. `all`: every range that will be added or looked up. If two ranges overlap,
 * one contains the other. So a range is looked up by its prefixes of the existing lengths, and
 * thousands of ranges need no pairwise comparison.
 */
export function createRangeIndex<T>(all: Iterable<Cidr>): RangeIndex<T> {
  const lengths = { IPv4: new Set<number>(), IPv6: new Set<number>() };
  for (const { family, length } of all) lengths[family].add(length);
  const at = new Map<string, Entry<T>[]>();
  const under = new Map<string, Entry<T>[]>();
  let added = 0;

  const put = (entries: Map<string, Entry<T>[]>, key: string, entry: Entry<T>) => {
    const found = entries.get(key);
    if (found === undefined) entries.set(key, [entry]);
    else found.push(entry);
  };
  const shorterThan = ({ family, length }: Cidr) => [...lengths[family]].filter((one) => one < length);

  return {
    add(cidr, item) {
      const entry = { order: added++, item };
      put(at, prefixKey(cidr, cidr.length), entry);
      for (const length of shorterThan(cidr)) put(under, prefixKey(cidr, length), entry);
    },
    firstOverlap(cidr, isMeant) {
      const own = prefixKey(cidr, cidr.length);
      const around = shorterThan(cidr).map((length) => at.get(prefixKey(cidr, length)));
      let first: Entry<T> | undefined;
      for (const entries of [under.get(own), at.get(own), ...around]) {
        const found = entries?.find(({ item }) => isMeant(item));
        if (found !== undefined && (first === undefined || found.order < first.order)) first = found;
      }
      return first?.item;
    },
  };
}

function prefixKey({ family, value }: Cidr, length: number): string {
  return `${family} ${length} ${value >> BigInt((family === 'IPv4' ? 32 : 128) - length)}`;
}
