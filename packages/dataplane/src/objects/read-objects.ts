import type { ClusterInfoImport, EndpointSlice, Node, Service } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { contains } from '@isthmus/machinery';
import type { ClusterNetwork, TunnelSettings } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';
import { readNodes } from './read-nodes.ts';
import { readRemotes } from './read-remotes.ts';
import { readServices } from './read-services.ts';

/** The objects of one cluster that its agents read. */
export interface AgentObjects {
  /** The name of the Node that the agent runs on. */
  readonly node: string;
  readonly nodes: readonly Node[];
  /** Of the Namespace of the controllers. */
  readonly clusterInfoImports: readonly ClusterInfoImport[];
  /** Those that are imported count. */
  readonly services: readonly Service[];
  readonly endpointSlices: readonly EndpointSlice[];
  /** The Pod CIDRs of the cluster, where its Nodes do not have them. */
  readonly podCIDRs: readonly Cidr[];
  readonly settings: TunnelSettings;
}

export interface ReadObjects {
  /** Undefined: the Node is unknown, or has no address. */
  readonly network: ClusterNetwork | undefined;
  /** What is wrong in an object, and therefore not used. In the order of the objects. */
  readonly problems: readonly Problem[];
}

/**
 * What an agent makes of the objects of its cluster. Objects come from other clusters in part, so that everything is checked: a remote range never covers
 * one of this cluster, and an endpoint is in the ranges of the cluster that exports it.
 */
export function readObjects(objects: AgentObjects): ReadObjects {
  const problems: Problem[] = [];
  const { node, settings } = objects;
  const nodes = readNodes(objects.nodes, problems);
  const own = nodes.find(({ name }) => name === node);
  const podCIDRs = [...objects.podCIDRs, ...nodes.flatMap((one) => one.podCIDRs)];
  const remotes = readRemotes(objects.clusterInfoImports, { nodes, podCIDRs }, problems);
  const services = readServices(objects, { remotes, podCIDRs }, problems);
  const network = own && { node, nodes, podCIDRs: withoutCovered(podCIDRs), remotes, services, settings };
  return { network, problems };
}

/** Without ranges that are in another one: a set of nft has each address once. */
function withoutCovered(cidrs: readonly Cidr[]): readonly Cidr[] {
  const wide = cidrs.toSorted((a, b) => a.length - b.length);
  return wide.filter((one, index) => !wide.slice(0, index).some((other) => contains(other, one)));
}
