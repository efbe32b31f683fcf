import type { ChainName, SetName } from '../network/chains.ts';
import type { Network, NftSet } from '../network/network.ts';
import type { Part } from '../network/nft-rule.ts';
import { ruleText } from '../network/render-rule.ts';
import { peerKey, routeKey, ruleKey } from '../network/network.ts';
import type { ItemChange, NetworkChange } from '../network/diff.ts';
import { withoutDevices } from '../network/without-devices.ts';

/**
 * What a change makes of a network, in the order in which it is written. Errors: throws for what the kernel would refuse: to remove what is not there, to name what
 * does not exist.
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
  for (const hop of left.nextHops.values()) {
    if ('group' in hop ? hop.group.some((id) => !left.nextHops.has(id)) : !left.links.has(hop.dev))
      throw new Error(`next hop ${JSON.stringify(hop)} names what does not exist`);
  }
  for (const route of left.routes.values())
    if ('dev' in route ? !left.wireGuards.has(route.dev) : !left.nextHops.has(route.nextHop))
      throw new Error(`what route ${routeKey(route)} leads to does not exist`);
  for (const { dev } of left.wireGuardPeers.values())
    if (!left.wireGuards.has(dev)) throw new Error(`peers of device ${dev}, which does not exist`);
  const chains: ReadonlySet<string> = new Set(left.chains.keys());
  const sets: ReadonlySet<string> = new Set(left.sets.keys());
  for (const { elements } of left.sets.values())
    for (const verdict of elements.values())
      if (verdict.startsWith('goto ') && !chains.has(verdict.slice('goto '.length)))
        throw new Error(`${verdict}: no such chain`);
  for (const rule of [...left.chains.values()].flat())
    for (const part of rule) {
      const named = namedBy(part);
      if (!named.chains.every((name) => chains.has(name))) throw new Error(`${ruleText(rule)}: no such chain`);
      if (!named.sets.every((name) => sets.has(name))) throw new Error(`${ruleText(rule)}: no such set`);
    }
  return left;
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
