import type { Address, Cidr, Family } from '@isthmus/machinery';
import type { ClusterNetwork, OwnNode, RemoteCluster } from './cluster-network.ts';

/** The Node that the agent runs on. Errors: throws when it is not among the Nodes. */
export function ownNode({ node, nodes }: ClusterNetwork): OwnNode {
  const found = nodes.find(({ name }) => name === node);
  if (found === undefined) throw new Error(`cannot find Node ${node} among the Nodes of its cluster`);
  return found;
}

/** The Nodes that can carry packets to other clusters for this one. */
export function ownGateways({ nodes }: ClusterNetwork, { address }: OwnNode): readonly OwnNode[] {
  return nodes.filter((node) => node.isGateway && node.address.family === address.family);
}

/**
 * The address that stands for the Node itself, and for everything else that other clusters cannot answer: the first of its Pod CIDR, which no Pod has. Undefined:
 * the Node has no Pod CIDR of that family.
 */
export function returnAddress({ podCIDRs }: OwnNode, family: Family): Address | undefined {
  const cidr = podCIDRs.find((one) => one.family === family);
  return cidr && { family, value: cidr.value };
}

/** All ranges of another cluster that packets from here may go to, and come from. */
export function rangesOf({ podCIDRs, serviceCIDR }: RemoteCluster): readonly Cidr[] {
  return serviceCIDR === undefined ? podCIDRs : [...podCIDRs, serviceCIDR];
}

/** Without what differs from `family`. */
export function ofFamily<T extends Pick<Address, 'family'>>(items: readonly T[], family: Family): readonly T[] {
  return items.filter((item) => item.family === family);
}

export const families: readonly Family[] = ['IPv4', 'IPv6'];
