import { Annotation } from '@isthmus/api';
import type { Node } from '@isthmus/api';
import { conditionOf, parseAddress } from '@isthmus/machinery';
import { gatewayIPProblem } from '../../exchange/gateway-ip.ts';
import { shown } from '../../exchange/untrusted.ts';
import type { GatewayIPPrecedence } from '../../config.ts';

/** A Node that is marked as a gateway. */
export interface GatewayCandidate {
  readonly node: Node;
  /** Where other clusters, and the Nodes of this cluster, reach it; or what keeps it from being a gateway. */
  readonly addresses:
    | { readonly kind: 'valid'; readonly gatewayIP: string; readonly internalIP: string }
    | { readonly kind: 'invalid'; readonly problem: string };
  readonly isReady: boolean;
}

/** A candidate that can carry traffic now. */
function isUsable({ addresses, isReady }: GatewayCandidate): boolean {
  return addresses.kind === 'valid' && isReady;
}

/** Those that can carry traffic now, in the order in which they take over: by the names of their Nodes. */
export function usableInOrder(candidates: readonly GatewayCandidate[]): readonly GatewayCandidate[] {
  return candidates.filter(isUsable).toSorted((a, b) => (a.node.metadata.name < b.node.metadata.name ? -1 : 1));
}

/**
 * Reads what a marked Node offers as a gateway (docs/spec/wire.md §8.4). Of several addresses of a type the first IPv4 address counts, and else the first.
 * Annotation `gateway-ip` takes the place of the address for other clusters.
 */
export function readCandidate(node: Node, precedence: GatewayIPPrecedence): GatewayCandidate {
  const isReady = conditionOf(node.status?.conditions, 'Ready')?.status === 'True';
  return { node, isReady, addresses: addressesOf(node, precedence) };
}

function addressesOf(node: Node, precedence: GatewayIPPrecedence): GatewayCandidate['addresses'] {
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
  const type = precedence === 'public' ? 'ExternalIP' : 'InternalIP';
  const gatewayIP = addressOf(node, type);
  if (gatewayIP === undefined)
    return invalid(
      `it has no address of type ${type}, which gatewayIPPrecedence asks for, and no annotation ${Annotation.gatewayIP}`,
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
