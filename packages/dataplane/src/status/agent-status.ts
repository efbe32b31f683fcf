import type { Family } from '@isthmus/machinery';
import { addressText, cidrText } from '@isthmus/machinery';
import type { ClusterNetwork, ImportedService, VirtualCIDR } from '../desired/cluster-network.ts';
import { ownNode } from '../desired/own-node.ts';
import { unreachedOf, usableEndpoints } from '../desired/usable-endpoints.ts';
import type { Network } from '../network/network.ts';
import type { Problem } from '../objects/problem.ts';
import type { GatewayReport } from '../probes/gateway-record.ts';
import type { PolicyStatus } from './policy-status.ts';

/**
 * The knowledge and the desired network of an agent, as it answers at {@link statusPath}. It has no
 * secrets: keys of WireGuard are public keys.
 */
export interface AgentStatus {
  readonly node: string;
  readonly isGateway: boolean;
  /** Why the network is not as it should be; empty if it is. */
  readonly notReady: readonly string[];
  /** Notes that do not make the network wrong. */
  readonly notes: readonly AgentNote[];
  readonly problems: readonly Problem[];
  readonly encryption: 'none' | 'wireGuard';
  readonly gateways: readonly GatewayStatus[];
  /**
   * The virtual ranges of Pods of this cluster. An agent of the previous release does not report
   * them.
   */
  readonly virtualPodCIDRs?: readonly VirtualStatus[] | undefined;
  /**
   * The Pods of other clusters that are reached without a tunnel. An agent of the previous release
   * does not report it.
   */
  readonly directPaths?: DirectStatus | undefined;
  readonly services: readonly ServiceStatus[];
  /** Undefined: packets carry no numbers of labels, and the agent enforces no policies. */
  readonly policies?: PolicyStatus | undefined;
  /**
   * Undefined: the agent has not read all objects yet, so its desired network is not known, and it
   * writes nothing.
   */
  readonly desired?: NetworkItems | undefined;
}

/** A note of an agent, with the next step. */
export interface AgentNote {
  readonly message: string;
  /** The next step, as sentences. */
  readonly next: string;
}

export interface GatewayStatus {
  /** Its address outside of the tunnel. */
  readonly address: string;
  /** Undefined: the own cluster. */
  readonly clusterID?: string | undefined;
  readonly device: string;
  /** `new`: it has not answered yet. */
  readonly state: 'new' | 'alive' | 'dead';
  /** The round-trip time of the last answer. */
  readonly roundTripMs?: number | undefined;
  /** The share of the last probes without an answer, from 0 to 1. */
  readonly loss: number;
  /** How many probes were sent and have ended. */
  readonly probes: number;
  /** Why the last probe could not be sent. */
  readonly impossible?: string | undefined;
  /** The size of the largest packet that the tunnel carries, in bytes. */
  readonly largest?: number | undefined;
  /**
   * The largest packet that it answers, in bytes, if larger ones are lost on the way. Default: none
   * is lost for its size, or that is not known.
   */
  readonly carries?: number | undefined;
}

export interface DirectStatus {
  /** Why direct paths are not looked for; undefined: they are. */
  readonly off?: string | undefined;
  /** Each cluster that can be asked, in each family. */
  readonly clusters: readonly {
    readonly clusterID: string;
    readonly family: Family;
    /** Packets to its Pods take no tunnel. */
    readonly isUsed: boolean;
    /** How many of its addresses are asked, and how many of these answer. */
    readonly asked: number;
    readonly answering: number;
    /** The round-trip time of the last answer. */
    readonly roundTripMs?: number | undefined;
  }[];
}

/** A Pod CIDR of this cluster, and the range that other clusters use for it. */
export interface VirtualStatus {
  readonly own: string;
  readonly virtual: string;
}

/** One port of an imported Service, and the endpoints that clients on this Node get. */
export interface ServiceStatus {
  readonly namespace: string;
  readonly name: string;
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
  /** The result for new connections: they are translated to `endpoints`, rejected or dropped. */
  readonly result: 'translate' | 'reject' | 'drop';
  readonly endpoints: readonly {
    /** Undefined: the own cluster. */
    readonly clusterID?: string | undefined;
    readonly address: string;
    readonly port: number;
  }[];
}

/** The desired or observed content of the kernel, by kind and key: each item as readable text. */
export type NetworkItems = Readonly<Record<NetworkKind, Readonly<Record<string, string>>>>;

export const networkKinds = [
  'links',
  'peers',
  'nextHops',
  'routes',
  'rules',
  'wireGuards',
  'wireGuardPeers',
  'chains',
  'sets',
] as const;
export type NetworkKind = (typeof networkKinds)[number];

/**
 * The path at which an agent answers with its {@link AgentStatus}, beside `/healthz` and `/readyz`.
 */
export const statusPath = '/status';

/** The items of a network, except its nft table. */
export function kernelItems(network: Network): Omit<NetworkItems, 'chains' | 'sets'> {
  const { links, peers, nextHops, routes, rules, wireGuards, wireGuardPeers } = network;
  return {
    links: texts(
      links,
      ({ vni, port, local, mac, mtu, isDown }) =>
        `VNI ${vni}, UDP ${port}, from ${local}, ${mac}, MTU ${mtu}${isDown === true ? ', down' : ''}`,
    ),
    peers: texts(peers, ({ mac, hops }) => `${mac}, next hops ${hops.toSorted().join(' and ')}`),
    nextHops: texts(nextHops, (hop) =>
      'group' in hop ? `one of ${hop.group.join(', ')}` : `${hop.via} by ${hop.dev}`,
    ),
    routes: texts(routes, (route) => ('dev' in route ? `into ${route.dev}` : `next hop ${route.nextHop}`)),
    rules: texts(rules, ({ table }) => `table ${table}`),
    wireGuards: texts(wireGuards, ({ port, mtu }) => `UDP ${port}, MTU ${mtu}`),
    wireGuardPeers: texts(wireGuardPeers, ({ endpoint, allowed }) => `at ${endpoint}, for ${allowed}`),
  };
}

/** The items of a network. For chains and sets: the number of rules and elements. */
export function desiredItems(network: Network): NetworkItems {
  return {
    ...kernelItems(network),
    chains: texts(network.chains, ({ length }) => ruleCount(length)),
    sets: texts(network.sets, ({ elements }) => elementCount(elements.size)),
  };
}

export const ruleCount = (count: number): string => `${count} rules`;
export const elementCount = (count: number): string => `${count} elements`;

function texts<K, T>(items: ReadonlyMap<K, T>, text: (item: T) => string): Readonly<Record<string, string>> {
  return Object.fromEntries([...items].map(([key, item]) => [String(key), text(item)]));
}

/** Imported Services as clients on a Node see them. */
export function serviceStatuses(cluster: ClusterNetwork): readonly ServiceStatus[] {
  const self = ownNode(cluster);
  const unreached = unreachedOf(cluster);
  return cluster.services.map((service: ImportedService) => {
    const usable = usableEndpoints(service, self, unreached);
    const { namespace, name, protocol, address, port } = service;
    const endpoints = typeof usable === 'string' ? [] : usable;
    return {
      namespace,
      name,
      protocol,
      address: addressText(address),
      port,
      result: typeof usable === 'string' ? usable : 'translate',
      endpoints: endpoints.map((one) => ({
        ...(one.clusterID !== '' && { clusterID: one.clusterID }),
        address: addressText(one.address),
        port: one.port,
      })),
    };
  });
}

export function virtualStatus({ own, virtual }: VirtualCIDR): VirtualStatus {
  return { own: cidrText(own), virtual: cidrText(virtual) };
}

export function gatewayStatus(report: GatewayReport): GatewayStatus {
  const { gateway, state, roundTripMs, loss, probes, impossible, carries } = report;
  const { underlay: address, clusterID, device, largest } = gateway;
  return { address, clusterID, device, state, roundTripMs, loss, probes, impossible, largest, carries };
}
