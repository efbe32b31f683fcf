import type { Address } from '@isthmus/machinery';
import { contains, parseCidr } from '@isthmus/machinery';
import type { Network } from '../network/network.ts';

/**
 * The paths that our routes have for a packet: a device, and the next hop on it. Undefined: our
 * routes do not match, so the Node's own routes apply.
 */
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
    // A route directly into a device is only for packets of tunnels, which are not modelled here.
    const hop = 'dev' in best.route ? undefined : nextHops.get(best.route.nextHop);
    const members = hop === undefined ? [] : 'group' in hop ? hop.group : [hop.id];
    return members.flatMap((id) => {
      const member = nextHops.get(id);
      return member === undefined || 'group' in member ? [] : [{ dev: member.dev, via: member.via }];
    });
  }
  return undefined;
}
