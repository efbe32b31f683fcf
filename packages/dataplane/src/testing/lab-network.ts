import { addressText, contains } from '@isthmus/machinery';
import type { Family } from '@isthmus/machinery';
import type { LabCluster, LabNode, PacketLab } from '@isthmus/testkit';
import type { ClusterNetwork, EgressClass, ImportedService, OwnNode } from '../desired/cluster-network.ts';
import { address, cidr } from './addresses.ts';

export interface LabNetworkOptions {
  /** The Nodes that are gateways. */
  readonly gateways: readonly string[];
  /** The Services that each cluster imports. */
  readonly services: readonly ImportedService[];
  /** The ClusterIPs that each cluster exports, by its name. Default: none. */
  readonly exported?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * The virtual ranges of each cluster by its name. Each is for the range of the layout at the same
   * index. Default: none.
   */
  readonly virtual?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The family of the one Service CIDR that each cluster announces. Default: IPv4. */
  readonly serviceFamily?: Family | undefined;
  /** The family of the Node addresses that tunnels join. Default: IPv4. */
  readonly underlay?: Family | undefined;
  /** The numbers of the labels of Pods, by their addresses. Default: none. */
  readonly identities?: Readonly<Record<string, number>> | undefined;
  /** The denials of policies for clients, by the names of their Nodes. Default: none. */
  readonly egress?: Readonly<Record<string, readonly EgressClass[]>> | undefined;
  /**
   * The WireGuard public keys of gateways, by Node: packets between clusters are encrypted.
   * Default: they are not.
   */
  readonly publicKeys?: ReadonlyMap<string, string> | undefined;
}

/** The network that the agent on a Node of a lab knows. */
export function labNetwork(
  lab: Pick<PacketLab, 'clusters'>,
  node: LabNode,
  {
    gateways,
    services,
    exported = {},
    virtual = {},
    underlay = 'IPv4',
    serviceFamily = 'IPv4',
    publicKeys,
    identities = {},
    egress = {},
  }: LabNetworkOptions,
): ClusterNetwork {
  const own = Object.values(lab.clusters).find(({ nodes }) => nodes.includes(node));
  if (own === undefined) throw new Error(`Node ${node.layout.name} is in no cluster of the lab`);
  const isGateway = ({ layout }: LabNode) => gateways.includes(layout.name);
  const addressOf = ({ layout }: LabNode) => address(underlay === 'IPv4' ? layout.address : layout.address6);
  const podCIDRs = ({ layout }: LabCluster) => layout.clusterCIDRs.map(cidr);
  return {
    node: node.layout.name,
    nodes: own.nodes.map((one): OwnNode => ({
      name: one.layout.name,
      address: addressOf(one),
      podCIDRs: [cidr(one.layout.podCIDR), cidr(one.layout.podCIDR6)],
      isGateway: isGateway(one),
    })),
    podCIDRs: podCIDRs(own),
    virtualCIDRs: podCIDRs(own).flatMap((one, index) => {
      const text = virtual[own.layout.name]?.[index];
      return text === undefined ? [] : [{ own: one, virtual: cidr(text) }];
    }),
    remotes: Object.values(lab.clusters)
      .filter((cluster) => cluster !== own)
      .map((cluster) => ({
        clusterID: cluster.layout.name,
        podCIDRs: virtual[cluster.layout.name]?.map(cidr) ?? podCIDRs(cluster),
        serviceCIDR: cidr(serviceFamily === 'IPv4' ? cluster.layout.serviceCIDR : cluster.layout.serviceCIDR6),
        gatewayIPs: cluster.nodes.filter(isGateway).map(addressOf),
        publicKeys: Object.fromEntries(
          cluster.nodes.flatMap((one): readonly [string, string][] => {
            const key = publicKeys?.get(one.layout.name);
            return key === undefined ? [] : [[addressText(addressOf(one)), key]];
          }),
        ),
      })),
    services,
    identities: Object.entries(identities)
      .map(([text, id]) => ({ address: address(text), id }))
      .filter((pod) => [node.layout.podCIDR, node.layout.podCIDR6].some((range) => contains(cidr(range), pod.address))),
    exported: (exported[own.layout.name] ?? []).map(address),
    egress: egress[node.layout.name] ?? [],
    settings: {
      port: 8479,
      underlayMTU: 1500,
      underlayDevice: 'eth0',
      carriesLabels: Object.keys(identities).length > 0,
      wireGuardPort: publicKeys === undefined ? undefined : 51_821,
    },
  };
}
