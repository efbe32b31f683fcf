import type { Address, Cidr } from '@isthmus/machinery';
import { contains, overlaps, parseCidr } from '@isthmus/machinery';

/** Ranges that no cluster can have for its Pods, Services or gateways: to route them to another cluster would break Nodes (docs/spec/wire.md §8.4). */
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
] as const;

/** The use of an address, or of some in a range, that is special, and the range that has it; undefined where there is none. */
export function specialUse(what: Address | Cidr): { readonly use: string; readonly range: string } | undefined {
  for (const [range, use] of specialRanges) {
    const special = parseCidr(range);
    if (special === undefined) continue;
    if ('length' in what ? overlaps(special, what) : contains(special, what)) return { use, range };
  }
  return undefined;
}
