import { Annotation, Label, managedByIsthmus } from '@isthmus/api';
import type { Gateway } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';
import { carriesOurLabel, dataPlaneOfGateways } from '@isthmus/wire';
import type { GatewayCandidate } from './candidate.ts';
import { usableInOrder } from './candidate.ts';

export interface GatewayInput {
  /** Whether the cluster is in a ClusterSet and is not leaving it. */
  readonly joined: boolean;
  /** The marked Nodes. */
  readonly candidates: readonly GatewayCandidate[];
  /** The Gateways in the Namespace. */
  readonly gateways: readonly Gateway[];
  /** Undefined: not known. */
  readonly serviceCIDR: string | undefined;
  readonly namespace: string;
}

export type GatewayDecision =
  | { readonly kind: 'keep' }
  | { readonly kind: 'create'; readonly gateway: Gateway }
  | { readonly kind: 'change'; readonly current: Gateway; readonly desired: Gateway }
  | { readonly kind: 'delete'; readonly gateway: Gateway };

/**
 * The next write to the Gateways of this cluster, which usually has one Gateway (docs/spec/wire.md
 * §8.4).
 *
 * The choice is sticky: a Gateway stays while its Node is usable. Otherwise the first usable Node
 * by name takes over. Its Gateway is created before the former one is deleted, so that the other
 * clusters never lose this network. A Node that is not ready, or has no valid address, keeps its
 * Gateway while no other Node can take over. A Gateway that a user made for an unmarked Node stays,
 * and no other is created beside it.
 */
export function decideGateways(input: GatewayInput): GatewayDecision {
  const { joined, candidates, namespace, serviceCIDR } = input;
  const marked = new Map(candidates.map((one) => [one.node.metadata.name, one]));
  const live = input.gateways.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(byAge);
  const ours = live.filter((one) => carriesOurLabel(one) || marked.has(one.metadata.name));
  if (!joined) return removal(ours.filter(carriesOurLabel));
  const usable = usableInOrder(candidates);
  const usableNames = new Set(usable.map(({ node }) => node.metadata.name));
  const active = ours.find(({ metadata }) => usableNames.has(metadata.name));
  if (active !== undefined) {
    const candidate = marked.get(active.metadata.name);
    const desired =
      candidate === undefined ? active : gatewayOf(candidate, { namespace, serviceCIDR, current: active });
    if (JSON.stringify(desired) !== JSON.stringify(active)) return { kind: 'change', current: active, desired };
    return removal(ours.filter((one) => one !== active));
  }
  const [next] = usable;
  // A Gateway that a user made for another Node is the one that agents use.
  if (next !== undefined && live.length === ours.length)
    return { kind: 'create', gateway: withDataPlane(gatewayOf(next, { namespace, serviceCIDR }), live) };
  return removal(ours.filter(({ metadata }) => !marked.has(metadata.name)));
}

/**
 * The data plane belongs to the cluster, so it is kept. If the agent on the next Node wrote it a
 * moment later, all Services of the cluster would change twice.
 */
function withDataPlane(gateway: Gateway, before: readonly Gateway[]): Gateway {
  const dataPlane = dataPlaneOfGateways(before);
  if (dataPlane === undefined || gateway.metadata.annotations?.[Annotation.dataPlane] !== undefined) return gateway;
  const annotations = { ...gateway.metadata.annotations, [Annotation.dataPlane]: dataPlane };
  return { ...gateway, metadata: { ...gateway.metadata, annotations } };
}

function removal([gateway]: readonly Gateway[]): GatewayDecision {
  return gateway === undefined ? { kind: 'keep' } : { kind: 'delete', gateway };
}

/**
 * The Gateway for a Node, with the data plane that its agent publishes. The WireGuard key, which
 * the agent itself writes into it, stays.
 */
function gatewayOf(
  { node, addresses, dataPlane }: GatewayCandidate,
  given: {
    readonly namespace: string;
    readonly serviceCIDR: string | undefined;
    readonly current?: Gateway | undefined;
  },
): Gateway {
  const { namespace, current } = given;
  const metadata = current?.metadata ?? { name: node.metadata.name, namespace };
  const serviceCIDR = given.serviceCIDR ?? current?.serviceCIDR;
  return {
    ...current,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
      ...(dataPlane !== undefined && { annotations: { ...metadata.annotations, [Annotation.dataPlane]: dataPlane } }),
    },
    ...(addresses.kind === 'valid' && { gatewayIP: addresses.gatewayIP, internalIP: addresses.internalIP }),
    ...(serviceCIDR !== undefined && { serviceCIDR }),
  };
}
