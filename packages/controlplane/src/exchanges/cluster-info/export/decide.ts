import type {
  ClusterInfo,
  EventReason,
  Gateway,
  ResourceExport,
  Verdict,
  VirtualPodCIDR,
  gatewayStatus,
  memberClusterSetStatus,
} from '@isthmus/api';
import {
  Annotation,
  Finalizer,
  Label,
  SourceKind,
  clusterInfoName,
  directProbesText,
  managedByIsthmus,
  mirrored,
  virtualPodCIDRsText,
} from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { again, blocked, done } from '@isthmus/kube';
import { byAge } from '@isthmus/machinery';
import { conditionOf, dataPlaneOfGateways, gatewayIPProblem, isConditionReason, shown } from '@isthmus/wire';
import type { ExchangeConfig, OfferedGateway } from '../../../own-cluster/own-cluster.ts';

export interface ClusterInfoExportInput extends OwnNetwork {
  readonly leaderClusterID: string;
  readonly found: FoundExport;
  /**
   * The object with the name of the export, if a write found it and no watch of this member shows
   * it.
   */
  readonly inTheWay: ResourceExport | undefined;
}

/** The object on the leader under the name of this cluster's export. */
export type FoundExport =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly object: ResourceExport }
  /** The leader cannot be asked now. */
  | { readonly kind: 'unknown' };

export type ClusterInfoExportDecision =
  | { readonly kind: 'leave'; readonly outcome: ClusterInfoOutcome }
  | { readonly kind: 'withdraw'; readonly object: ResourceExport; readonly outcome: ClusterInfoOutcome }
  | { readonly kind: 'export'; readonly object: ResourceExport; readonly outcome: ClusterInfoOutcome };

/** Includes the reason that is reported on the Gateways. */
type ClusterInfoOutcome = Outcome<EventReason<typeof gatewayStatus>>;

/**
 * How often to retry an export whose name another object has. No watch of this member shows when
 * the name becomes free.
 */
const conflictCheckMs = 60_000;

/**
 * How often to ask a leader again that did not answer, if no change of the session wakes the key
 * before.
 */
const lookAgainMs = 60_000;

/**
 * Decides if and how the network of this cluster is exported: while it has a Gateway. The outcome
 * contains the leader's answer.
 */
export function decideClusterInfoExport(input: ClusterInfoExportInput): ClusterInfoExportDecision {
  const { found, inTheWay } = input;
  const wanted = ownExport(input);
  if (wanted !== undefined) {
    return { kind: 'export', object: wanted, outcome: inTheWay === undefined ? answerOf(found) : nameTaken(input) };
  }
  switch (found.kind) {
    // A later try loses nothing, and the session itself reports a leader that does not answer.
    case 'unknown':
      return { kind: 'leave', outcome: again(lookAgainMs, 'cannot read the exports of this cluster on the leader') };
    case 'none':
      return { kind: 'leave', outcome: done };
    case 'found':
      return isConflicting(found.object) || found.object.metadata.deletionTimestamp !== undefined
        ? { kind: 'leave', outcome: done }
        : { kind: 'withdraw', object: found.object, outcome: done };
  }
}

/**
 * Whether an object of that name is not ours to repair. An object of the right kind is ours, no
 * matter which client wrote it: the name belongs to this cluster alone.
 */
export function isConflicting({ spec }: ResourceExport): boolean {
  return spec?.kind !== SourceKind.clusterInfo;
}

function nameTaken({ clusterID, leaderClusterID }: ClusterInfoExportInput): ClusterInfoOutcome {
  const message = `ResourceExport ${clusterInfoName(clusterID)} on leader ${leaderClusterID} is not an export of cluster information. Delete it there.`;
  return blocked('NotExported', message, { lookAgainMs: conflictCheckMs });
}

/**
 * The leader's answer to the export. Its findings about ranges are reported on the ClusterSet alone
 * ({@link ownNetworkConflict}).
 */
function answerOf(found: FoundExport): ClusterInfoOutcome {
  const conditions = found.kind === 'found' ? (found.object.status?.conditions ?? []) : [];
  const [condition] = conditions;
  if (condition === undefined || condition.status === 'True') return done;
  if (conditionOf(conditions, 'NetworkConflict')?.status === 'True') return done;
  const why = condition.message ?? condition.reason ?? '';
  return blocked('NotExported', `The leader does not publish the network of this cluster: ${why}`);
}

/** The leader's findings about the ranges of this cluster. Undefined: it has not answered. */
export function ownNetworkConflict(
  input: ClusterInfoExportInput,
): Verdict<typeof memberClusterSetStatus, 'NetworkConflict'> | 'absent' | undefined {
  if (usableGateways(input.gateways).length === 0) return 'absent';
  if (input.found.kind !== 'found' || isConflicting(input.found.object)) return undefined;
  const condition = conditionOf(input.found.object.status?.conditions, 'NetworkConflict');
  if (condition?.status !== 'True') return 'absent';
  const { reason = '', message = '' } = condition;
  return { status: 'True', reason: mirrored(isConditionReason(reason) ? reason : 'RangeOverlaps'), message };
}

/** The input for the export of the own network. */
export interface OwnNetwork {
  /** The Gateways of this cluster. */
  readonly gateways: readonly Gateway[];
  /** The marked Nodes, in the order in which they take over. */
  readonly nodes: readonly OfferedGateway[];
  readonly config: Pick<ExchangeConfig, 'podCIDRs' | 'serviceCIDR'>;
  /**
   * The virtual ranges that its agents know. Undefined, the default: its agents cannot translate.
   */
  readonly virtual?: readonly VirtualPodCIDR[] | undefined;
  readonly clusterID: string;
  /** The Namespace of the member's controller. */
  readonly namespace: string;
  readonly leaderNamespace: string;
}

/**
 * The network of this cluster for the other clusters, in the form of Antrea's members. Undefined
 * while it has no Gateway: then nothing is exported. The active Gateway is first: older peers use
 * only the first, and read its key there. Nodes that can take over follow, each with its own key.
 */
function ownExport(input: OwnNetwork): ResourceExport | undefined {
  const { clusterID, config, namespace, leaderNamespace, virtual } = input;
  const gateways = gatewaysInOrder(input);
  const [active] = gateways;
  if (active === undefined) return undefined;
  const [first, ...others] = entriesOf(gateways, input.nodes);
  const publicKey = first?.publicKey ?? '';
  const clusterInfo: ClusterInfo = {
    clusterID,
    serviceCIDR: config.serviceCIDR ?? active.serviceCIDR,
    podCIDRs: config.podCIDRs.length === 0 ? undefined : config.podCIDRs,
    gatewayInfos: [{ gatewayIP: first?.gatewayIP }, ...others],
    wireGuard: publicKey === '' ? undefined : { publicKey },
  };
  const dataPlane = dataPlaneOfGateways(gateways);
  const directProbes = directProbesOf(input.nodes);
  return {
    metadata: {
      name: clusterInfoName(clusterID),
      namespace: leaderNamespace,
      labels: {
        [Label.sourceKind]: SourceKind.clusterInfo,
        [Label.sourceClusterID]: clusterID,
        [Label.managedBy]: managedByIsthmus,
      },
      ...((dataPlane !== undefined || virtual !== undefined || directProbes !== '') && {
        annotations: {
          ...(directProbes !== '' && { [Annotation.directProbes]: directProbes }),
          ...(dataPlane !== undefined && { [Annotation.dataPlane]: dataPlane }),
          ...(virtual !== undefined && { [Annotation.virtualPodCIDRs]: virtualPodCIDRsText(virtual) }),
        },
      }),
      finalizers: [Finalizer.resourceExport],
    },
    spec: { kind: SourceKind.clusterInfo, clusterID, name: clusterID, namespace, clusterInfo },
  };
}

/** In the order in which gateways take over. */
function directProbesOf(nodes: readonly OfferedGateway[]): string {
  return directProbesText(nodes.filter(({ isUsable }) => isUsable).flatMap(({ directProbes = [] }) => directProbes));
}

/**
 * The active Gateway first: the oldest whose Node is not known to be down. Gateways whose Nodes are
 * down are left out if there is another.
 */
function gatewaysInOrder({ gateways, nodes }: Pick<OwnNetwork, 'gateways' | 'nodes'>): readonly Gateway[] {
  const down = new Set(nodes.filter(({ isUsable }) => !isUsable).map(({ node }) => node));
  const usable = usableGateways(gateways);
  const up = usable.filter(({ metadata }) => !down.has(metadata.name));
  return up.length > 0 ? up : usable.slice(0, 1);
}

type GatewayEntry = NonNullable<ClusterInfo['gatewayInfos']>[number];

/**
 * Lists each address once. An agent that renews its Lease publishes its key there. The key in the
 * Gateway is then that of a former agent, or from a backup. If no agent renews the Lease, the key
 * in the Gateway, which is Antrea's place for it, goes first.
 */
function entriesOf(gateways: readonly Gateway[], nodes: readonly OfferedGateway[]): readonly GatewayEntry[] {
  const offers = new Map(nodes.map((one) => [one.node, one]));
  const all = [
    ...gateways.map(({ metadata, gatewayIP, wireGuard }) => {
      const { publicKey, agent } = offers.get(metadata.name) ?? {};
      const written = wireGuard?.publicKey || undefined;
      return { gatewayIP, publicKey: agent === 'alive' ? (publicKey ?? written) : (written ?? publicKey) };
    }),
    ...nodes.filter(({ isUsable }) => isUsable),
  ];
  const entries = new Map<string, GatewayEntry>();
  for (const { gatewayIP = '', publicKey } of all)
    if (!entries.has(gatewayIP)) entries.set(gatewayIP, { gatewayIP, ...(publicKey !== undefined && { publicKey }) });
  return [...entries.values()];
}

/**
 * An export without the keys of Nodes that can take over. The API server of an Antrea leader drops
 * these keys.
 */
export function withoutOtherKeys(object: ResourceExport): ResourceExport {
  const { gatewayInfos, ...others } = object.spec?.clusterInfo ?? {};
  const bare = gatewayInfos?.map(({ gatewayIP }) => ({ gatewayIP }));
  return { ...object, spec: { ...object.spec, clusterInfo: { ...others, gatewayInfos: bare } } };
}

/**
 * Why the address of a Gateway cannot be used by other clusters. Undefined: it can be used, or
 * there is no address yet.
 */
export function gatewayProblem({ metadata, gatewayIP = '' }: Gateway): string | undefined {
  if (metadata.deletionTimestamp !== undefined || gatewayIP === '') return undefined;
  const problem = gatewayIPProblem(gatewayIP);
  return problem === undefined
    ? undefined
    : `gatewayIP ${shown(gatewayIP)} ${problem}, so other clusters do not use this Gateway.`;
}

/** Why agents of Antrea cannot use an otherwise usable Gateway. */
export function serviceCIDRProblem(
  gateway: Gateway,
  { serviceCIDR }: Pick<ExchangeConfig, 'serviceCIDR'>,
): string | undefined {
  if (usableGateways([gateway]).length === 0 || (serviceCIDR ?? gateway.serviceCIDR ?? '') !== '') return undefined;
  return 'The Service CIDR of this cluster is not known, and agents of Antrea in other clusters do not use a network without one. Set serviceCIDR in the configuration of this controller.';
}

/** The Gateways that other clusters can reach, the oldest first. */
export function usableGateways(gateways: readonly Gateway[]): readonly Gateway[] {
  return gateways
    .filter(
      ({ metadata, gatewayIP = '' }) =>
        metadata.deletionTimestamp === undefined && gatewayIPProblem(gatewayIP) === undefined,
    )
    .toSorted(byAge);
}
