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
  /** What has the name of the export although no watch of ours shows it, as far as writing showed. */
  readonly inTheWay: ResourceExport | undefined;
}

/** What the leader has under the name of this cluster's export. */
export type FoundExport =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly object: ResourceExport }
  /** The leader cannot be asked now. */
  | { readonly kind: 'unknown' };

export type ClusterInfoExportDecision =
  | { readonly kind: 'leave'; readonly outcome: ClusterInfoOutcome }
  | { readonly kind: 'withdraw'; readonly object: ResourceExport; readonly outcome: ClusterInfoOutcome }
  | { readonly kind: 'export'; readonly object: ResourceExport; readonly outcome: ClusterInfoOutcome };

/** Ends with what is reported on the Gateways. */
type ClusterInfoOutcome = Outcome<EventReason<typeof gatewayStatus>>;

/** How often an export whose name something else has is tried again: no watch of ours shows when it becomes free. */
const conflictCheckMs = 60_000;

/** How often a leader that did not answer is asked again, where no change of the session wakes the key before. */
const lookAgainMs = 60_000;

/** Whether and how the network of this cluster is exported: while it has a Gateway. What the leader answers, the outcome passes on. */
export function decideClusterInfoExport(input: ClusterInfoExportInput): ClusterInfoExportDecision {
  const { found, inTheWay } = input;
  const wanted = ownExport(input);
  if (wanted !== undefined) {
    return { kind: 'export', object: wanted, outcome: inTheWay === undefined ? answerOf(found) : nameTaken(input) };
  }
  switch (found.kind) {
    // Nothing is lost by asking later, and the session itself reports a leader that does not answer.
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

/** Whether an object of that name is not ours to repair. Whoever wrote one of the kind, whatever it says: the name is that of this cluster alone. */
export function isConflicting({ spec }: ResourceExport): boolean {
  return spec?.kind !== SourceKind.clusterInfo;
}

function nameTaken({ clusterID, leaderClusterID }: ClusterInfoExportInput): ClusterInfoOutcome {
  const message = `ResourceExport ${clusterInfoName(clusterID)} on leader ${leaderClusterID} is not an export of cluster information. Delete it there.`;
  return blocked('NotExported', message, { lookAgainMs: conflictCheckMs });
}

/** What the leader answered to the export. What it found about ranges is reported on the ClusterSet alone ({@link ownNetworkConflict}). */
function answerOf(found: FoundExport): ClusterInfoOutcome {
  const conditions = found.kind === 'found' ? (found.object.status?.conditions ?? []) : [];
  const [condition] = conditions;
  if (condition === undefined || condition.status === 'True') return done;
  if (conditionOf(conditions, 'NetworkConflict')?.status === 'True') return done;
  const why = condition.message ?? condition.reason ?? '';
  return blocked('NotExported', `The leader does not publish the network of this cluster: ${why}`);
}

/** What the leader found about the ranges of this cluster; undefined: it has not answered. */
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

/** What the export of the own network is made of. */
export interface OwnNetwork {
  /** The Gateways of this cluster. */
  readonly gateways: readonly Gateway[];
  /** The marked Nodes, in the order in which they take over. */
  readonly nodes: readonly OfferedGateway[];
  readonly config: Pick<ExchangeConfig, 'podCIDRs' | 'serviceCIDR'>;
  /** The virtual ranges that its agents know; undefined: they could know none. Default: undefined. */
  readonly virtual?: readonly VirtualPodCIDR[] | undefined;
  readonly clusterID: string;
  /** The Namespace of the member's controller. */
  readonly namespace: string;
  readonly leaderNamespace: string;
}

/**
 * What this cluster tells the others of its network, in the form of Antrea's members; undefined while it has no Gateway: then it tells
 * nothing. The active Gateway is the first, which older peers take for the only one, and its key is where they look for it; Nodes that can take
 * over from it follow, each with its own key.
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

/** The active one first: the oldest whose Node is not known to be down. Those whose Nodes are down are of no use where there is another. */
function gatewaysInOrder({ gateways, nodes }: Pick<OwnNetwork, 'gateways' | 'nodes'>): readonly Gateway[] {
  const down = new Set(nodes.filter(({ isUsable }) => !isUsable).map(({ node }) => node));
  const usable = usableGateways(gateways);
  const up = usable.filter(({ metadata }) => !down.has(metadata.name));
  return up.length > 0 ? up : usable.slice(0, 1);
}

type GatewayEntry = NonNullable<ClusterInfo['gatewayInfos']>[number];

/**
 * Each address once. What an agent wrote into the Gateway is Antrea's place for its key, and goes before that of a Lease which nobody renews. An agent that renews its Lease has the key that it publishes
 * there; that of the Gateway is then one of an agent before, or of a backup.
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

/** An export without the keys of Nodes that can take over, which the API server of an Antrea leader drops. */
export function withoutOtherKeys(object: ResourceExport): ResourceExport {
  const { gatewayInfos, ...others } = object.spec?.clusterInfo ?? {};
  const bare = gatewayInfos?.map(({ gatewayIP }) => ({ gatewayIP }));
  return { ...object, spec: { ...object.spec, clusterInfo: { ...others, gatewayInfos: bare } } };
}

/** Of a Gateway whose address for other clusters cannot be used, why; undefined: it can, or it has none yet. */
export function gatewayProblem({ metadata, gatewayIP = '' }: Gateway): string | undefined {
  if (metadata.deletionTimestamp !== undefined || gatewayIP === '') return undefined;
  const problem = gatewayIPProblem(gatewayIP);
  return problem === undefined
    ? undefined
    : `gatewayIP ${shown(gatewayIP)} ${problem}, so other clusters do not use this Gateway.`;
}

/** Of a Gateway that can be used, what keeps agents of Antrea from using it. */
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
