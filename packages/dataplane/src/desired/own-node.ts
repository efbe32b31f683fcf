import type { Address, Cidr, Family } from '@isthmus/machinery';
import { contains } from '@isthmus/machinery';
import type { ClusterNetwork, OwnNode, RemoteCluster } from './cluster-network.ts';

/** The Node that the agent runs on. Errors: throws if it is not among the Nodes. */
export function ownNode({ node, nodes }: ClusterNetwork): OwnNode {
  const found = nodes.find(({ name }) => name === node);
  if (found === undefined) throw new Error(`cannot find Node ${node} among the Nodes of its cluster`);
  return found;
}

/** The Nodes that can carry packets to other clusters for this Node. */
export function ownGateways({ nodes }: ClusterNetwork, { address }: OwnNode): readonly OwnNode[] {
  return nodes.filter((node) => node.isGateway && node.address.family === address.family);
}

/**
 * The address for the Node itself, and for all other sources that other clusters cannot answer. It
 * is the first address of the Pod CIDR of the Node, which no Pod has. Undefined: the Node has no
 * Pod CIDR of that family.
 */
export function returnAddress({ podCIDRs }: Pick<OwnNode, 'podCIDRs'>, family: Family): Address | undefined {
  const cidr = podCIDRs.find((one) => one.family === family);
  return cidr && { family, value: cidr.value };
}

/** All ranges of another cluster that packets from this cluster may go to, and come from. */
export function rangesOf({ podCIDRs, serviceCIDR }: RemoteCluster): readonly Cidr[] {
  return serviceCIDR === undefined ? podCIDRs : [...podCIDRs, serviceCIDR];
}

/** The items of that family. */
export function ofFamily<T extends Pick<Address, 'family'>>(items: readonly T[], family: Family): readonly T[] {
  return items.filter((item) => item.family === family);
}

export const families: readonly Family[] = ['IPv4', 'IPv6'];

/**
 * Without ranges that are inside another range, because a set of nft has each address once. In the
 * order of their addresses.
 */
export function withoutCovered(cidrs: readonly Cidr[]): readonly Cidr[] {
  let last: Cidr | undefined;
  return cidrs.toSorted(byBegin).filter((cidr) => {
    if (last !== undefined && contains(last, cidr)) return false;
    last = cidr;
    return true;
  });
}

/** Orders a range before the ranges inside it that begin at the same address. */
function byBegin(a: Cidr, b: Cidr): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return a.length - b.length;
}
