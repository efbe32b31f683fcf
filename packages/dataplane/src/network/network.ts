import type { ChainName, SetName } from './chains.ts';
import type { Rule } from './nft-rule.ts';

/**
 * The parts of the network of one Node that the agent owns, as data: devices, tunnel peers, next
 * hops, routes, rules, and one nft table. Each kind is a map from a key to an item, so the same few
 * lines compare and write all kinds.
 */
export interface Network {
  /** By name. */
  readonly links: ReadonlyMap<string, Link>;
  /** By {@link peerKey}. */
  readonly peers: ReadonlyMap<string, Peer>;
  /** By ID. Groups refer to others by theirs. */
  readonly nextHops: ReadonlyMap<number, NextHop>;
  /** By {@link routeKey}. */
  readonly routes: ReadonlyMap<string, Route>;
  /** By {@link ruleKey}. */
  readonly rules: ReadonlyMap<string, PolicyRule>;
  /** By name. */
  readonly wireGuards: ReadonlyMap<string, WireGuardLink>;
  /** By public key. */
  readonly wireGuardPeers: ReadonlyMap<string, WireGuardPeer>;
  /** Sets and maps of the nft table, by name. */
  readonly sets: ReadonlyMap<SetName, NftSet>;
  /** Chains of the nft table, by name. */
  readonly chains: ReadonlyMap<ChainName, Chain>;
}

/** A VXLAN device. */
export interface Link {
  readonly name: string;
  readonly vni: number;
  readonly port: number;
  /** The address of the Node that packets are sent from. */
  readonly local: string;
  readonly mac: string;
  readonly mtu: number;
  /** Somebody has set it down: the kernel then takes no next hops by it. Default: it is up. */
  readonly isDown?: true | undefined;
}

/** Another Node at the end of a tunnel. */
export interface Peer {
  readonly dev: string;
  readonly mac: string;
  /** Where packets for it are sent. */
  readonly underlay: string;
  /** The addresses by which next hops name it, one for each family that it can carry. */
  readonly hops: readonly string[];
}

/** One way, or several that share the flows. */
export type NextHop =
  | { readonly id: number; readonly dev: string; readonly via: string }
  | { readonly id: number; readonly group: readonly number[] };

/** A device of WireGuard. Its private key is in the kernel alone, and is no part of this. */
export interface WireGuardLink {
  readonly name: string;
  /** The UDP port that it listens on. */
  readonly port: number;
  readonly mtu: number;
}

/** Who a device of WireGuard sends to, and takes packets from. */
export interface WireGuardPeer {
  readonly dev: string;
  readonly publicKey: string;
  /** Where encrypted packets are sent: address and port, as `wg` writes them. */
  readonly endpoint: string;
  /** The addresses that may be inside, as networks. */
  readonly allowed: string;
}

/** To a next hop, or straight into a device. */
export type Route = { readonly table: number; readonly to: string } & (
  | { readonly nextHop: number }
  | { readonly dev: string }
);

/** Which packets look up a table. */
export interface PolicyRule {
  readonly family: 'IPv4' | 'IPv6';
  readonly priority: number;
  /** Only packets that came in there. */
  readonly from?: string | undefined;
  /** Only packets of UDP from, or to, this port. */
  readonly udp?: { readonly end: 'sport' | 'dport'; readonly port: number } | undefined;
  readonly table: number;
}

/** A set, or a map if its elements have values. */
export interface NftSet {
  /** As nft writes it: `type ipv4_addr`, `typeof ip saddr . @th,336,32`. */
  readonly type: string;
  readonly isInterval: boolean;
  /**
   * The kernel adds elements while it translates, and forgets each after its time. These elements
   * are neither read nor compared. Default: false.
   */
  readonly isDynamic?: boolean | undefined;
  /** From each element to its value; empty in a set. */
  readonly elements: ReadonlyMap<string, ElementValue>;
}

/** Nothing, a verdict or a mark. */
export type ElementValue = '' | 'drop' | `goto ${ChainName}` | `0x${string}`;

/** Rules in their order. */
export type Chain = readonly Rule[];

export const emptyNetwork: Network = {
  links: new Map(),
  peers: new Map(),
  nextHops: new Map(),
  routes: new Map(),
  rules: new Map(),
  wireGuards: new Map(),
  wireGuardPeers: new Map(),
  sets: new Map(),
  chains: new Map(),
};

export const peerKey = ({ dev, underlay }: Pick<Peer, 'dev' | 'underlay'>): string => `${dev} ${underlay}`;
export const routeKey = ({ table, to }: Pick<Route, 'table' | 'to'>): string => `${table} ${to}`;
/** All of it: the kernel keeps a rule beside another one of the same priority. */
export const ruleKey = ({ family, priority, from, udp, table }: PolicyRule): string =>
  [
    `${family} ${priority}`,
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(udp === undefined ? [] : [`UDP ${udp.end} ${udp.port}`]),
    `table ${table}`,
  ].join(' ');
