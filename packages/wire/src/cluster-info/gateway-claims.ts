import type { ClusterInfo } from '@isthmus/api';
import { tunnelMAC } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { parseAddress } from '@isthmus/machinery';
import { usableGateways } from './usable-gateways.ts';

/** A cluster whose gateways are compared with those of others. */
export interface GatewayOwner {
  readonly clusterID: string;
  readonly announced: ClusterInfo;
  /** Its network as it is in use. */
  readonly published: ClusterInfo | undefined;
  /** Since when it is announced, RFC 3339. */
  readonly since: string;
  /** Whether an administrator granted the address to the cluster by name. Default: none is. */
  readonly isNamed?: ((address: Address) => boolean) | undefined;
}

/** A gateway or its key that is not used, because another cluster has it. */
export interface TakenGateway {
  readonly clusterID: string;
  readonly gatewayIP: string;
  /** The cluster that has it, and which of its gateways. */
  readonly other: string;
  readonly otherGatewayIP: string;
  readonly what: 'address' | 'tunnel address' | 'key';
}

export interface JudgedGateways {
  /** The network that a cluster announces, with the gateways and keys that are its own. */
  usableOf(clusterID: string): ClusterInfo | undefined;
  readonly taken: readonly TakenGateway[];
}

interface Claim {
  readonly owner: GatewayOwner;
  readonly gatewayIP: string;
  /** What only one cluster may have: an end of tunnels, or a key. */
  readonly thing: string;
  readonly isNamed: boolean;
  readonly isPublished: boolean;
}

/**
 * Gives each end of tunnels and each WireGuard key to one cluster. Two clusters with the same key
 * are one peer to the kernel, and two gateways with the same address in tunnels are one neighbour,
 * so the packets for one cluster would go to the other.
 *
 * An address that an administrator granted by name wins, then what is published, then the older
 * announcement, then the cluster whose ID sorts first. A gateway whose address another cluster has
 * is left out; one whose key another cluster has loses the key.
 *
 * If a cluster would lose all gateways, those that are published stay: another cluster can announce
 * the addresses of its next Nodes first, and without a network the packets for it would leave by
 * other routes.
 */
export function judgeGateways(owners: readonly GatewayOwner[]): JudgedGateways {
  const holders = new Map<string, Claim>();
  for (const claim of owners.flatMap(claimsOf).toSorted(earlierFirst))
    if (!holders.has(claim.thing)) holders.set(claim.thing, claim);
  const holderOf = (thing: string | undefined, { clusterID }: GatewayOwner) => {
    const holder = thing === undefined ? undefined : holders.get(thing);
    return holder?.owner.clusterID === clusterID ? undefined : holder;
  };
  // Its key may be its own at another address: a key belongs to a Node.
  const isFreeFor = (owner: GatewayOwner) => (gateway: Gateway) =>
    thingsOf(gateway).every((thing) => holderOf(thing, owner) === undefined);
  const taken: TakenGateway[] = [];
  const usable = new Map<string, ClusterInfo>();
  for (const owner of owners) {
    const { clusterID, announced } = owner;
    const kept = gatewaysOf(announced).flatMap(({ gatewayIP, publicKey }) => {
      const note = ({ owner: other, gatewayIP: otherGatewayIP }: Claim, what: TakenGateway['what']) =>
        void taken.push({ clusterID, gatewayIP, other: other.clusterID, otherGatewayIP, what });
      const rival = holderOf(endOf(gatewayIP), owner);
      if (rival !== undefined) {
        note(rival, isSameAddress(rival.gatewayIP, gatewayIP) ? 'address' : 'tunnel address');
        return [];
      }
      const keyHolder = holderOf(publicKey && keyThing(publicKey), owner);
      if (keyHolder === undefined) return [{ gatewayIP, ...(publicKey !== undefined && { publicKey }) }];
      note(keyHolder, 'key');
      return [{ gatewayIP }];
    });
    const isCutOff = kept.length === 0 && gatewaysOf(announced).length > 0;
    const gateways = isCutOff ? gatewaysOf(owner.published ?? {}).filter(isFreeFor(owner)) : kept;
    usable.set(clusterID, isWhole(gateways, announced) ? announced : withGateways(announced, gateways));
  }
  return { usableOf: (clusterID) => usable.get(clusterID), taken };
}

/**
 * What a network claims for itself: ends of tunnels and keys. Networks that have one of them in
 * common must be judged together.
 */
export function gatewayThings(network: ClusterInfo): readonly string[] {
  return gatewaysOf(network).flatMap(thingsOf);
}

interface Gateway {
  readonly gatewayIP: string;
  readonly publicKey?: string | undefined;
}

/** The gateways that can be used, each with its key. The key of the first one is elsewhere. */
function gatewaysOf(network: ClusterInfo): readonly Gateway[] {
  const { gatewayInfos = [], wireGuard } = usableGateways(network);
  return gatewayInfos.map(({ gatewayIP = '', publicKey }, index) => ({
    gatewayIP,
    publicKey: publicKey ?? (index === 0 ? wireGuard?.publicKey : undefined),
  }));
}

function withGateways(network: ClusterInfo, gateways: readonly Gateway[]): ClusterInfo {
  const { wireGuard: _key, ...others } = network;
  const publicKey = gateways[0]?.publicKey;
  const kept = { gatewayInfos: [...gateways], ...(publicKey !== undefined && { wireGuard: { publicKey } }) };
  const { gatewayInfos, wireGuard } = usableGateways(kept);
  return { ...others, ...(gatewayInfos && { gatewayInfos }), ...(wireGuard && { wireGuard }) };
}

function isWhole(kept: readonly Gateway[], announced: ClusterInfo): boolean {
  const all = gatewaysOf(announced);
  return (
    all.length === kept.length &&
    all.every(({ gatewayIP, publicKey }, index) => {
      const one = kept[index];
      return gatewayIP === one?.gatewayIP && publicKey === one.publicKey;
    })
  );
}

function claimsOf(owner: GatewayOwner): readonly Claim[] {
  const { announced, published = {}, isNamed = () => false } = owner;
  const before = new Set(gatewayThings(published));
  return gatewaysOf(announced).flatMap((gateway): readonly Claim[] => {
    const address = parseAddress(gateway.gatewayIP);
    const named = address !== undefined && isNamed(address);
    return thingsOf(gateway).map((thing) => ({
      owner,
      gatewayIP: gateway.gatewayIP,
      thing,
      isNamed: named,
      isPublished: before.has(thing),
    }));
  });
}

const keyThing = (publicKey: string) => `key ${publicKey}`;

function thingsOf({ gatewayIP, publicKey }: Gateway): readonly string[] {
  const things = [endOf(gatewayIP), publicKey && keyThing(publicKey)];
  return things.flatMap((thing) => (thing === undefined || thing === '' ? [] : [thing]));
}

/** An address has one end; two IPv6 addresses can have the same. */
function endOf(gatewayIP: string): string | undefined {
  const address = parseAddress(gatewayIP);
  return address && tunnelMAC(address);
}

function isSameAddress(a: string, b: string): boolean {
  const [one, other] = [parseAddress(a), parseAddress(b)];
  return one !== undefined && one.family === other?.family && one.value === other.value;
}

function earlierFirst(a: Claim, b: Claim): number {
  if (a.isNamed !== b.isNamed) return a.isNamed ? -1 : 1;
  if (a.isPublished !== b.isPublished) return a.isPublished ? -1 : 1;
  const [one, other] = [a.owner, b.owner];
  if (one.since !== other.since) return one.since < other.since ? -1 : 1;
  return one.clusterID < other.clusterID ? -1 : Number(one.clusterID > other.clusterID);
}
