import type { Address, Cidr } from '@isthmus/machinery';
import { contains } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { desiredNetwork } from '../desired/desired-network.ts';
import type { Network } from '../network/network.ts';
import type { Packet } from './packet.ts';
import { sameAddress } from './packet.ts';

/** A Node with its network, as far as packets between clusters depend on it. */
export interface WorldNode {
  readonly name: string;
  readonly clusterID: string;
  /** Those of its own network, the one for tunnels first. */
  readonly addresses: readonly Address[];
  readonly podCIDRs: readonly Cidr[];
  readonly network: Network;
}

/** One port of a Service in one cluster, which kube-proxy translates on every Node of it, for every client. */
export interface ClusterIPPort {
  readonly clusterID: string;
  readonly address: Address;
  readonly protocol: Packet['protocol'];
  readonly port: number;
  /** Pods, or Nodes of the cluster. */
  readonly endpoints: readonly { readonly address: Address; readonly port: number }[];
}

/** All Nodes that packets can be followed through. In a cluster, Nodes route each other's Pods, in whatever way the CNI does it. */
export interface World {
  readonly nodes: readonly WorldNode[];
  /** What kube-proxy translates. Default: nothing. */
  readonly clusterIPs?: readonly ClusterIPPort[] | undefined;
  /** Whether Nodes drop IPv4 packets from a device that their source is not routed to, `rp_filter=1`. Default: true, the strictest. */
  readonly isStrict?: boolean | undefined;
}

/** The Nodes of a cluster with the networks that they should have, each of which is decided when it is asked for. */
export function worldNodes(clusterID: string, cluster: ClusterNetwork): readonly WorldNode[] {
  return cluster.nodes.map(({ name, address, podCIDRs }) => {
    let decided: Network | undefined;
    return {
      name,
      clusterID,
      addresses: [address],
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
