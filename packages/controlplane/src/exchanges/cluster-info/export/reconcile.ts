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
import type { Outcome, Reconciler } from '@isthmus/kube';
import { again, atStart, blocked, defineReconciler, done, from, isNotFound, onChange } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import { carriesOurLabel, isLive, isWithdrawn } from '@isthmus/wire';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';
import { rejectedByLeader } from '../../../own-cluster/rejected-by-leader.ts';
import { rejectedAgainMs } from '../../../reporting/lasting-rejection.ts';
import type { ControllerAccess } from '../../../controller-access.ts';
import { restartOfController } from '../../../loss/held-condition.ts';
import { withdraw } from '../../../loss/withdraw-objects.ts';
import { createMissingSources, missingSourcesAccess } from '../../../own-cluster/missing/missing-sources.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import { hasOwnAgents } from '../../../own-cluster/own-agents.ts';
import { forgottenAfterMs as virtualForgottenAfterMs, ownVirtualPodCIDRs } from './own-virtual-pod-cidrs.ts';
import { isUsable } from '../../../own-cluster/leader-session.ts';
import type { ExportWritten } from '../../../own-cluster/write-exports.ts';
import { writeExport } from '../../../own-cluster/write-exports.ts';
import { createStandingReports } from '../../../reporting/reports.ts';
import type { ClusterInfoExportInput, FoundExport } from './decide.ts';
import {
  decideClusterInfoExport,
  gatewayProblem,
  isConflicting,
  ownNetworkConflict,
  serviceCIDRProblem,
  usableGateways,
  withoutOtherKeys,
} from './decide.ts';

/** What this controller may do. */
export const clusterInfoExportAccess: readonly ControllerAccess[] = [
  { at: 'local', type: Gateway, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  missingSourcesAccess(Gateway),
  // Which virtual ranges this cluster knows.
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch'] },
  {
    at: 'leader',
    type: ResourceExport,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/** A change of what is unread wakes the key before. */
const unreadMs = 60_000;

/** After how long a leader that answers nothing is reported to not publish the network, and how often it is looked at again then. */
const overdueMs = 60_000;

/** The one key: a cluster has one network. */
const clusterInfoKey = 'cluster-info';

/** Exports the network of this cluster while it has a Gateway. Without a session nothing runs: the leader keeps what was exported. */
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
  // Of another leader, perhaps.
  local.virtualPodCIDRs.note(undefined);
  // Lost with the process, which costs an Event more.
  let reported: ReadonlyMap<string, string> = new Map();
  // An export whose keys the leader's API server drops: to write them again would change nothing.
  let dropped: ResourceExportObject | undefined;
  // Since when the leader has published nothing. Lost with the process, which costs a minute.
  let unpublishedMs: number | undefined;
  // Since when the leader has not confirmed virtual ranges that this cluster knows. Lost with the process, which costs a minute.
  let unconfirmedSinceMs: number | undefined;
  const reports = createStandingReports(local.events, gatewayStatus, local.world.clock);
  return defineReconciler<EventReason<typeof gatewayStatus>>({
    name: 'cluster-info-export',
    concurrency: 1,
    sources: [
      from(local.gateways.cache, all),
      from(local.clusterSets.cache, all),
      onChange(local.gatewayNodes.onChange, all),
      atStart(clusterInfoKey),
      ...remoteSources,
      ...missing.sources,
    ],
    optionalSources: remoteSources,
    access: clusterInfoExportAccess,
    async reconcile(_key, context) {
      const { signal } = context;
      // A change of the session wakes the key.
      if (!isUsable(session)) return done;
      // A controller that has just started would withdraw candidates that it has not read yet.
      if (!local.gatewayNodes.isKnown) return again(unreadMs, 'the marked Nodes are being read');
      const input = await gather(signal);
      const decision = decideClusterInfoExport(input);
      reportUnusable(input.gateways);
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
          const answer = await write(decision.object, signal).catch((error: unknown) =>
            rejectedByLeader(error, session.spec.leaderClusterID),
          );
          if (answer.kind === 'rejected')
            return blocked('NotExported', answer.message, { lookAgainMs: rejectedAgainMs });
          if (answer.kind === 'lost')
            return again(answer.forMs, 'the leader lost the export; an administrator may be cleaning up');
          const inTheWay = answer.kind === 'conflicting' ? answer.with : undefined;
          const { outcome } = decideClusterInfoExport({ ...input, inTheWay });
          if (outcome.kind !== 'done') return outcome;
          const waits = unpublished();
          if (waits.kind !== 'done' || unconfirmedSinceMs === undefined) return waits;
          return again(virtualForgottenAfterMs, 'the leader has not confirmed virtual Pod CIDRs');
        }
      }
    },
    async report(_key, problem) {
      for (const gateway of local.gateways.cache.list()) reports.note(gateway.metadata.name, gateway, problem);
    },
  });

  /** What this cluster knows of its virtual ranges, which is noted for its ClusterSet, where its agents find it. */
  function virtualPodCIDRs(): Pick<ClusterInfoExportInput, 'virtual'> {
    const { clusterID, leaderNamespace: namespace } = session.spec;
    const { cache } = session.imports;
    const published = cache.get({ namespace, name: clusterInfoName(clusterID) });
    const isOurs = published !== undefined && carriesOurLabel(published) && !isWithdrawn(published);
    // Without one, whether they are lost or meant to be gone is decided elsewhere.
    const hasGateway = local.gateways.cache.list().some(isLive);
    const nowMs = local.world.clock.monotonic();
    const { pairs, announced, isUnconfirmed } = ownVirtualPodCIDRs({
      hasAgents: cache.synced && hasGateway ? hasOwnAgents(local) : undefined,
      podCIDRs: local.config.podCIDRs,
      allotted: isOurs ? parseVirtualPodCIDRs(published.metadata.annotations?.[Annotation.virtualPodCIDRs]) : [],
      known: parseVirtualPodCIDRs(local.served()?.metadata.annotations?.[Annotation.virtualPodCIDRs]),
      unconfirmedMs: unconfirmedSinceMs === undefined ? 0 : nowMs - unconfirmedSinceMs,
    });
    unconfirmedSinceMs = isUnconfirmed ? (unconfirmedSinceMs ?? nowMs) : undefined;
    if (pairs !== undefined) local.virtualPodCIDRs.note(pairs);
    return { virtual: announced };
  }

  /** An Antrea leader writes no status on an export: that it publishes shows in the import alone, which it does not write again when somebody deletes it. */
  function unpublished(): Outcome<EventReason<typeof gatewayStatus>> {
    const { clusterID, leaderClusterID, leaderNamespace: namespace } = session.spec;
    const name = clusterInfoName(clusterID);
    const { cache } = session.imports;
    if (session.answers !== false || !cache.synced || cache.get({ namespace, name }) !== undefined) {
      unpublishedMs = undefined;
      return done;
    }
    const nowMs = local.world.clock.monotonic();
    unpublishedMs ??= nowMs;
    const leftMs = unpublishedMs + overdueMs - nowMs;
    if (leftMs > 0) return again(leftMs, 'the leader has not published the network of this cluster');
    const message = `Leader ${leaderClusterID} has not published the network of this cluster for a minute: there is no ResourceImport ${name}. Its controller may be stopped, or the ResourceImport was deleted, and Antrea does not publish it again by itself. Restart the controller there: ${restartOfController(namespace)}`;
    return blocked('NotExported', message, { lookAgainMs: overdueMs });
  }

  /** The answer to a write is in the cache: it shows what the leader's API server keeps. */
  async function write(object: ResourceExportObject, signal: AbortSignal): Promise<ExportWritten> {
    const bare = withoutOtherKeys(object);
    if (equal(bare, object)) return writeExport({ session, isConflicting }, object, signal);
    if (equal(dropped, object)) return writeExport({ session, isConflicting }, bare, signal);
    const answer = await writeExport({ session, isConflicting }, object, signal);
    const kept = session.exports.cache.get(object.metadata)?.spec?.clusterInfo;
    dropped = equal(kept, bare.spec?.clusterInfo) ? object : undefined;
    return answer;
  }

  /** Once for each problem of a Gateway. */
  function reportUnusable(gateways: readonly GatewayObject[]): void {
    const found = new Map<string, string>();
    for (const gateway of gateways) {
      const { name, uid = '' } = gateway.metadata;
      const address = gatewayProblem(gateway);
      const message = address ?? serviceCIDRProblem(gateway, local.config);
      if (message === undefined) continue;
      found.set(`${name} ${uid}`, message);
      const reason = address === undefined ? 'ServiceCIDRUnknown' : 'InvalidGatewayIP';
      if (reported.get(`${name} ${uid}`) !== message) local.events.report(gateway, gatewayStatus, { reason, message });
    }
    reported = found;
  }

  async function gather(signal: AbortSignal): Promise<ClusterInfoExportInput> {
    const { clusterID, leaderClusterID, leaderNamespace } = session.spec;
    const { config, namespace } = local;
    const gateways = local.gateways.cache.list();
    const seen = session.exports.cache.get({ namespace: leaderNamespace, name: clusterInfoName(clusterID) });
    const found = seen === undefined ? await unseen(gateways, signal) : { kind: 'found' as const, object: seen };
    const nodes = local.gatewayNodes.list();
    return {
      gateways,
      nodes,
      config,
      ...virtualPodCIDRs(),
      clusterID,
      namespace,
      leaderClusterID,
      leaderNamespace,
      found,
      inTheWay: undefined,
    };
  }

  /**
   * Our watch selects by label; a member of Antrea before 2.7 put none, and somebody may have removed it. To export, the write itself finds what
   * is there.
   */
  async function unseen(gateways: readonly GatewayObject[], signal: AbortSignal): Promise<FoundExport> {
    return usableGateways(gateways).length > 0 ? { kind: 'none' } : askLeader(signal);
  }

  /** What the leader has under the name of our export, whatever its labels. */
  async function askLeader(signal: AbortSignal): Promise<FoundExport> {
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
}

/** Every export of cluster information that this member can see is its own. */
export function exportKeys({ spec }: ResourceExportObject): readonly string[] {
  return spec?.kind === SourceKind.clusterInfo ? [clusterInfoKey] : [];
}
