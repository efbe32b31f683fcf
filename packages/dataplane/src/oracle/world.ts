import type { Address, Cidr } from '@isthmus/machinery';
import { contains } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { desiredNetwork } from '../desired/desired-network.ts';
import type { Network } from '../network/network.ts';
import type { Packet } from './packet.ts';
import { sameAddress } from './packet.ts';

/** A Node with the parts of its network that packets between clusters depend on. */
export interface WorldNode {
  readonly name: string;
  readonly clusterID: string;
  /** The addresses of its own network, the one for tunnels first. */
  readonly addresses: readonly Address[];
  readonly podCIDRs: readonly Cidr[];
  readonly network: Network;
}

/**
 * One port of a Service in one cluster. kube-proxy translates it on every Node of the cluster, for
 * every client.
 */
export interface ClusterIPPort {
  readonly clusterID: string;
  readonly address: Address;
  readonly protocol: Packet['protocol'];
  readonly port: number;
  /** Pods, or Nodes of the cluster. */
  readonly endpoints: readonly { readonly address: Address; readonly port: number }[];
}

/**
 * All Nodes that packets can be followed through. In a cluster, Nodes route each other's Pods, as
 * the CNI does.
 */
export interface World {
  readonly nodes: readonly WorldNode[];
  /** The ports that kube-proxy translates. Default: none. */
  readonly clusterIPs?: readonly ClusterIPPort[] | undefined;
  /**
   * Whether Nodes drop IPv4 packets from a device that is not on the route to their source,
   * `rp_filter=1`. Default: true, the strictest setting.
   */
  readonly isStrict?: boolean | undefined;
}

/**
 * The Nodes of a cluster with the networks that they should have. Each network is decided when it
 * is first read.
 */
export function worldNodes(clusterID: string, cluster: ClusterNetwork): readonly WorldNode[] {
  return cluster.nodes.map(({ name, address, gatewayAddress, podCIDRs }) => {
    let decided: Network | undefined;
    return {
      name,
      clusterID,
      addresses: gatewayAddress === undefined ? [address] : [address, gatewayAddress],
      podCIDRs,
      get network() {
        return (decided ??= desiredNetwork({ ...cluster, node: name }));
      },
    };
  });
}

/** The Node with this address, or with a Pod of this address. */
export function nodeOf({ nodes }: World, address: Address): WorldNode | undefined {
  return nodes.find((node) => isOwnAddress(node, address) || isPodOf(node, address));
}

export const isOwnAddress = ({ addresses }: WorldNode, address: Address): boolean =>
  addresses.some((own) => sameAddress(own, address));

export const isPodOf = ({ podCIDRs }: WorldNode, address: Address): boolean =>
  podCIDRs.some((cidr) => contains(cidr, address));
