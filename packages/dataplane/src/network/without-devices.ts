import type { Network, NextHop } from './network.ts';

/**
 * The part of a network that remains when devices are removed. The kernel also removes their peers,
 * the next hops through them, groups without a member, and the routes through all of these.
 */
export function withoutDevices(network: Network, devices: ReadonlySet<string>): Network {
  if (devices.size === 0) return network;
  const single = filtered(network.nextHops, (hop) => 'group' in hop || !devices.has(hop.dev));
  const nextHops = new Map<number, NextHop>();
  for (const [id, hop] of single) {
    const left = 'group' in hop ? { id, group: hop.group.filter((member) => single.has(member)) } : hop;
    if (!('group' in left) || left.group.length > 0) nextHops.set(id, left);
  }
  return {
    ...network,
    links: filtered(network.links, ({ name }) => !devices.has(name)),
    peers: filtered(network.peers, ({ dev }) => !devices.has(dev)),
    nextHops,
    routes: filtered(network.routes, (route) =>
      'dev' in route ? !devices.has(route.dev) : nextHops.has(route.nextHop),
    ),
  };
}

function filtered<K, T>(items: ReadonlyMap<K, T>, keep: (item: T) => boolean): ReadonlyMap<K, T> {
  return new Map([...items].filter(([, item]) => keep(item)));
}
