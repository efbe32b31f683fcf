import type { Address, Cidr } from '@isthmus/machinery';
import { addressText, cidrText, contains, overlaps, specialUse } from '@isthmus/machinery';
import type { OwnNode, VirtualCIDR } from '../desired/cluster-network.ts';
import type { ClusterIPs } from './own-cluster-ips.ts';

/** What a Node reaches by itself, and no other cluster may claim. */
export interface LocalRange {
  readonly cidr: Cidr;
  /** `network`: the Node is connected to it. `route`: it is in the main table of the Node. */
  readonly what: 'network' | 'route' | 'gateway' | 'nameserver' | 'leader';
}

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

/**
 * Why a range of another cluster may not be used beside a local one. A route as wide as the range,
 * or wider, is there to reach that cluster, or everything.
 */
function localProblem(range: Cidr, { cidr, what }: LocalRange): string | undefined {
  const address = addressText({ family: cidr.family, value: cidr.value });
  switch (what) {
    case 'network':
      return overlaps(range, cidr) ? `it overlaps with ${cidrText(cidr)}, a network of this Node` : undefined;
    case 'route':
      return range.length < cidr.length && contains(range, cidr)
        ? `it contains ${cidrText(cidr)}, to which this Node has a route of its own`
        : undefined;
    case 'gateway':
    case 'nameserver':
    case 'leader':
      return contains(range, cidr) ? `it contains ${address}, ${localThings[what]}` : undefined;
  }
}

const localThings = {
  gateway: 'the default gateway of this Node',
  nameserver: 'a nameserver of this Node',
  leader: 'the address of the API server of the leader',
} as const;
