import { equal } from '@isthmus/machinery';
import type { ChainName, SetName } from './chains.ts';
import { withoutDevices } from './without-devices.ts';
import type {
  Chain,
  ElementValue,
  Link,
  Network,
  NextHop,
  NftSet,
  Peer,
  PolicyRule,
  Route,
  WireGuardLink,
  WireGuardPeer,
} from './network.ts';

/** The changes that turn one network into another. `put` replaces items that exist. */
export interface NetworkChange {
  readonly links: LinkChange;
  readonly peers: ItemChange<Peer>;
  readonly nextHops: ItemChange<NextHop>;
  readonly routes: ItemChange<Route>;
  readonly rules: ItemChange<PolicyRule>;
  readonly wireGuards: ItemChange<WireGuardLink>;
  readonly wireGuardPeers: ItemChange<WireGuardPeer>;
  readonly sets: ReadonlyMap<SetName, SetChange>;
  readonly chains: ReadonlyMap<ChainName, ChainChange>;
  /** Nothing is left in the nft table, so the table is removed as well. */
  readonly isTableGone: boolean;
}

export interface ItemChange<T> {
  readonly put: readonly T[];
  readonly remove: readonly T[];
}

export interface LinkChange extends ItemChange<Link> {
  /** Devices that are removed first, because the devices of the same names in `put` differ. */
  readonly remade: readonly Link[];
  /**
   * Devices of `put` that exist, and get another MTU or are set up. All routes through them are
   * kept.
   */
  readonly resized: readonly Link[];
}

/** A change of a set or map of the nft table. */
export type SetChange =
  | { readonly kind: 'new'; readonly set: NftSet }
  | { readonly kind: 'gone'; readonly set: NftSet }
  /** An element of a map that gets another value is in both. */
  | { readonly kind: 'elements'; readonly remove: readonly string[]; readonly put: NftSet['elements'] };

export type ChainChange = { readonly kind: 'new' | 'rules'; readonly rules: Chain } | { readonly kind: 'gone' };

/**
 * The changes that turn `before` into `after`.
 *
 * A device is created again if it differs in more than its MTU, or that it is down. The kernel then
 * forgets its peers, next hops and routes, so all of them are put again.
 *
 * Errors: throws if a set has another type under the same name: code gives each type a name.
 */
export function diffNetworks(before: Network, after: Network): NetworkChange {
  const links = itemChange(before.links, after.links);
  const resized = links.put.filter((link) => {
    const { isDown: _, ...old } = before.links.get(link.name) ?? {};
    return equal({ ...old, mtu: link.mtu }, link);
  });
  const remade = links.put.flatMap((link) => (resized.includes(link) ? [] : (before.links.get(link.name) ?? [])));
  const left = withoutDevices(before, new Set(remade.map(({ name }) => name)));
  return {
    links: { ...links, remade, resized },
    peers: itemChange(left.peers, after.peers),
    nextHops: itemChange(left.nextHops, after.nextHops),
    routes: itemChange(left.routes, after.routes),
    rules: itemChange(before.rules, after.rules),
    wireGuards: itemChange(before.wireGuards, after.wireGuards),
    wireGuardPeers: itemChange(before.wireGuardPeers, after.wireGuardPeers),
    sets: setChanges(before.sets, after.sets),
    chains: chainChanges(before.chains, after.chains),
    isTableGone: !isTable(after) && isTable(before),
  };
}

const isTable = ({ sets, chains }: Network) => sets.size > 0 || chains.size > 0;

/**
 * Whether there is nothing to write. `isTableGone` is not checked: then sets or chains are removed,
 * too.
 */
export function isNoChange({ sets, chains, ...others }: NetworkChange): boolean {
  const items = Object.values(others).filter((one) => typeof one === 'object');
  return sets.size === 0 && chains.size === 0 && items.every(({ put, remove }) => put.length + remove.length === 0);
}

/** Parts that were planned from the same objects are the same objects. */
function itemChange<K, T>(before: ReadonlyMap<K, T>, after: ReadonlyMap<K, T>): ItemChange<T> {
  if (before === after) return { put: [], remove: [] };
  return {
    put: [...after].flatMap(([key, item]) => (equal(before.get(key), item) ? [] : [item])),
    remove: [...before].flatMap(([key, item]) => (after.has(key) ? [] : [item])),
  };
}

function setChanges(before: Network['sets'], after: Network['sets']): NetworkChange['sets'] {
  const changes = new Map<SetName, SetChange>();
  if (before === after) return changes;
  for (const [name, set] of before) if (!after.has(name)) changes.set(name, { kind: 'gone', set });
  for (const [name, set] of after) {
    const old = before.get(name);
    if (old === set) continue;
    if (old === undefined) {
      changes.set(name, { kind: 'new', set });
      continue;
    }
    if (old.type !== set.type || old.isInterval !== set.isInterval || isDynamic(old) !== isDynamic(set))
      throw new Error(`cannot change set ${name}: it is of type ${old.type}, not ${set.type}`);
    const remove = differing(old.elements, set.elements).map(([key]) => key);
    const put = new Map(differing(set.elements, old.elements));
    if (remove.length > 0 || put.size > 0) changes.set(name, { kind: 'elements', remove, put });
  }
  return changes;
}

/** The elements of a set that are not in another set. */
function differing(
  elements: NftSet['elements'],
  other: NftSet['elements'],
): readonly (readonly [element: string, value: ElementValue])[] {
  const found: (readonly [string, ElementValue])[] = [];
  for (const [key, value] of elements) if (other.get(key) !== value) found.push([key, value]);
  return found;
}

const isDynamic = (set: NftSet) => set.isDynamic ?? false;

function chainChanges(before: Network['chains'], after: Network['chains']): NetworkChange['chains'] {
  const changes = new Map<ChainName, ChainChange>();
  if (before === after) return changes;
  for (const name of before.keys()) if (!after.has(name)) changes.set(name, { kind: 'gone' });
  for (const [name, rules] of after) {
    const old = before.get(name);
    if (old === undefined) changes.set(name, { kind: 'new', rules });
    else if (!equal(old, rules)) changes.set(name, { kind: 'rules', rules });
  }
  return changes;
}
