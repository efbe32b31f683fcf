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
  /** By ID. Groups refer to their members by ID. */
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
  /**
   * Another program has set it down: the kernel then rejects next hops through it. Default: it is
   * up.
   */
  readonly isDown?: true | undefined;
}

/** Another Node at the end of a tunnel. */
export interface Peer {
  readonly dev: string;
  readonly mac: string;
  /** The address that its packets are sent to. */
  readonly underlay: string;
  /** The addresses at which next hops refer to it, one for each family that it can carry. */
  readonly hops: readonly string[];
}

/** One next hop, or a group that shares the flows. */
export type NextHop =
  | { readonly id: number; readonly dev: string; readonly via: string }
  | { readonly id: number; readonly group: readonly number[] };

/** A WireGuard device. Only the kernel has its private key, which is not part of this data. */
export interface WireGuardLink {
  readonly name: string;
  /** The UDP port that it listens on. */
  readonly port: number;
  readonly mtu: number;
}

/** A peer that a WireGuard device sends to, and accepts packets from. */
export interface WireGuardPeer {
  readonly dev: string;
  readonly publicKey: string;
  /** The address and port that encrypted packets are sent to, in the format of `wg`. */
  readonly endpoint: string;
  /** The source and destination addresses that are allowed inside, as networks. */
  readonly allowed: string;
}

/** A route to a next hop, or directly into a device. */
export type Route = { readonly table: number; readonly to: string } & (
  | { readonly nextHop: number }
  | { readonly dev: string }
);

/** Selects the packets that look up a table. */
export interface PolicyRule {
  readonly family: 'IPv4' | 'IPv6';
  readonly priority: number;
  /** Only packets that arrived by this device. */
  readonly from?: string | undefined;
  /** Only UDP packets from, or to, this port. */
  readonly udp?: { readonly end: 'sport' | 'dport'; readonly port: number } | undefined;
  readonly table: number;
}

/** A set, or a map if its elements have values. */
export interface NftSet {
  /** The type in the syntax of nft: `type ipv4_addr`, `typeof ip saddr . @th,336,32`. */
  readonly type: string;
  readonly isInterval: boolean;
  /**
   * The kernel adds elements while it translates, and removes each after its timeout. These
   * elements are neither read nor compared. Default: false.
   */
  readonly isDynamic?: boolean | undefined;
  /** From each element to its value; empty in a set. */
  readonly elements: ReadonlyMap<string, ElementValue>;
}

/** Empty in a set; in a map, a verdict or a mark. */
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
/** The key has all fields, because the kernel allows several rules of the same priority. */
export const ruleKey = ({ family, priority, from, udp, table }: PolicyRule): string =>
  [
    `${family} ${priority}`,
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(udp === undefined ? [] : [`UDP ${udp.end} ${udp.port}`]),
    `table ${table}`,
  ].join(' ');
