import type { Cidr } from '@isthmus/machinery';
import { addressText, cidrText, contains, overlaps, parseCidr, specialUse } from '@isthmus/machinery';

/** What a Node reaches by itself, and no other cluster may claim. */
export interface LocalRange {
  readonly cidr: Cidr;
  /** `network`: the Node is connected to it. `route`: it is in the main table of the Node. */
  readonly what: 'network' | 'route' | 'gateway' | 'nameserver' | 'leader';
}

/** So many ranges are listed; those behind them are not. */
export const mostLocalRanges = 32;

const longest = 2_048;
const entry = /^(network|route|gateway|nameserver|leader) ([0-9a-f.:]{2,45}\/\d{1,3})$/;
/** A Node has no network that is wider than this. */
const widest = { IPv4: 8, IPv6: 32 };
const bits = { IPv4: 32, IPv6: 128 };

/**
 * As the annotation `isthmus.dev/local-ranges` has them: `nameserver 10.0.0.53/32, …`, sorted, so
 * that the order of answers about names changes nothing.
 */
export function localRangesText(ranges: readonly LocalRange[]): string {
  return ranges
    .slice(0, mostLocalRanges)
    .map(({ cidr, what }) => `${what} ${cidrText(cidr)}`)
    .toSorted()
    .join(', ');
}

/**
 * Reads the annotation. Entries that are not valid are left out, and so are ranges that no Node
 * lists: wider than any network, or with a special use. Otherwise one Node could contradict every
 * range of other clusters.
 */
export function parseLocalRanges(text = ''): readonly LocalRange[] {
  if (text.length > longest) return [];
  return text
    .split(', ')
    .slice(0, mostLocalRanges)
    .flatMap((one) => {
      const [, what, range = ''] = entry.exec(one) ?? [];
      const cidr = parseCidr(range);
      if (cidr === undefined || !isKind(what) || specialUse(cidr) !== undefined) return [];
      const shortest = what === 'network' || what === 'route' ? widest : bits;
      return cidr.length < shortest[cidr.family] ? [] : [{ cidr, what }];
    });
}

function isKind(what: string | undefined): what is LocalRange['what'] {
  return what !== undefined && (what === 'network' || what === 'route' || what in localThings);
}

/**
 * Why a range of another cluster may not be used on a Node with this local one, as the end of a
 * sentence. A route as wide as the range, or wider, is there to reach that cluster, or everything.
 */
export function localProblem(range: Cidr, { cidr, what }: LocalRange, node = 'this Node'): string | undefined {
  const address = addressText({ family: cidr.family, value: cidr.value });
  switch (what) {
    case 'network':
      return overlaps(range, cidr) ? `it overlaps with ${cidrText(cidr)}, a network of ${node}` : undefined;
    case 'route':
      return range.length < cidr.length && contains(range, cidr)
        ? `it contains ${cidrText(cidr)}, to which ${node} has a route of its own`
        : undefined;
    case 'gateway':
    case 'nameserver':
    case 'leader':
      return contains(range, cidr) ? `it contains ${address}, ${localThings[what](node)}` : undefined;
  }
}

const localThings = {
  gateway: (node: string) => `the default gateway of ${node}`,
  nameserver: (node: string) => `a nameserver of ${node}`,
  leader: () => 'the address of the API server of the leader',
} as const;
