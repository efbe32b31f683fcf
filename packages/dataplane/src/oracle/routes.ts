import type { Address } from '@isthmus/machinery';
import { contains, parseCidr } from '@isthmus/machinery';
import type { Network } from '../network/network.ts';

/** The ways that our routes have for a packet: a device, and the next hop on it. Undefined: they have none, and the Node's own routes count. */
export function waysTo(
  { rules, routes, nextHops }: Network,
  destination: Address,
  from: string | undefined,
): readonly { readonly dev: string; readonly via: string }[] | undefined {
  const looked = [...rules.values()]
    .filter((rule) => rule.family === destination.family && (rule.from === undefined || rule.from === from))
    .toSorted((a, b) => a.priority - b.priority);
  for (const { table } of looked) {
    const [best] = [...routes.values()]
      .flatMap((route) => {
        const to = route.table === table ? parseCidr(route.to) : undefined;
        return to !== undefined && contains(to, destination) ? [{ route, length: to.length }] : [];
      })
      .toSorted((a, b) => b.length - a.length);
    if (best === undefined) continue;
    // Straight into a device go only the packets of tunnels, of which this knows nothing.
    const hop = 'dev' in best.route ? undefined : nextHops.get(best.route.nextHop);
    const members = hop === undefined ? [] : 'group' in hop ? hop.group : [hop.id];
    return members.flatMap((id) => {
      const member = nextHops.get(id);
      return member === undefined || 'group' in member ? [] : [{ dev: member.dev, via: member.via }];
    });
  }
  return undefined;
}
