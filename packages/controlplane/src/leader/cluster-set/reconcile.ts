import type { ClusterSet as ClusterSetObject } from '@isthmus/api';
import {
  ClusterClaim,
  ClusterSet,
  MemberClusterAnnounce,
  ResourceExport,
  SourceKind,
  leaderClusterSetStatus,
} from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { again, blocked, defineReconciler, done, from, onChange } from '@isthmus/kube';
import { conditionOf, keyOfObject } from '@isthmus/machinery';
import type { AdmissionWatch } from '../../admission-watch.ts';
import type { ControllerAccess } from '../../controller-access.ts';
import type { OverLimits } from '../../common-area/limits.ts';
import { overLimitsMessage } from '../../common-area/limits.ts';
import { settingsDifferenceIn } from '../announce/member-settings.ts';
import { livenessOf } from '../announce/liveness.ts';
import type { Sightings } from '../announce/sightings.ts';
import type { CommonArea } from '../../common-area/common-area.ts';
import { decideLeaderClusterSet } from './decide.ts';
import type { RejectedConfig } from '../../process/rejected-config.ts';
import { configurationVerdict, noRejectedConfig } from '../../process/rejected-config.ts';
import type { StatusRejected } from '../../reporting/rejected-status.ts';
import { createStatusHeartbeat, statusBeatMs } from '../../reporting/status-heartbeat.ts';
import { reportingRejection } from '../../reporting/rejected-status.ts';
import { updatedUnlessRejected } from '../../reporting/rejected-update.ts';
import { createOngoingReports } from '../../reporting/reports.ts';
import { unsupportedVerdict } from '../../process/unsupported.ts';

export interface LeaderClusterSetOptions {
  readonly area: CommonArea;
  readonly sightings: Sightings;
  readonly admission: Pick<AdmissionWatch, 'problem' | 'onChange'>;
  /** Fields of the configuration that are set but not used. Default: none. */
  readonly unusedSettings?: readonly string[] | undefined;
  /** The configuration file that the process rejected, if there is one. Default: none. */
  readonly rejectedConfig?: RejectedConfig | undefined;
  readonly version: string;
  readonly world: World;
}

/**
 * The status names every member. A burst of announcements costs one write, and a single change
 * shows at once.
 */
const coalesceMs = 500;

/** The access that this controller needs. */
export const leaderClusterSetAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ClusterSet, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: ClusterClaim, scope: 'own', verbs: ['get', 'list', 'watch'], mayBeUnserved: true },
  { at: 'local', type: MemberClusterAnnounce, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/**
 * Keeps the status of the leader's ClusterSet current: a member that becomes silent shows without a
 * poll.
 */
export function leaderClusterSetController(options: LeaderClusterSetOptions): Reconciler {
  const { area, admission, sightings, unusedSettings: settings = [], version, world } = options;
  const { rejectedConfig = noRejectedConfig } = options;
  const all = () => area.clusterSets.cache.list().map(keyOfObject);
  const events = createOngoingReports(area.events, leaderClusterSetStatus, world.clock);
  const reportOffenders = createOffenderReports(area);
  const heartbeat = createStatusHeartbeat(world.clock);
  return defineReconciler({
    name: 'leader-cluster-set',
    concurrency: 1,
    coalesceMs,
    sources: [
      // The choice of the served ClusterSet depends on all of them.
      from(area.clusterSets.cache, all),
      from(area.announces.cache, all),
      from(area.clusterClaims.cache, all),
      // To read the data plane that they name.
      from(area.exports.cache, ({ spec }) => (spec?.kind === SourceKind.clusterInfo ? all() : [])),
      onChange(area.held.onChange, all),
      onChange(area.overLimits.exports.onOverLimits, all),
      onChange(area.overLimits.announces.onOverLimits, all),
      onChange(area.unserved.onChange, all),
      onChange(area.switchedOff.onChange, all),
      onChange(area.exhausted.onChange, all),
      onChange(area.overQuota.onChange, all),
      onChange(area.unbound.onChange, all),
      onChange(area.suspensions.suspended.onChange, all),
      onChange(area.suspensions.failed.onChange, all),
      onChange(area.unannounced.onChange, all),
      onChange(area.missingKinds.onChange, all),
      onChange(rejectedConfig.onChange, all),
      onChange(admission.onChange, all),
    ],
    // The manifests of an earlier release lack the kind.
    optionalSources: [from(area.knownClusters.cache, all)],
    access: leaderClusterSetAccess,
    async reconcile(key, { signal }) {
      const clusterSet = area.clusterSets.cache.getByKey(key);
      const served = area.served();
      if (clusterSet === undefined || served === undefined) return done;
      const nowMonotonicMs = world.clock.monotonic();
      const members = area.announces.cache
        .list()
        .filter((announce) => announce.metadata.deletionTimestamp === undefined)
        .map((announce) => ({ announce, liveness: livenessOf(sightings.look(announce), nowMonotonicMs) }));
      const unannounced = area.unannounced.look();
      const claims = area.clusterClaims.cache.list();
      const nowMs = world.clock.now();
      const decision = decideLeaderClusterSet({
        clusterSet,
        served,
        claims,
        held: area.held.size,
        overLimits: overLimitsOf(area),
        unsupported: unsupportedVerdict({
          settings,
          payloads: { objects: 'ResourceExport', kinds: area.unserved.facts() },
        }),
        configuration: configurationVerdict(rejectedConfig),
        admission: admission.problem,
        switchedOff: area.switchedOff.facts(),
        exhausted: area.exhausted.facts(),
        overQuota: area.overQuota.facts(),
        allots: area.config.virtualPodCIDRs.length > 0,
        unbound: area.unbound.facts(),
        suspended: area.suspensions.suspended.facts(),
        notSuspended: area.suspensions.failed.facts(),
        notGranted: notGrantedIn(area),
        unannounced: [...unannounced.sinceMs.keys()],
        missingKinds: area.missingKinds.list(),
        settings: settingsDifferenceIn(area),
        members,
        version,
        nowMs,
      });
      const update = area.clusterSets.change(clusterSet, decision.wanted, signal);
      const { current, rejected: updateRejected } = await updatedUnlessRejected(clusterSet, update);
      events.note(`update ${key}`, clusterSet, updateRejected);
      const { generation: observedGeneration } = current.metadata;
      const lastHeartbeatTime = heartbeat.next(key, current.status?.lastHeartbeatTime);
      const status = { ...decision.status, observedGeneration, lastHeartbeatTime };
      const rejected = (await writeStatus(area, current, status, signal)) ?? updateRejected;
      if (clusterSet === served) {
        reportOffenders(clusterSet);
        events.note('admission', clusterSet, admission.problem);
      }
      const { problem, silentFromMs = Infinity } = decision;
      const nextMs = Math.min(silentFromMs, unannounced.nextMs ?? Infinity, nowMonotonicMs + statusBeatMs);
      if (problem !== undefined)
        return blocked(problem.reason, problem.message, { lookAgainMs: rejected?.lookAgainMs ?? statusBeatMs });
      if (rejected !== undefined) return rejected;
      return again(Math.max(0, nextMs - nowMonotonicMs) + 1, 'waiting for heartbeats');
    },
  });
}

function writeStatus(
  area: CommonArea,
  clusterSet: ClusterSetObject,
  status: NonNullable<ClusterSetObject['status']>,
  signal: AbortSignal,
): Promise<StatusRejected | undefined> {
  const write = area.clusterSets.changeStatus(clusterSet, status, signal);
  return reportingRejection(write, (rejected) => area.events.report(clusterSet, leaderClusterSetStatus, rejected));
}

function overLimitsOf(area: CommonArea): OverLimits | undefined {
  if (!area.exports.cache.synced || !area.announces.cache.synced) return undefined;
  return {
    exportLimits: area.exportLimits,
    exports: area.overLimits.exports.overLimits(),
    announces: area.overLimits.announces.overLimits(),
  };
}

/** Reports once for each cluster and kind, and again only after it was within the limits. */
function createOffenderReports(area: CommonArea): (clusterSet: ClusterSetObject) => void {
  let offenders: ReadonlySet<string> = new Set();
  return (clusterSet) => {
    const over = overLimitsOf(area);
    if (over === undefined) return;
    const { exportLimits } = over;
    const each = [
      ...over.exports.map((usage) => ({ id: `exports ${usage.owner}`, exportLimits, exports: [usage], announces: [] })),
      ...over.announces.map((usage) => ({
        id: `announces ${usage.owner}`,
        exportLimits,
        exports: [],
        announces: [usage],
      })),
    ];
    for (const { id, ...one } of each) {
      const message = offenders.has(id) ? undefined : overLimitsMessage(clusterSet, one);
      if (message === undefined) continue;
      area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'ExportLimitExceeded', message });
    }
    offenders = new Set(each.map(({ id }) => id));
  };
}

/** The clusters whose announcements a KnownCluster holds back, without those that are refused. */
function notGrantedIn({ knownClusters }: CommonArea): readonly string[] {
  return knownClusters.cache
    .list()
    .filter(({ status }) => {
      const { status: isWithin, reason = '' } = conditionOf(status?.conditions, 'WithinGrant') ?? {};
      return isWithin === 'False' && ['OutsideGrant', 'ClusterHeld'].includes(reason);
    })
    .map(({ spec }) => spec.clusterID)
    .toSorted();
}
