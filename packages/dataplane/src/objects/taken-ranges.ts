import type { LocalRange } from '@isthmus/api';
import { localProblem } from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import { addressText, cidrText, contains, overlaps, specialUse } from '@isthmus/machinery';
import type { OwnNode, VirtualCIDR } from '../desired/cluster-network.ts';
import type { ClusterIPs } from './own-cluster-ips.ts';

/** The parts of this cluster that no other cluster may claim. */
export interface OwnRanges {
  readonly nodes: readonly OwnNode[];
  readonly podCIDRs: readonly Cidr[];
  /** The ranges by which other clusters know Pods of this cluster. */
  readonly virtualCIDRs: readonly VirtualCIDR[];
  readonly clusterIPs: ClusterIPs;
  /**
   * Protected because an agent that cannot reach the API server would never learn that the range is
   * gone.
   */
  readonly apiServers: readonly Address[];
  /** Those of the Node that the agent runs on. */
  readonly localRanges: readonly LocalRange[];
}

/** The ranges that already belong to a cluster. */
export interface TakenRanges {
  /** Why another cluster may not have a range, as the end of a sentence; undefined: it may. */
  problemOf(cidr: Cidr): string | undefined;
  /** `by`: the kind of the range, and its cluster. */
  take(cidr: Cidr, by: string): void;
}

export function createTakenRanges(own: OwnRanges): TakenRanges {
  const { nodes, podCIDRs, virtualCIDRs, clusterIPs, apiServers, localRanges } = own;
  const taken: { readonly cidr: Cidr; readonly by: string }[] = [
    ...podCIDRs.map((cidr) => ({ cidr, by: 'Pod CIDR of this cluster' })),
    ...virtualCIDRs.map(({ virtual }) => ({ cidr: virtual, by: 'virtual Pod CIDR of this cluster' })),
  ];
  return {
    problemOf(cidr) {
      const node = nodes.find(({ address }) => contains(cidr, address));
      if (node !== undefined) return `it contains the address of Node ${node.name}`;
      const special = specialUse(cidr);
      if (special !== undefined) return `it contains ${special.use} addresses (${special.range})`;
      const other = taken.find((one) => overlaps(one.cidr, cidr));
      if (other !== undefined) return `it overlaps with ${cidrText(other.cidr)}, a ${other.by}`;
      const apiServer = apiServers.find((address) => contains(cidr, address));
      if (apiServer !== undefined)
        return `it contains ${addressText(apiServer)}, an address of the API server of this cluster`;
      const service = clusterIPs.firstIn(cidr);
      if (service !== undefined)
        return `it contains ${addressText(service.address)}, the address of Service ${service.name} of this cluster`;
      return localRanges.flatMap((local) => localProblem(cidr, local) ?? [])[0];
    },
    take: (cidr, by) => void taken.push({ cidr, by }),
  };
}
