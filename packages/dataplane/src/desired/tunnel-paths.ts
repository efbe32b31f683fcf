import type { Address, Family } from '@isthmus/machinery';
import { addressText, cidrText } from '@isthmus/machinery';
import type { Link, Network, NextHop, Peer, PolicyRule, Route } from '../network/network.ts';
import { peerKey, routeKey, ruleKey } from '../network/network.ts';
import type { ClusterNetwork, OwnNode, RemoteCluster } from './cluster-network.ts';
import type { TunnelDevice } from './devices.ts';
import {
  arrivingPriority,
  arrivingTable,
  gatewayDevice,
  gatewayVNI,
  nodeDevice,
  nodeVNI,
  remotePriority,
  remoteTable,
  tunnelMTU,
} from './devices.ts';
import { nextHopIDs } from './next-hop-ids.ts';
import { directKey, directQuestions } from './direct-paths.ts';
import { encryptedPaths, usableRemotes } from './encrypted-paths.ts';
import { families, ofFamily, ownGateways, ownNode, rangesOf, returnAddress } from './own-node.ts';
import { tunnelAddresses } from './tunnel-addresses.ts';
import { virtualOf } from './virtual-cidrs.ts';

/**
 * Devices, peers and routes. A Node sends packets for other clusters to the gateways of its own
 * cluster. These send them to the gateways of the other cluster, which send them to the Node of the
 * Pod. Flows are divided among gateways. Gateways keep no state, so each packet may take another
 * one. A gateway that does not answer probes is removed from the groups, but kept ready for its
 * return. If none answers, all are used.
 *
 * Pods of another cluster that are reached without a tunnel get no route here: the routes of the
 * Node apply.
 *
 * Connections to ClusterIPs of another cluster are translated on the gateway that receives them
 * there. All Nodes therefore send them to the same gateway: the first that answers. Answers of
 * endpoints on other Nodes go to the return address of that gateway, through the tunnel that the
 * request came by.
 */
export function tunnelPaths(cluster: ClusterNetwork): Omit<Network, 'sets' | 'chains'> {
  const self = ownNode(cluster);
  const gateways = ownGateways(cluster, self);
  const isDirect = (remote: Pick<RemoteCluster, 'clusterID'>, family: Family) =>
    cluster.direct?.has(directKey(remote, family)) === true;
  const paths: Paths = { hops: new Map(), routes: [], peers: new Map(), silent: cluster.silent ?? new Set() };
  if (self.isGateway) {
    for (const { clusterID, podCIDRs, serviceCIDR, gatewayIPs } of usableRemotes(cluster)) {
      const reachable = ofFamily(gatewayIPs, self.address.family);
      if (serviceCIDR !== undefined) {
        const { family } = serviceCIDR;
        const way = { name: `services of ${clusterID}`, dev: gatewayDevice, ends: reachable, family, isFirst: true };
        const via = wayTo(paths, way);
        if (via !== undefined) paths.routes.push({ table: remoteTable, to: cidrText(serviceCIDR), via });
      }
      for (const cidr of podCIDRs) {
        if (isDirect({ clusterID }, cidr.family)) continue;
        const via = wayTo(paths, { name: `to ${clusterID}`, dev: gatewayDevice, ends: reachable, family: cidr.family });
        if (via !== undefined) paths.routes.push({ table: remoteTable, to: cidrText(cidr), via });
      }
    }
    for (const node of otherNodes(cluster, self)) {
      const known = node.podCIDRs.flatMap((cidr) => virtualOf(cidr, cluster.virtualCIDRs) ?? []);
      for (const cidr of [...node.podCIDRs, ...known]) {
        const via = wayTo(paths, {
          name: `node ${node.name}`,
          dev: nodeDevice,
          ends: [node.address],
          family: cidr.family,
        });
        if (via !== undefined) paths.routes.push({ table: arrivingTable, to: cidrText(cidr), via });
      }
    }
  } else {
    const ends = gateways.map(({ address }) => address);
    for (const remote of cluster.remotes)
      for (const cidr of rangesOf(remote)) {
        if (isDirect(remote, cidr.family) && remote.podCIDRs.includes(cidr)) continue;
        const via = wayTo(paths, { name: 'gateways', dev: nodeDevice, ends, family: cidr.family });
        if (via !== undefined) paths.routes.push({ table: remoteTable, to: cidrText(cidr), via });
      }
  }
  for (const node of gateways.filter(({ name }) => name !== self.name))
    for (const family of families) {
      const back = returnAddress(node, family);
      const way = { name: `node ${node.name}`, dev: nodeDevice, ends: [node.address], family };
      const via = back === undefined ? undefined : wayTo(paths, way);
      if (back !== undefined && via !== undefined)
        paths.routes.push({ table: remoteTable, to: `${addressText(back)}/${family === 'IPv4' ? 32 : 128}`, via });
    }
  const { routes, ...others } = numbered(paths);
  const encryption = encryptedPaths(cluster, self);
  return {
    links: linksOf(cluster, self),
    ...others,
    routes: new Map([...routes, ...encryption.routes]),
    rules: new Map([...rulesOf(self), ...encryption.rules, ...directQuestions(cluster, self).rules]),
    wireGuards: encryption.wireGuards,
    wireGuardPeers: encryption.wireGuardPeers,
  };
}

/** Next hops by name, before they have IDs. */
interface Paths {
  readonly hops: Map<string, { readonly dev: string; readonly via: string } | { readonly group: readonly string[] }>;
  readonly routes: { readonly table: number; readonly to: string; readonly via: string }[];
  readonly peers: Map<string, Peer>;
  /** The keys of silent peers. */
  readonly silent: ReadonlySet<string>;
}

/**
 * The most gateways that the flows of a Node are divided among. `ip` 6.1 does not write groups of
 * more than about 120; other clusters announce no more than these.
 */
const mostOfGroup = 64;

/**
 * The path to any end of tunnels on a device, or to the first of them, as the name of its next hop.
 * Undefined: there is no end.
 */
function wayTo(
  { hops, peers, silent }: Paths,
  {
    name,
    dev,
    ends,
    family,
    isFirst = false,
  }: {
    readonly name: string;
    readonly dev: string;
    readonly ends: readonly Address[];
    readonly family: Family;
    /** Only the first usable peer is used. Default: false. */
    readonly isFirst?: boolean | undefined;
  },
): string | undefined {
  if (ends.length === 0) return undefined;
  const members = ends.map((end) => {
    const underlay = addressText(end);
    const { mac, hop } = tunnelAddresses(end);
    const via = hop[family];
    const key = peerKey({ dev, underlay });
    peers.set(key, { dev, mac, underlay, hops: [...new Set([hop.IPv4, hop.IPv6])] });
    const member = `${dev} ${via}`;
    hops.set(member, { dev, via });
    return { member, isSilent: silent.has(key) };
  });
  const answering = members.filter(({ isSilent }) => !isSilent);
  const usable = answering.length === 0 ? members : answering;
  const used = usable.slice(0, isFirst ? 1 : mostOfGroup);
  const group = `${dev} ${name} ${family}`;
  hops.set(group, { group: used.map(({ member }) => member) });
  return group;
}

function numbered({ hops, routes, peers }: Omit<Paths, 'silent'>): Pick<Network, 'peers' | 'nextHops' | 'routes'> {
  const ids = nextHopIDs(hops.keys());
  const idOf = (name: string) => ids.get(name) ?? 0;
  const nextHops = [...hops].map(([name, hop]): NextHop =>
    'group' in hop
      ? { id: idOf(name), group: hop.group.map(idOf).toSorted((a, b) => a - b) }
      : { id: idOf(name), ...hop },
  );
  return {
    peers,
    nextHops: new Map(nextHops.map((hop) => [hop.id, hop])),
    routes: new Map(
      routes.map(({ table, to, via }): [string, Route] => [routeKey({ table, to }), { table, to, nextHop: idOf(via) }]),
    ),
  };
}

function linksOf({ settings }: ClusterNetwork, self: OwnNode): ReadonlyMap<string, Link> {
  const link = (name: TunnelDevice, vni: number, address: Address): [string, Link] => [
    name,
    {
      name,
      vni,
      port: settings.port,
      local: addressText(address),
      mac: tunnelAddresses(address).mac,
      mtu: tunnelMTU(name, settings, address),
    },
  ];
  return new Map([
    link(nodeDevice, nodeVNI, self.address),
    // Other clusters derive the addresses inside of their tunnels from the one that they know.
    ...(self.isGateway ? [link(gatewayDevice, gatewayVNI, self.gatewayAddress ?? self.address)] : []),
  ]);
}

function rulesOf({ isGateway }: OwnNode): ReadonlyMap<string, PolicyRule> {
  const rules = families.flatMap((family): readonly PolicyRule[] => [
    ...(isGateway ? [{ family, priority: arrivingPriority, from: gatewayDevice, table: arrivingTable }] : []),
    { family, priority: remotePriority, table: remoteTable },
  ]);
  return new Map(rules.map((rule) => [ruleKey(rule), rule]));
}

function otherNodes({ nodes }: ClusterNetwork, self: OwnNode): readonly OwnNode[] {
  return nodes.filter(({ name, address }) => name !== self.name && address.family === self.address.family);
}
