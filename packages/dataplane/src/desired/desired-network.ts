import type { Network } from '../network/network.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import { filterTable } from './nft-table.ts';
import { tunnelPaths } from './tunnel-paths.ts';

/**
 * The network that a Node of this cluster should have. Pure: the same input gives the same network.
 *
 * Errors: throws when the Node is not among the Nodes.
 */
export function desiredNetwork(cluster: ClusterNetwork): Network {
  return { ...tunnelPaths(cluster), ...filterTable(cluster) };
}
