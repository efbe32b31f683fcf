import type { Address } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { Network, PolicyRule, Route, WireGuardPeer } from '../network/network.ts';
import { routeKey, ruleKey } from '../network/network.ts';
import type { ClusterNetwork, OwnNode, RemoteCluster } from './cluster-network.ts';
import { encryptedPriority, encryptedTable, encryptionOverhead, wireGuardDevice } from './devices.ts';
import { ofFamily } from './own-node.ts';

/**
 * The other clusters, without gateways that cannot be reached. If packets are encrypted, a gateway
 * without a key cannot be reached.
 */
export function usableRemotes({ remotes, settings }: ClusterNetwork): readonly RemoteCluster[] {
  if (settings.wireGuardPort === undefined) return remotes;
  return remotes.map((remote) => ({
    ...remote,
    gatewayIPs: remote.gatewayIPs.filter((address) => remote.publicKeys?.[addressText(address)] !== undefined),
  }));
}

/**
 * The routes of tunnel packets through WireGuard, on a gateway of a ClusterSet that encrypts. The
 * tunnels do not change: they lead from the address of one gateway to that of the other. Only their
 * packets are routed into the device, by their UDP port. Nodes therefore need no additional
 * addresses, and packets of WireGuard itself take the usual route.
 */
export function encryptedPaths(
  cluster: ClusterNetwork,
  self: OwnNode,
): Pick<Network, 'wireGuards' | 'wireGuardPeers' | 'routes' | 'rules'> {
  const { port, wireGuardPort, underlayMTU } = cluster.settings;
  if (wireGuardPort === undefined || !self.isGateway)
    return { wireGuards: new Map(), wireGuardPeers: new Map(), routes: new Map(), rules: new Map() };
  const { family } = self.address;
  const gateways = usableRemotes(cluster).flatMap(({ gatewayIPs, publicKeys }) =>
    ofFamily(gatewayIPs, family).map((address) => ({
      address,
      publicKey: publicKeys?.[addressText(address)] ?? '',
    })),
  );
  const mtu = underlayMTU - encryptionOverhead(self.address);
  const rules = (['sent', 'received'] as const).map((way): PolicyRule => ({
    family,
    priority: encryptedPriority[way],
    // Packets that the Node itself sends. The reverse path filter looks up without a device.
    ...(way === 'sent' && { from: 'lo' }),
    udp: { end: way === 'sent' ? 'dport' : 'sport', port },
    table: encryptedTable,
  }));
  return {
    wireGuards: new Map([[wireGuardDevice, { name: wireGuardDevice, port: wireGuardPort, mtu }]]),
    wireGuardPeers: new Map(
      gateways.map(({ address, publicKey }): [string, WireGuardPeer] => [
        publicKey,
        {
          dev: wireGuardDevice,
          publicKey,
          endpoint: endpointText(address, wireGuardPort),
          allowed: hostRange(address),
        },
      ]),
    ),
    routes: new Map(
      gateways.map(({ address }): [string, Route] => {
        const route = { table: encryptedTable, to: hostRange(address), dev: wireGuardDevice };
        return [routeKey(route), route];
      }),
    ),
    rules: new Map(rules.map((rule) => [ruleKey(rule), rule])),
  };
}

const endpointText = (address: Address, port: number) =>
  address.family === 'IPv4' ? `${addressText(address)}:${port}` : `[${addressText(address)}]:${port}`;

const hostRange = (address: Address) => `${addressText(address)}/${address.family === 'IPv4' ? 32 : 128}`;
