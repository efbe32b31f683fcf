import { clusterInfoName } from '@isthmus/api';
import { addressText } from '@isthmus/machinery';
import type { RemoteCluster } from '../desired/cluster-network.ts';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import type { Problem } from './problem.ts';

/**
 * The other clusters without gateways whose addresses the kernel of this Node considers its own, or
 * broadcast addresses. The kernel rejects next hops with them, and then the network of the Node
 * could not be written. Any cluster may announce such an address, for example the first address of
 * the bridge that every Node has. The same objects if no gateway is left out.
 *
 * `local`: the addresses, by their texts.
 */
export function withoutLocalGateways<T extends RemoteCluster>(
  remotes: readonly T[],
  local: readonly string[],
  namespace: string,
): { readonly remotes: readonly T[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const own = new Set(local);
  const usable = remotes.map((remote) => {
    const gatewayIPs = remote.gatewayIPs.filter((address) => {
      const { hop } = tunnelAddresses(address);
      if (!own.has(hop.IPv4) && !own.has(hop.IPv6)) return true;
      problems.push({
        kind: 'ClusterInfoImport',
        namespace,
        name: clusterInfoName(remote.clusterID),
        message: `The gateway address ${addressText(address)} of cluster ${remote.clusterID} is not used: it is an address of this Node, or a broadcast address of one of its networks.`,
      });
      return false;
    });
    return gatewayIPs.length === remote.gatewayIPs.length ? remote : { ...remote, gatewayIPs };
  });
  return problems.length === 0 ? { remotes, problems } : { remotes: usable, problems };
}
