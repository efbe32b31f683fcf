import { addressText } from '@isthmus/machinery';
import type { OwnNode } from '../desired/cluster-network.ts';

/**
 * The Nodes, without the address for other clusters of Node `own` if its kernel does not have that
 * address. It then belongs to a device in front of the Node, which translates, and the kernel
 * cannot send from it. The same object if nothing is left out. `local`: the addresses of the
 * kernel, by their texts.
 */
export function withOwnGatewayAddress(
  nodes: readonly OwnNode[],
  own: string,
  local: readonly string[],
): readonly OwnNode[] {
  const isElsewhere = ({ name, gatewayAddress }: OwnNode) =>
    name === own && gatewayAddress !== undefined && !local.includes(addressText(gatewayAddress));
  if (!nodes.some(isElsewhere)) return nodes;
  return nodes.map((node) => (isElsewhere(node) ? { ...node, gatewayAddress: undefined } : node));
}
