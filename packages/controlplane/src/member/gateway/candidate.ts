import { Annotation, publicKeyProblem } from '@isthmus/api';
import type { ClusterProbes, Node } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { conditionOf, parseAddress } from '@isthmus/machinery';
import { gatewayIPProblem, shown } from '@isthmus/wire';
import type { GatewayIPPrecedence } from '../../process/config.ts';
import type { CandidateLease } from './candidate-leases.ts';

/** A Node that is marked as a gateway. */
export interface GatewayCandidate {
  readonly node: Node;
  /** Where other clusters, and the Nodes of this cluster, reach it; or what keeps it from being a gateway. */
  readonly addresses:
    | { readonly kind: 'valid'; readonly gatewayIP: string; readonly internalIP: string }
    | { readonly kind: 'invalid'; readonly problem: string };
  /** By its Lease, and without one by its Node. */
  readonly isReady: boolean;
  /** It has a Lease that has expired or was given back. */
  readonly isExpired: boolean;
  readonly publicKey: string | undefined;
  /** What the agent on it publishes, while it is alive. */
  readonly dataPlane: string | undefined;
  /** Where its agent answers probes that take no tunnel, while it is alive. */
  readonly directProbes: readonly Address[];
  /** By its Lease. */
  readonly agent: 'alive' | 'silent' | 'none';
  /** What its agent publishes about other clusters, while it is alive. */
  readonly probes: readonly ClusterProbes[] | undefined;
  /** What its Lease publishes and is not used. */
  readonly ignored: string | undefined;
}

/** A candidate that can carry traffic now. */
export function isUsable({ addresses, isReady }: GatewayCandidate): boolean {
  return addresses.kind === 'valid' && isReady;
}

/** Those that can carry traffic now, in the order in which they take over. */
export function usableInOrder(candidates: readonly GatewayCandidate[]): readonly GatewayCandidate[] {
  return inOrder(candidates.filter(isUsable));
}

/** By the names of their Nodes. */
export function inOrder(candidates: readonly GatewayCandidate[]): readonly GatewayCandidate[] {
  return candidates.toSorted((a, b) => (a.node.metadata.name < b.node.metadata.name ? -1 : 1));
}

/**
 * Reads what a marked Node offers as a gateway (docs/spec/wire.md §8.4). Of several addresses of a type the first IPv4 address counts, and else the first.
 * Annotation `gateway-ip` of the Node takes the place of the address for other clusters, and else that of its Lease. Its Lease, where it has one, is later
 * news than the condition of the Node.
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
    agent: lease === undefined ? 'none' : lease.isAlive ? 'alive' : 'silent',
    probes: lease?.isAlive === true ? lease.probes : undefined,
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
