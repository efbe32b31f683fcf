import type { ChainName, ItemChange, Network, NetworkChange, NftSet, Part, SetName } from '@isthmus/dataplane';
import { peerKey, routeKey, ruleKey, ruleText, withoutDevices } from '@isthmus/dataplane';

/**
 * The network of a Node after a change, as the kernel applies it: in the order in which it is
 * written. Errors: throws for a change that the kernel rejects, because it removes an object that
 * does not exist, or refers to one.
 */
export function applyChange(network: Network, change: NetworkChange): Network {
  const { remade, put, remove } = change.links;
  const kept = withoutDevices(network, new Set(remade.map(({ name }) => name)));
  const written: Network = {
    links: applied(kept.links, { put, remove: [] }, ({ name }) => name),
    peers: applied(kept.peers, change.peers, peerKey),
    nextHops: applied(kept.nextHops, change.nextHops, ({ id }) => id),
    routes: applied(kept.routes, change.routes, routeKey),
    rules: applied(kept.rules, change.rules, ruleKey),
    wireGuards: applied(kept.wireGuards, change.wireGuards, ({ name }) => name),
    wireGuardPeers: applied(kept.wireGuardPeers, change.wireGuardPeers, ({ publicKey }) => publicKey),
    ...nftTableOf(kept, change),
  };
  const left = withoutDevices(written, new Set(remove.map(({ name }) => name)));
  for (const problem of [...routingProblems(left), ...nftProblems(left)]) throw new Error(problem);
  return left;
}

/** References of next hops, routes and WireGuard peers to objects that do not exist. */
function* routingProblems({ links, nextHops, routes, wireGuards, wireGuardPeers }: Network): Iterable<string> {
  for (const hop of nextHops.values())
    if ('group' in hop ? hop.group.some((id) => !nextHops.has(id)) : !links.has(hop.dev))
      yield `next hop ${JSON.stringify(hop)} refers to an object that does not exist`;
  for (const route of routes.values())
    if ('dev' in route ? !wireGuards.has(route.dev) : !nextHops.has(route.nextHop))
      yield `route ${routeKey(route)} refers to an object that does not exist`;
  for (const { dev } of wireGuardPeers.values())
    if (!wireGuards.has(dev)) yield `peers of device ${dev}, which does not exist`;
}

/** References of nft rules and of elements of sets to chains and sets that do not exist. */
function* nftProblems(network: Network): Iterable<string> {
  const chains: ReadonlySet<string> = new Set(network.chains.keys());
  const sets: ReadonlySet<string> = new Set(network.sets.keys());
  for (const { elements } of network.sets.values())
    for (const verdict of elements.values())
      if (verdict.startsWith('goto ') && !chains.has(verdict.slice('goto '.length))) yield `${verdict}: no such chain`;
  for (const rule of [...network.chains.values()].flat())
    for (const part of rule) {
      const named = namedBy(part);
      if (!named.chains.every((name) => chains.has(name))) yield `${ruleText(rule)}: no such chain`;
      if (!named.sets.every((name) => sets.has(name))) yield `${ruleText(rule)}: no such set`;
    }
}

/** The chains and sets that must exist before a rule with this part. */
function namedBy(part: Part): { readonly chains: readonly ChainName[]; readonly sets: readonly SetName[] } {
  if (part.kind === 'goto') return { chains: [part.chain], sets: [] };
  if (part.kind === 'spread') return { chains: part.shares.map(({ chain }) => chain), sets: [] };
  if (part.kind === 'mark') return { chains: [], sets: part.to !== 0 && 'map' in part.to ? [part.to.map] : [] };
  return { chains: [], sets: 'set' in part && part.kind !== 'flags' ? [part.set] : [] };
}

function nftTableOf(kept: Network, change: NetworkChange): Pick<Network, 'sets' | 'chains'> {
  const sets = new Map(kept.sets);
  for (const [name, one] of change.sets) {
    if (one.kind === 'gone') sets.delete(name);
    else if (one.kind === 'new') sets.set(name, one.set);
    else sets.set(name, withElements(sets.get(name), one));
  }
  const chains = new Map(kept.chains);
  for (const [name, one] of change.chains) {
    if (one.kind === 'gone') chains.delete(name);
    else chains.set(name, one.rules);
  }
  return { sets, chains };
}

function applied<K, T>(
  before: ReadonlyMap<K, T>,
  { put, remove }: ItemChange<T>,
  key: (item: T) => K,
): ReadonlyMap<K, T> {
  const now = new Map(before);
  for (const item of remove)
    if (!now.delete(key(item))) throw new Error(`cannot remove ${JSON.stringify(item)}: it does not exist`);
  for (const item of put) now.set(key(item), item);
  return now;
}

function withElements(
  set: NftSet | undefined,
  { remove, put }: { readonly remove: readonly string[]; readonly put: NftSet['elements'] },
): NftSet {
  if (set === undefined) throw new Error('elements of a set that does not exist');
  const elements = new Map(set.elements);
  for (const element of remove) if (!elements.delete(element)) throw new Error(`element ${element} does not exist`);
  for (const [element, value] of put) {
    if (elements.has(element)) throw new Error(`element ${element} exists already`);
    elements.set(element, value);
  }
  return { ...set, elements };
}
