import type { Service, VirtualPodCIDR } from '@isthmus/api';
import { importedPrefix, usedVirtualPodCIDRs } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { addressText, contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { returnAddress } from '../desired/own-node.ts';
import type { Problem } from '../objects/problem.ts';
import type { AgentObjects } from '../objects/read-objects.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { byPresence } from '../objects/read-nodes.ts';
import { isImported } from '../objects/service-keys.ts';
import type { Packet } from '../oracle/packet.ts';
import { sameAddress } from '../oracle/packet.ts';
import type { PolicyObjects, ReadPolicies } from '../policies/policy-reader.ts';
import { createPolicyReader } from '../policies/policy-reader.ts';
import { unknownIdentity } from '../desired/identities.ts';
import type { AgentNote } from '../status/agent-status.ts';
import type { MemberObjects } from '../status/missing-ways.ts';
import { missingWays } from '../status/missing-ways.ts';
import type { RoundTrip } from '../oracle/walk.ts';
import { roundTrip } from '../oracle/walk.ts';
import { nodeOf, worldNodes } from '../oracle/world.ts';
import { reportedReach } from './reported-reach.ts';

export interface TraceRequest {
  /** The address of a Pod or a Node, or the name of a Node. */
  readonly from: string;
  /**
   * `<address>:<port>`, `<Namespace>/<imported Service>` or
   * `<Namespace>/<imported Service>:<port>`.
   */
  readonly to: string;
  readonly protocol: Packet['protocol'];
}

/** The objects of the cluster of the client. */
export type TraceObjects = Omit<AgentObjects, 'node'> & {
  /** The Namespace of the controller, from which ClusterInfoImports and ClusterSets were read. */
  readonly namespace: string;
  /**
   * The objects of policies for the Node of the client. Default: nothing is denied, and numbers of
   * labels are not known.
   */
  readonly policies?: Omit<PolicyObjects, 'node' | 'services'> | undefined;
};

export interface Trace {
  readonly packet: Packet;
  /** The imported Service that the packet is for. */
  readonly service?: string | undefined;
  readonly trip: RoundTrip;
  /**
   * The number of the client's labels, as packets of the client carry it. Undefined: the client is
   * not a known Pod.
   */
  readonly identity?: number | 'unknown' | undefined;
  /** The cluster that the packet is sent to, if its path leads out of the Nodes of this cluster. */
  readonly sentTo?: string | undefined;
  /**
   * The Node in whose network the client runs. Set if that cluster drops the packet because the
   * Node has no address for its answers.
   */
  readonly unansweredOn?: string | undefined;
  /**
   * The Node whose agent may have found that Pods of that cluster are reached without a tunnel.
   * Only the status of the agent shows it.
   */
  readonly mayBeDirectOn?: string | undefined;
  /** The virtual ranges by which Pods of that cluster are reached. */
  readonly virtual?: readonly VirtualPodCIDR[] | undefined;
  /** The parts of objects that are not used. */
  readonly problems: readonly Problem[];
  /**
   * Notes from probes about the cluster that the packet is sent to. If the path leads to no
   * cluster: why nothing is sent to some clusters, or to any.
   */
  readonly ways: readonly AgentNote[];
}

/** The port of the client: the kernel could choose any. */
const sourcePort = 40_000;

/**
 * Follows the first packet of a connection through the networks that the Nodes of one cluster
 * should have. If the packet ends among these Nodes, the answer is followed, too.
 *
 * Errors: throws if the request names something that does not exist; the message is meant for the
 * user.
 */
export function traceRequest(objects: TraceObjects, { from, to, protocol }: TraceRequest): Trace {
  const read = createObjectReader();
  // The result does not depend on which Node reads. A Node without an address cannot read, and each
  // Node assumes that it exists itself.
  const nodes = objects.nodes.toSorted(byPresence).toReversed();
  const [first] = nodes;
  const readAs = nodes.map(({ metadata }) => read({ ...objects, node: metadata.name }));
  const { network, problems } = readAs.find((one) => one.network !== undefined) ?? { network: undefined, problems: [] };
  if (first === undefined || network === undefined) throw new Error('the cluster has no Node with an InternalIP');
  const target = targetOf(network, objects, { text: to, protocol });
  const source = sourceOf(network, objects, { text: from, to: target.address });
  const client = nodeOf({ nodes: worldNodes('', network) }, source);
  if (client === undefined) throw new Error(noClient(network, objects, source));
  const judged = policiesOf(objects, client.name);
  const world = {
    nodes: worldNodes('', network).map((one) =>
      one.name === client.name
        ? (worldNodes('', { ...network, ...judged }).find(({ name }) => name === one.name) ?? one)
        : one,
    ),
  };
  const packet: Packet = { protocol, source, sourcePort, destination: target.address, destinationPort: target.port };
  const trip = roundTrip(world, packet, () => 0);
  const { end } = trip.request;
  const sentTo =
    end.kind === 'sent'
      ? network.remotes.find(({ gatewayIPs }) => gatewayIPs.some(({ value }) => value === end.to.value))?.clusterID
      : undefined;
  const asked = network.remotes.find(({ clusterID }) => clusterID === sentTo)?.directProbes ?? [];
  const isUnanswered = end.kind === 'sent' && !hasAnswers(network, client.name, source);
  // The conditions of `agent/direct-paths.ts`. No object shows whether packets are encrypted.
  const mayBeDirect =
    !isUnanswered &&
    objects.policies === undefined &&
    (network.virtualCIDRs ?? []).length === 0 &&
    asked.some(({ family }) => family === source.family);
  const known = network.services.find(
    (service) => service.address.value === packet.destination.value && service.port === packet.destinationPort,
  );
  const info = objects.clusterInfoImports.find(({ spec }) => sentTo !== undefined && spec?.clusterID === sentTo);
  const virtual = info && usedVirtualPodCIDRs(info.metadata, info.spec ?? {});
  const id = judged?.identities.find(({ address }) => sameAddress(address, source))?.id;
  return {
    packet,
    trip,
    problems: [...problems, ...(judged?.problems ?? [])],
    sentTo,
    unansweredOn: isUnanswered ? client.name : undefined,
    mayBeDirectOn: mayBeDirect ? client.name : undefined,
    virtual,
    ways:
      end.kind === 'sent' || end.kind === 'delivered'
        ? info === undefined
          ? []
          : reportedReach(info)
        : missingWays({ ...network, node: client.name }, memberObjectsOf(objects)),
    service: known && `${known.namespace}/${known.name}`,
    identity: id === undefined ? undefined : id < unknownIdentity ? id : 'unknown',
  };
}

/**
 * Whether other clusters accept packets of a client. The source is a Pod, or the Node has an
 * address for other sources.
 */
function hasAnswers({ nodes, podCIDRs }: ClusterNetwork, node: string, source: Address): boolean {
  const self = nodes.find(({ name }) => name === node);
  return podCIDRs.some((cidr) => contains(cidr, source)) || (self && returnAddress(self, source.family)) !== undefined;
}

/** The policies and labels on the Node of the client. */
function policiesOf({ policies, nodes, services }: TraceObjects, client: string): ReadPolicies | undefined {
  const node = nodes.find(({ metadata }) => metadata.name === client);
  return policies && createPolicyReader()({ ...policies, node, services: services.filter(isImported) });
}

function memberObjectsOf({ namespace, clusterSets = [], clusterInfoImports }: TraceObjects): MemberObjects {
  return { namespace, clusterSets: clusterSets.length, clusterInfoImports: clusterInfoImports.length };
}

function targetOf(
  { services }: ClusterNetwork,
  objects: TraceObjects,
  { text, protocol }: { readonly text: string; readonly protocol: string },
): { readonly address: Address; readonly port: number } {
  const [, host = '', port = ''] = /^(?:\[(?=.*\]))?([^[\]]+?)\]?:(\d+)$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (address !== undefined) {
    if (Number(port) < 1 || Number(port) > 65_535) throw new Error(`port ${port} is not a number from 1 to 65535`);
    return { address, port: Number(port) };
  }
  const [, namespace = '', name = '', wanted] = /^([^/:]+)\/([^/:]+)(?::(\d+))?$/.exec(text) ?? [];
  if (namespace === '')
    throw new Error(
      `"${text}" is not an address with a port, such as 10.96.0.10:53, or an imported Service, such as shop/cart:80`,
    );
  const isNamed = (one: { readonly namespace?: string | undefined; readonly name: string }) =>
    one.namespace === namespace && (one.name === name || one.name === `${importedPrefix}${name}`);
  const named = services.filter(isNamed);
  if (named.length === 0) {
    const imported = objects.services.find((service) => isImported(service) && isNamed(service.metadata));
    throw new Error(`Service ${namespace}/${name} ${withoutPorts(imported)}`);
  }
  const found = named.filter(
    (service) => service.protocol === protocol && (wanted === undefined || service.port === Number(wanted)),
  );
  const [only] = found;
  const ports = [...new Set(named.map((service) => `${service.port}/${service.protocol}`))].join(', ');
  if (only === undefined) throw new Error(`Service ${namespace}/${name} does not have that port: it has ${ports}`);
  if (found.some((service) => service.port !== only.port))
    throw new Error(`Service ${namespace}/${name} has several ports: name one of ${ports}`);
  return only;
}

/** Why a Service has no port to trace to. */
function withoutPorts(imported: Service | undefined): string {
  if (imported === undefined) return 'is not imported; kubectl get serviceimports -A lists those that are';
  if (imported.spec?.clusterIP === 'None')
    return 'is headless, so clients use the addresses of its endpoints; name one of them with its port, such as 10.20.1.7:53';
  return 'has no ClusterIP or no ports';
}

/** The address of a Node represents its network. */
function sourceOf(
  { nodes }: ClusterNetwork,
  objects: TraceObjects,
  { text, to }: { readonly text: string; readonly to: Address },
): Address {
  const address = parseAddress(text) ?? nodes.find(({ name }) => name === text)?.address;
  if (address === undefined && objects.nodes.some(({ metadata }) => metadata.name === text))
    throw new Error(`Node ${text} ${withoutAddress}`);
  if (address === undefined)
    throw new Error(
      `"${text}" is neither an IP address nor the name of a Node; kubectl get nodes lists the Nodes, and kubectl get pods -A -o wide shows the addresses of Pods`,
    );
  if (address.family !== to.family)
    throw new Error(`${addressText(address)} is ${address.family}, and ${addressText(to)} is ${to.family}`);
  return address;
}

const withoutAddress = 'has no valid address of type InternalIP, so its agent carries no packets';

/** Why no Node has a client with that address. */
function noClient({ remotes }: ClusterNetwork, { nodes }: TraceObjects, source: Address): string {
  const isIn = (texts: readonly string[]) =>
    texts.some((text) => {
      const cidr = parseCidr(text);
      return cidr !== undefined && contains(cidr, source);
    });
  const node = nodes.find(({ spec }) => isIn(spec?.podCIDRs ?? [spec?.podCIDR ?? '']));
  if (node !== undefined)
    return `${addressText(source)} is in a Pod CIDR of Node ${node.metadata.name}, which ${withoutAddress}`;
  const remote = remotes.find(({ podCIDRs }) => podCIDRs.some((cidr) => contains(cidr, source)));
  if (remote !== undefined)
    return `${addressText(source)} is in a Pod CIDR of cluster ${remote.clusterID}; a trace begins in its own cluster, so run it there`;
  return `no Node has the address ${addressText(source)}, or a Pod CIDR that contains it; Pods of Nodes without Pod CIDRs cannot be traced`;
}
