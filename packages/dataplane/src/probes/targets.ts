import type { Address } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import type { TunnelDevice } from '../desired/devices.ts';
import { gatewayDevice, nodeDevice, tunnelMTU } from '../desired/devices.ts';
import { usableRemotes } from '../desired/encrypted-paths.ts';
import { ofFamily, ownGateways, ownNode } from '../desired/own-node.ts';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import { peerKey } from '../network/network.ts';
import type { ProbeTarget } from './probe.ts';

/** A gateway that this Node sends packets to. */
export interface ProbedGateway extends ProbeTarget {
  /** The key, from {@link peerKey}. */
  readonly key: string;
  /** Its address outside of the tunnel. */
  readonly underlay: string;
  /** Its cluster; undefined: the own cluster. */
  readonly clusterID: string | undefined;
  /** Whether it is assumed to carry packets if it cannot be probed. */
  readonly isReady: boolean;
  /**
   * The size of the largest packet that the tunnel to it carries, in bytes. Default: it is reached
   * without a tunnel.
   */
  readonly largest?: number | undefined;
}

/**
 * The gateways that this Node probes, by key. A gateway probes those of other clusters; every other
 * Node probes those of its own cluster.
 */
export function probedGateways(cluster: ClusterNetwork): ReadonlyMap<string, ProbedGateway> {
  const self = ownNode(cluster);
  const { port } = cluster.settings;
  const gateway = (device: TunnelDevice, address: Address, of: Pick<ProbedGateway, 'clusterID' | 'isReady'>) => {
    const underlay = addressText(address);
    const key = peerKey({ dev: device, underlay });
    const largest = tunnelMTU(device, cluster.settings, self.address);
    return { key, device, address: tunnelAddresses(address).hop.IPv6, port, underlay, largest, ...of };
  };
  const gateways = self.isGateway
    ? usableRemotes(cluster).flatMap(({ clusterID, gatewayIPs }) =>
        ofFamily(gatewayIPs, self.address.family).map((address) =>
          gateway(gatewayDevice, address, { clusterID, isReady: true }),
        ),
      )
    : ownGateways(cluster, self).map(({ address, isReady = true }) =>
        gateway(nodeDevice, address, { clusterID: undefined, isReady }),
      );
  return new Map(gateways.map((one) => [one.key, one]));
}
