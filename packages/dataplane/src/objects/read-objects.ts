import type {
  ClusterInfoImport,
  ClusterSet,
  EndpointSlice,
  LocalRange,
  Node,
  Service,
  ServiceExport,
} from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import { equal, parseAddress } from '@isthmus/machinery';
import type { ClusterNetwork, OwnNode, TunnelSettings, VirtualCIDR } from '../desired/cluster-network.ts';
import { withoutCovered } from '../desired/own-node.ts';
import { createRemembered } from '../remembered/remembered.ts';
import { ownClusterID } from './own-cluster-id.ts';
import { ownVirtualCIDRs } from './own-virtual-cidrs.ts';
import type { Problem } from './problem.ts';
import { readClusterIPs, readExported } from './own-cluster-ips.ts';
import { readNodes } from './read-nodes.ts';
import { readRemotes } from './read-remotes.ts';
import type { Ranges } from './read-service.ts';
import { createServicesReader } from './read-services.ts';

/** The objects of one cluster that its agents read. */
export interface AgentObjects {
  /** The name of the Node that the agent runs on. */
  readonly node: string;
  readonly nodes: readonly Node[];
  /** Those in the Namespace of the controllers. */
  readonly clusterInfoImports: readonly ClusterInfoImport[];
  /** All Services of the cluster. */
  readonly services: readonly Service[];
  readonly serviceExports: readonly ServiceExport[];
  /** The slices of a Service, by its {@link serviceKey}. */
  readonly slicesOf: (service: string) => readonly EndpointSlice[];
  /** The Pod CIDRs of the cluster, if its Nodes do not have them. */
  readonly podCIDRs: readonly Cidr[];
  /**
   * The ranges by which other clusters know Pod CIDRs of this one, regardless of the ClusterSet.
   * Default: those of the ClusterSet.
   */
  readonly virtualCIDRs?: readonly VirtualCIDR[] | undefined;
  /** Those in the Namespace of the controllers. Default: none. */
  readonly clusterSets?: readonly ClusterSet[] | undefined;
  /** The slices of Service `default/kubernetes`. Default: none. */
  readonly apiServers?: readonly EndpointSlice[] | undefined;
  /** What the Node reaches by itself. Default: none. */
  readonly localRanges?: readonly LocalRange[] | undefined;
  readonly settings: TunnelSettings;
}

export interface ReadObjects {
  /** Undefined: the Node is unknown, or has no address. */
  readonly network: ClusterNetwork | undefined;
  /** The parts of objects that are wrong, and therefore not used. In the order of the objects. */
  readonly problems: readonly Problem[];
}

/** The result of all objects except Services. */
interface ReadClusters extends Ranges {
  readonly nodes: readonly OwnNode[];
  readonly virtualCIDRs: readonly VirtualCIDR[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the objects of a cluster as an agent uses them. Some objects come from other clusters, so
 * everything is checked: a remote range never covers a range of this cluster, and an endpoint is in
 * the ranges of the cluster that exports it. Results of objects that have not changed since the
 * last time are the same objects again.
 */
export function createObjectReader(): (objects: AgentObjects) => ReadObjects {
  const rememberedClusters = createRemembered<ReadClusters>();
  const rememberedExports = createRemembered<readonly Address[]>();
  const readServices = createServicesReader();
  /**
   * Kept because Nodes report every few minutes that they are alive: another object with the same
   * content.
   */
  let lastClusters: ReadClusters | undefined;
  let lastExported: readonly Address[] | undefined;
  return (objects) => {
    const { node, settings, services, slicesOf } = objects;
    // A cache gives the same list until one of its objects changes.
    const inputs = [
      settings.wireGuardPort,
      objects.virtualCIDRs,
      objects.clusterSets,
      objects.apiServers,
      objects.localRanges,
      objects.podCIDRs,
      objects.nodes,
      objects.clusterInfoImports,
      services,
    ];
    const clusters = rememberedClusters.get('', inputs, () => {
      const now = readClusters(objects);
      lastClusters = lastClusters !== undefined && equal(lastClusters, now) ? lastClusters : now;
      return lastClusters;
    });
    const exported = rememberedExports.get('', [objects.serviceExports, services], () => {
      const now = readExported(objects.serviceExports, services);
      lastExported = lastExported !== undefined && equal(lastExported, now) ? lastExported : now;
      return lastExported;
    });
    const { nodes, podCIDRs, remotes, virtualCIDRs } = clusters;
    const { ports, problems } = readServices({ services, slicesOf, ranges: clusters });
    const isKnown = nodes.some(({ name }) => name === node);
    return {
      network: isKnown
        ? {
            node,
            nodes,
            podCIDRs,
            virtualCIDRs,
            remotes,
            services: ports,
            exported,
            settings,
          }
        : undefined,
      problems: [...clusters.problems, ...problems],
    };
  };
}

function readClusters({
  node,
  nodes: nodeObjects,
  clusterInfoImports,
  podCIDRs: configured,
  virtualCIDRs: given = [],
  clusterSets = [],
  apiServers = [],
  localRanges = [],
  services,
  settings,
}: AgentObjects): ReadClusters {
  const problems: Problem[] = [];
  const nodes = readNodes(nodeObjects, { own: node, configured, problems });
  const podCIDRs = withoutCovered([...configured, ...nodes.flatMap((one) => one.podCIDRs)]);
  const virtualCIDRs = ownVirtualCIDRs({ node, given, clusterSets, podCIDRs }, problems);
  const remotes = readRemotes(
    clusterInfoImports,
    {
      nodes,
      podCIDRs,
      virtualCIDRs,
      clusterIPs: readClusterIPs(services),
      apiServers: apiServers
        .flatMap(({ endpoints }) => endpoints ?? [])
        .flatMap(({ addresses }) => addresses.flatMap((text) => parseAddress(text) ?? [])),
      localRanges,
      isEncrypted: settings.wireGuardPort !== undefined,
    },
    problems,
  );
  return { nodes, podCIDRs, remotes, virtualCIDRs, ownClusterID: ownClusterID(clusterSets), problems };
}
