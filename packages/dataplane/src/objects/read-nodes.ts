import { Annotation } from '@isthmus/api';
import type { Node } from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import { addressText, byAge, conditionOf, contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { OwnNode } from '../desired/cluster-network.ts';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import type { Problem } from './problem.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

interface NodeReading {
  /** The Node that the agent runs on. */
  readonly own: string;
  /** The Pod CIDRs of the cluster that the agent was started with. */
  readonly configured: readonly Cidr[];
  readonly problems: Problem[];
}

/**
 * The Nodes of the cluster, by name. A tunnel cannot reach a Node without an InternalIP, so it is
 * left out. Each address leads to one Node.
 */
export function readNodes(nodes: readonly Node[], reading: NodeReading): readonly OwnNode[] {
  const { own, configured, problems } = reading;
  const owners = ownersOf(nodes, own);
  const read = nodes
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((node): readonly OwnNode[] => {
      const { name, annotations, labels } = node.metadata;
      const zone = labels?.[zoneLabel];
      const address = internalIP(node);
      if (address === undefined) {
        problems.push({
          kind: 'Node',
          name,
          message: 'The Node has no valid address of type InternalIP, so no tunnel leads to it.',
        });
        return [];
      }
      const gatewayAddress = gatewayAddressOf(node, address);
      const owner = owners.get(endOf(address)) ?? node;
      if (owner !== node) {
        problems.push({ kind: 'Node', name, message: notUsed(name, address, owner) });
        return [];
      }
      return [
        {
          name,
          address,
          podCIDRs: podCIDRsOf(node, reading),
          isGateway: annotations?.[Annotation.gateway] === 'true',
          isReady: isReady(node),
          ...(gatewayAddress === undefined ? {} : { gatewayAddress }),
          ...(zone === undefined ? {} : { zone }),
        },
      ];
    });
  const report = (message: string) => problems.push({ kind: 'Node', name: own, message });
  if (read.some(({ name, podCIDRs }) => name === own && podCIDRs.length === 0)) {
    report(
      'No Pod CIDR of this Node is known: its Pods reach other clusters only if it is a gateway, and programs in the network of the Node do not reach them (docs/guides/agent.md).',
    );
    if (configured.length === 0 && read.every(({ podCIDRs }) => podCIDRs.length === 0))
      report(
        'No Pod CIDR of this cluster is known. Its Pods and those of other clusters do not reach each other until agents have the flag --pod-cidrs.',
      );
  }
  return read;
}

/**
 * The Node of each address, by {@link endOf}. A machine that returns under another name leaves its
 * former Node object. The kernel accepts neither a next hop to an own address nor a group that has
 * a member twice. An agent knows that its own Node exists. Of other Nodes, it prefers those that
 * are ready, and then the youngest.
 */
function ownersOf(nodes: readonly Node[], own: string): ReadonlyMap<string, Node> {
  const isOwn = ({ metadata }: Node) => Number(metadata.name === own);
  return new Map(
    nodes
      .toSorted((a, b) => isOwn(a) - isOwn(b) || byPresence(a, b))
      .flatMap((node): readonly (readonly [string, Node])[] => {
        const address = internalIP(node);
        return address === undefined ? [] : [[endOf(address), node]];
      }),
  );
}

/**
 * The key of the end of tunnels at an address. Different addresses may have the same key: IPv6
 * addresses have only 32 bits inside of tunnels.
 */
const endOf = (address: Address) => tunnelAddresses(address).mac;

/** Why the Node is not used, if another Node owns the same end of tunnels. */
function notUsed(name: string, address: Address, owner: Node): string {
  const [text, used] = [addressText(address), owner.metadata.name];
  const other = internalIP(owner);
  return other !== undefined && addressText(other) !== text
    ? `The Node is not used: in tunnels its address ${text} is the same as ${addressText(other)} of Node ${used}. Set another address with --node-ip of its kubelet.`
    : `The Node is not used: Node ${used} has the address ${text} as well. If ${name} does not exist any more, delete its Node object; otherwise set its address with --node-ip of its kubelet.`;
}

/** Orders Nodes with one address: the Node that is more likely to exist comes last. */
export function byPresence(a: Node, b: Node): number {
  return Number(isReady(a)) - Number(isReady(b)) || byAge(a, b);
}

const isReady = ({ status }: Node) => conditionOf(status?.conditions, 'Ready')?.status === 'True';

/**
 * The first IPv4 address, otherwise the first address, as for the Gateway of a Node
 * (docs/spec/wire.md §8.4).
 */
function internalIP({ status }: Node): Address | undefined {
  const addresses = (status?.addresses ?? []).flatMap(({ type, address }) => {
    const parsed = type === 'InternalIP' ? parseAddress(address) : undefined;
    return parsed === undefined ? [] : [parsed];
  });
  return addresses.find(({ family }) => family === 'IPv4') ?? addresses[0];
}

/**
 * The address for other clusters that a user gave to a Node. Tunnels have one family. Undefined: it
 * is that of the Node.
 */
function gatewayAddressOf({ metadata }: Node, address: Address): Address | undefined {
  const given = parseAddress(metadata.annotations?.[Annotation.gatewayIP] ?? '');
  return given?.family === address.family && given.value !== address.value ? given : undefined;
}

/**
 * The ranges that the Pods of a Node have. With Calico's own address management, `spec.podCIDRs` is
 * not used: an address that Calico has given to its tunnel on the Node shows that. If the Pod CIDRs
 * of the cluster are not configured, `spec.podCIDRs` is still used, because it is better than
 * nothing: the Pods are clients of other clusters.
 */
function podCIDRsOf(node: Node, { own, configured, problems }: NodeReading): readonly Cidr[] {
  const { metadata, spec } = node;
  const { name } = metadata;
  const report = (message: string) => problems.push({ kind: 'Node', name, message });
  const texts = spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR]);
  const cidrs = texts.flatMap((text) => {
    const cidr = parseCidr(text);
    if (cidr === undefined) report(`Pod CIDR "${text}" of the Node is not valid and is not used.`);
    return cidr === undefined ? [] : [cidr];
  });
  const elsewhere = calicoAddresses(metadata.annotations).find(
    (address) => !cidrs.some((cidr) => contains(cidr, address)),
  );
  if (elsewhere === undefined || cidrs.length === 0) return cidrs;
  if (configured.length > 0) return [];
  if (name === own)
    report(
      `Pods of this Node have addresses of Calico outside of spec.podCIDRs, as ${addressText(elsewhere)} of its tunnel is. Other clusters do not reach them until agents have the flag --pod-cidrs, with the IP pools of Calico.`,
    );
  return cidrs;
}

/**
 * The addresses that Calico gives to its own devices on a Node, from the ranges of the Pods there.
 */
function calicoAddresses(annotations: Readonly<Record<string, string>> = {}): readonly Address[] {
  return calicoDevices.flatMap((device) => parseAddress(annotations[`projectcalico.org/${device}`] ?? '') ?? []);
}

const calicoDevices = [
  'IPv4IPIPTunnelAddr',
  'IPv4VXLANTunnelAddr',
  'IPv6VXLANTunnelAddr',
  'IPv4WireguardInterfaceAddr',
  'IPv6WireguardInterfaceAddr',
] as const;
