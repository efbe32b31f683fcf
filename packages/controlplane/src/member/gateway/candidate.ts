import { Annotation, publicKeyProblem } from '@isthmus/api';
import type { ClusterProbes, LocalRange, Node, SmallPath } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { conditionOf, parseAddress } from '@isthmus/machinery';
import { gatewayIPProblem, shown } from '@isthmus/wire';
import type { GatewayIPPrecedence } from '../../process/config.ts';
import type { CandidateLease } from './candidate-leases.ts';

/** A Node that is marked as a gateway. */
export interface GatewayCandidate {
  readonly node: Node;
  /**
   * The addresses for other clusters and for the Nodes of this cluster, or the reason why it cannot
   * be a gateway.
   */
  readonly addresses:
    | { readonly kind: 'valid'; readonly gatewayIP: string; readonly internalIP: string }
    | { readonly kind: 'invalid'; readonly problem: string };
  /** Whether it is ready: by its Lease or, without a Lease, by its Node. */
  readonly isReady: boolean;
  /** It has a Lease that has expired or was released. */
  readonly isExpired: boolean;
  readonly publicKey: string | undefined;
  /** The data plane that its agent publishes, while the agent is alive. */
  readonly dataPlane: string | undefined;
  /** The addresses where its agent answers probes outside a tunnel, while the agent is alive. */
  readonly directProbes: readonly Address[];
  /** What the Node reaches by itself, by its Lease. */
  readonly localRanges: readonly LocalRange[];
  /** The state of the agent, by its Lease. */
  readonly agent: 'alive' | 'silent' | 'none';
  /** The agent's reports about other clusters, while the agent is alive. */
  readonly probes: readonly ClusterProbes[] | undefined;
  /** The gateways of other clusters to which it loses large packets, while it is alive. */
  readonly smallPaths: readonly SmallPath[];
  /** The parts of its Lease that are not used. */
  readonly ignored: string | undefined;
}

/** Whether a candidate can carry traffic now. */
export function isUsable({ addresses, isReady }: GatewayCandidate): boolean {
  return addresses.kind === 'valid' && isReady;
}

/** The candidates that can carry traffic now, in the order in which they take over. */
export function usableInOrder(candidates: readonly GatewayCandidate[]): readonly GatewayCandidate[] {
  return inOrder(candidates.filter(isUsable));
}

/** Sorted by the names of their Nodes. */
export function inOrder(candidates: readonly GatewayCandidate[]): readonly GatewayCandidate[] {
  return candidates.toSorted((a, b) => (a.node.metadata.name < b.node.metadata.name ? -1 : 1));
}

/**
 * Reads the gateway that a marked Node offers (docs/spec/wire.md §8.4).
 *
 * If there are several addresses of a type, the first IPv4 address counts, otherwise the first. The
 * address for other clusters comes from the annotation `gateway-ip` of the Node, otherwise from its
 * Lease, otherwise from its addresses. If the Node has a Lease, the Lease is more recent than the
 * condition of the Node.
 */
export function readCandidate(
  node: Node,
  precedence: GatewayIPPrecedence,
  lease: CandidateLease | undefined,
): GatewayCandidate {
  const isReady = lease?.isAlive ?? conditionOf(node.status?.conditions, 'Ready')?.status === 'True';
  const { publicKey, gatewayIP } = lease ?? {};
  const wrongIP = gatewayIP === undefined ? undefined : gatewayIPProblem(gatewayIP);
  const wrongKey = publicKey === undefined ? undefined : publicKeyProblem(publicKey);
  const ignored = [
    ...(wrongIP === undefined ? [] : [`annotation ${Annotation.gatewayIP} ${shown(gatewayIP)} ${wrongIP}`]),
    ...(wrongKey === undefined ? [] : [`annotation ${Annotation.publicKey} ${wrongKey}`]),
  ];
  return {
    node,
    isReady,
    isExpired: lease?.isAlive === false,
    addresses: addressesOf(node, precedence, wrongIP === undefined ? gatewayIP : undefined),
    publicKey: wrongKey === undefined ? publicKey : undefined,
    dataPlane: lease?.isAlive === true ? lease.dataPlane : undefined,
    directProbes: lease?.isAlive === true ? lease.directProbes : [],
    localRanges: lease?.localRanges ?? [],
    agent: lease === undefined ? 'none' : lease.isAlive ? 'alive' : 'silent',
    probes: lease?.isAlive === true ? lease.probes : undefined,
    smallPaths: lease?.isAlive === true ? lease.smallPaths : [],
    ignored: ignored.length === 0 ? undefined : ignored.join(' and '),
  };
}

function addressesOf(
  node: Node,
  precedence: GatewayIPPrecedence,
  published: string | undefined,
): GatewayCandidate['addresses'] {
  const internalIP = addressOf(node, 'InternalIP');
  if (internalIP === undefined) return invalid('it has no address of type InternalIP');
  const given = node.metadata.annotations?.[Annotation.gatewayIP];
  if (given !== undefined) {
    if (gatewayIPProblem(given) !== undefined)
      return invalid(
        `annotation ${Annotation.gatewayIP} must be an IP address that other clusters can reach, not ${shown(given)}`,
      );
    return { kind: 'valid', gatewayIP: given, internalIP };
  }
  if (published !== undefined) return { kind: 'valid', gatewayIP: published, internalIP };
  const type = precedence === 'public' ? 'ExternalIP' : 'InternalIP';
  const gatewayIP = addressOf(node, type);
  if (gatewayIP === undefined)
    return invalid(
      `it has no address of type ${type}, as gatewayIPPrecedence requires, and no annotation ${Annotation.gatewayIP}`,
    );
  return { kind: 'valid', gatewayIP, internalIP };
}

function addressOf({ status }: Node, type: 'InternalIP' | 'ExternalIP'): string | undefined {
  const found = (status?.addresses ?? []).flatMap((one) => {
    const read =
      one.type === type && gatewayIPProblem(one.address) === undefined ? parseAddress(one.address) : undefined;
    return read === undefined ? [] : [{ text: one.address, family: read.family }];
  });
  return (found.find(({ family }) => family === 'IPv4') ?? found[0])?.text;
}

function invalid(problem: string) {
  return { kind: 'invalid', problem } as const;
}
