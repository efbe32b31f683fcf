import type { EventReason, Gateway as GatewayObject, ResourceExport as ResourceExportObject } from '@isthmus/api';
import {
  Annotation,
  ClusterSet,
  Gateway,
  ResourceExport,
  ResourceImport,
  SourceKind,
  clusterInfoName,
  gatewayStatus,
  parseVirtualPodCIDRs,
} from '@isthmus/api';
import type { Outcome, ReconcileContext, Reconciler } from '@isthmus/kube';
import { again, atStart, blocked, defineReconciler, done, from, isNotFound, onChange } from '@isthmus/kube';
import { equal, isLive, liveOf } from '@isthmus/machinery';
import { carriesOurLabel, isWithdrawn } from '@isthmus/wire';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';
import { rejectedByLeader } from '../../../own-cluster/rejected-by-leader.ts';
import { rejectedAgainMs } from '../../../reporting/lasting-rejection.ts';
import type { ControllerAccess } from '../../../controller-access.ts';
import { withdraw } from '../../../loss/withdraw-objects.ts';
import type { MissingSources } from '../../../own-cluster/missing/missing-sources.ts';
import { createMissingSources, missingSourcesAccess } from '../../../own-cluster/missing/missing-sources.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import { hasOwnAgents } from '../../../own-cluster/own-agents.ts';
import { forgottenAfterMs as virtualForgottenAfterMs, ownVirtualPodCIDRs } from './own-virtual-pod-cidrs.ts';
import { isUsable } from '../../../own-cluster/leader-session.ts';
import type { ExportWritten } from '../../../own-cluster/write-exports.ts';
import { writeExport } from '../../../own-cluster/write-exports.ts';
import { createOngoingReports } from '../../../reporting/reports.ts';
import type { ClusterInfoExportInput, FoundExport } from './decide.ts';
import {
  decideClusterInfoExport,
  isConflicting,
  ownNetworkConflict,
  usableGateways,
  withoutOtherKeys,
} from './decide.ts';
import type { ExportMemory } from './export-memory.ts';
import { keptKeys, newProblems, nothingExported, whetherPublished, wrote } from './export-memory.ts';
import { onClusterSets } from '../../../reporting/cluster-sets-changed.ts';

/** The access that this controller needs. */
export const clusterInfoExportAccess: readonly ControllerAccess[] = [
  { at: 'local', type: Gateway, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  missingSourcesAccess(Gateway),
  // To read the virtual ranges that this cluster knows.
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch'] },
  {
    at: 'leader',
    type: ResourceExport,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/** If the unread object changes, the key wakes before. */
const unreadMs = 60_000;

/** The only key: a cluster has one network. */
const clusterInfoKey = 'cluster-info';

/** Exports the network of one cluster over one session. */
interface NetworkExport {
  readonly local: OwnCluster;
  readonly session: LeaderSession;
  readonly missing: MissingSources;
  memory: ExportMemory;
}

type ExportOutcome = Outcome<EventReason<typeof gatewayStatus>>;

/**
 * Exports the network of this cluster while it has a Gateway. Without a session nothing runs, and
 * the leader keeps the export.
 */
export function clusterInfoExportController(local: OwnCluster, session: LeaderSession): Reconciler {
  const all = () => [clusterInfoKey];
  const remoteSources = [
    from(session.exports.cache, exportKeys),
    from(session.imports.cache, ({ metadata }) =>
      metadata.name === clusterInfoName(session.spec.clusterID) ? all() : [],
    ),
    onChange(session.onState, all),
  ];
  const missing = createMissingSources(local, Gateway);
  const network: NetworkExport = { local, session, missing, memory: nothingExported };
  // The ranges may be from another leader.
  local.virtualPodCIDRs.note(undefined);
  const reports = createOngoingReports(local.events, gatewayStatus, local.world.clock);
  return defineReconciler<EventReason<typeof gatewayStatus>>({
    name: 'cluster-info-export',
    concurrency: 1,
    sources: [
      from(local.gateways.cache, all),
      onClusterSets(local.clusterSets.cache, all),
      onChange(local.gatewayNodes.onChange, all),
      atStart(clusterInfoKey),
      ...remoteSources,
      ...missing.sources,
    ],
    optionalSources: remoteSources,
    access: clusterInfoExportAccess,
    reconcile: (_key, context) => reconcile(network, context),
    async report(_key, problem) {
      for (const gateway of local.gateways.cache.list()) reports.note(gateway.metadata.name, gateway, problem);
    },
  });
}

async function reconcile(network: NetworkExport, context: ReconcileContext): Promise<ExportOutcome> {
  const { local, session, missing } = network;
  const { signal } = context;
  // A change of the session wakes the key.
  if (!isUsable(session)) return done;
  // A controller that has just started would withdraw candidates because it has not read them yet.
  if (!local.gatewayNodes.isKnown) return again(unreadMs, 'the marked Nodes are being read');
  const input = await gather(network, signal);
  const decision = decideClusterInfoExport(input);
  const { memory, found } = newProblems(network.memory, input.gateways, local.config);
  network.memory = memory;
  for (const { gateway, ...problem } of found) local.events.report(gateway, gatewayStatus, problem);
  const conflict = ownNetworkConflict(input);
  if (conflict !== undefined) local.networkConflict.note(conflict);
  const gateways = input.gateways.filter(isLive);
  for (const gateway of gateways) missing.found(clusterInfoKey, gateway);
  if (decision.kind === 'withdraw' && gateways.length === 0) {
    const doubt = await missing.doubt(clusterInfoKey, [decision.object], context);
    if (doubt !== undefined) return doubt;
  }
  switch (decision.kind) {
    case 'leave':
      session.losses.forget(clusterInfoName(session.spec.clusterID));
      return decision.outcome;
    case 'withdraw':
      session.losses.forget(clusterInfoName(session.spec.clusterID));
      if (gateways.length === 0) local.virtualPodCIDRs.note([]);
      await withdraw(session.exports, [decision.object], { nowMs: local.world.clock.now(), signal });
      return decision.outcome;
    case 'export': {
      const answer = await write(network, decision.object, signal).catch((error: unknown) =>
        rejectedByLeader(error, session.spec.leaderClusterID),
      );
      return afterWrite(network, input, answer);
    }
  }
}

function afterWrite(
  network: NetworkExport,
  input: ClusterInfoExportInput,
  answer: ExportWritten | ReturnType<typeof rejectedByLeader>,
): ExportOutcome {
  if (answer.kind === 'rejected') return blocked('NotExported', answer.message, { lookAgainMs: rejectedAgainMs });
  if (answer.kind === 'lost')
    return again(answer.forMs, 'the leader lost the export; an administrator may be cleaning up');
  const inTheWay = answer.kind === 'conflicting' ? answer.with : undefined;
  const { outcome } = decideClusterInfoExport({ ...input, inTheWay });
  if (outcome.kind !== 'done') return outcome;
  const { session, local } = network;
  const { clusterID, leaderClusterID, leaderNamespace } = session.spec;
  const { cache } = session.imports;
  const name = clusterInfoName(clusterID);
  const isPublished = liveOf(cache.get({ namespace: leaderNamespace, name })) !== undefined;
  const published = whetherPublished(network.memory, {
    isUnpublished: session.answers === false && cache.synced && !isPublished,
    nowMs: local.world.clock.monotonic(),
    leaderClusterID,
    leaderNamespace,
    name,
  });
  network.memory = published.memory;
  if (published.outcome.kind !== 'done' || network.memory.unconfirmedMs === undefined) return published.outcome;
  return again(virtualForgottenAfterMs, 'the leader has not confirmed virtual Pod CIDRs');
}

/**
 * The virtual ranges that this cluster knows. They are recorded on its ClusterSet, where its agents
 * read them.
 */
function virtualPodCIDRs(network: NetworkExport): Pick<ClusterInfoExportInput, 'virtual'> {
  const { local, session, memory } = network;
  const { clusterID, leaderNamespace: namespace } = session.spec;
  const { cache } = session.imports;
  const published = cache.get({ namespace, name: clusterInfoName(clusterID) });
  const isOurs = published !== undefined && carriesOurLabel(published) && !isWithdrawn(published);
  // Without a Gateway, it is decided elsewhere whether the ranges are lost or were removed on
  // purpose.
  const hasGateway = local.gateways.cache.list().some(isLive);
  const nowMs = local.world.clock.monotonic();
  const { pairs, announced, isUnconfirmed } = ownVirtualPodCIDRs({
    hasAgents: cache.synced && hasGateway ? hasOwnAgents(local) : undefined,
    podCIDRs: local.config.podCIDRs,
    allotted: isOurs ? parseVirtualPodCIDRs(published.metadata.annotations?.[Annotation.virtualPodCIDRs]) : [],
    known: parseVirtualPodCIDRs(local.served()?.metadata.annotations?.[Annotation.virtualPodCIDRs]),
    unconfirmedMs: nowMs - (memory.unconfirmedMs ?? nowMs),
  });
  network.memory = { ...memory, unconfirmedMs: isUnconfirmed ? (memory.unconfirmedMs ?? nowMs) : undefined };
  if (pairs !== undefined) local.virtualPodCIDRs.note(pairs);
  return { virtual: announced };
}

/**
 * The answer to a write goes into the cache, which then shows what the leader's API server keeps.
 */
async function write(
  network: NetworkExport,
  object: ResourceExportObject,
  signal: AbortSignal,
): Promise<ExportWritten> {
  const { session, memory } = network;
  const wanted = keptKeys(memory, object);
  if (wanted !== object || equal(withoutOtherKeys(object), object))
    return writeExport({ session, isConflicting }, wanted, signal);
  const answer = await writeExport({ session, isConflicting }, object, signal);
  network.memory = wrote(network.memory, object, session.exports.cache.get(object.metadata));
  return answer;
}

async function gather(network: NetworkExport, signal: AbortSignal): Promise<ClusterInfoExportInput> {
  const { local, session } = network;
  const { clusterID, leaderClusterID, leaderNamespace } = session.spec;
  const { config, namespace } = local;
  const gateways = local.gateways.cache.list();
  const seen = session.exports.cache.get({ namespace: leaderNamespace, name: clusterInfoName(clusterID) });
  const found = seen === undefined ? await unseen(session, gateways, signal) : { kind: 'found' as const, object: seen };
  const nodes = local.gatewayNodes.list();
  return {
    gateways,
    nodes,
    config,
    ...virtualPodCIDRs(network),
    clusterID,
    namespace,
    leaderClusterID,
    leaderNamespace,
    found,
    inTheWay: undefined,
  };
}

/**
 * An export that our watch does not show, because it selects by label. Antrea members before 2.7
 * set no label, and a user may have removed it. Before an export this is not needed: the write
 * itself finds an existing object.
 */
async function unseen(
  session: LeaderSession,
  gateways: readonly GatewayObject[],
  signal: AbortSignal,
): Promise<FoundExport> {
  return usableGateways(gateways).length > 0 ? { kind: 'none' } : askLeader(session, signal);
}

/** The object on the leader under the name of our export, independent of its labels. */
async function askLeader(session: LeaderSession, signal: AbortSignal): Promise<FoundExport> {
  const { clusterID, leaderNamespace: namespace } = session.spec;
  if (session.state.kind !== 'connected') return { kind: 'unknown' };
  try {
    const ref = { namespace, name: clusterInfoName(clusterID) };
    return { kind: 'found', object: await session.client.get(ResourceExport, ref, { signal }) };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'none' };
    signal.throwIfAborted();
    return { kind: 'unknown' };
  }
}

/** Every export of cluster information that this member can see is its own. */
export function exportKeys({ spec }: ResourceExportObject): readonly string[] {
  return spec?.kind === SourceKind.clusterInfo ? [clusterInfoKey] : [];
}
