import {
  ClusterClaim,
  ClusterSet,
  KnownCluster,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  ServiceAccount,
} from '@isthmus/api';
import type { Client, EventRecorder, OwnerLimits, Reconciler, World } from '@isthmus/kube';
import { createCache, resourceOf } from '@isthmus/kube';
import { isLive, resourceNameOf } from '@isthmus/machinery';
import { defaultLeaderConfig, forgottenAfterMs, servedClusterSet } from '@isthmus/wire';
import type { ExportQuery, LeaderConfig } from '@isthmus/wire';
import type { ControlPlane } from '../control-plane.ts';
import { runTogether } from '../control-plane.ts';
import type { AdmissionWatch } from '../admission-watch.ts';
import type { CommonArea } from '../common-area/common-area.ts';
import { AnnounceIndex, ExportIndex } from '../common-area/common-area.ts';
import { grantsFrom } from '../known-clusters/grants.ts';
import type { Exchange } from '../define-exchange.ts';
import { createHeld } from '../loss/held.ts';
import { createTally } from '../reporting/tally.ts';
import { followAreaLoss } from '../loss/area-loss.ts';
import { lastingUnserved, onLastingState } from '../loss/lasting-unserved.ts';
import { createUnannouncedExporters } from './cluster-set/unannounced-exporters.ts';
import { announceLimits, exportLimits } from '../common-area/limits.ts';
import { mergeController } from '../common-area/reconcile.ts';
import { numberIndexes } from '../common-area/taken-numbers.ts';
import { unservedKindsController } from '../common-area/unserved-exports.ts';
import { exchanges as allExchanges } from '../exchanges/index.ts';
import type { RejectedConfig } from '../process/rejected-config.ts';
import { createReports } from '../reporting/reports.ts';
import { allotmentController } from '../exchanges/cluster-info/leader/allotment/reconcile.ts';
import { memberAnnounceController } from './announce/reconcile.ts';
import { reportNarrowedGrants } from './known-clusters/narrowed-grants.ts';
import { knownClustersController } from './known-clusters/reconcile.ts';
import { memberAccountsController } from './accounts/reconcile.ts';
import { createSightings } from './announce/sightings.ts';
import { leaderClusterSetController } from './cluster-set/reconcile.ts';
import { reportUnguardedWrites } from './unguarded-writes.ts';
import { reportingRejectedWrites } from './rejected-writes.ts';
import { createSuspensions } from './suspension/suspensions.ts';
import { indexesOf } from '../exchange-indexes.ts';

export interface LeaderOptions {
  /** A client for the leader cluster's API server. */
  readonly client: Client;
  /** The Common Area: the only Namespace that a leader reads or writes. */
  readonly namespace: string;
  readonly version: string;
  readonly events: EventRecorder;
  readonly world: World;
  /**
   * Whether the API server has the admission policies of the leader. It runs as long as the leader.
   */
  readonly admission: AdmissionWatch;
  /** Default: the configuration of a leader without a configuration file. */
  readonly config?: LeaderConfig | undefined;
  /** Fields of the configuration that are set but not used. Default: none. */
  readonly unusedSettings?: readonly string[] | undefined;
  /** The configuration file that the process rejected, if there is one. Default: none. */
  readonly rejectedConfig?: RejectedConfig | undefined;
  /**
   * How long a silent member is remembered, in milliseconds. Default: a day, as documented. Tests
   * use less time.
   */
  readonly forgottenAfterMs?: number | undefined;
  /**
   * The limits on the exports of one cluster. Default: those in the documentation. Tests use
   * smaller exports.
   */
  readonly exportLimits?: OwnerLimits | undefined;
  /** What is merged. Default: every exchange of Isthmus. */
  readonly exchanges?: readonly Exchange[] | undefined;
}

/**
 * The control plane of a leader: it merges the exports of members in one Namespace, and monitors
 * the members.
 */
export function createLeader(options: LeaderOptions): ControlPlane {
  const { client, namespace, events, world, admission } = options;
  const config = options.config ?? defaultLeaderConfig;
  const { on: exchanges = [], off = [] } = Object.groupBy(options.exchanges ?? allExchanges, ({ setting }) =>
    setting === undefined || config[setting] ? 'on' : 'off',
  );
  const acceptedExports = { ...exportLimits, ...options.exportLimits };
  const where = { ...world, client, namespace };
  const clusterSets = createCache<ClusterSet>({ ...where, type: ClusterSet });
  const clusterClaims = createCache<ClusterClaim>({ ...where, type: ClusterClaim, whenUnserved: 'empty' });
  const announces = createCache<MemberClusterAnnounce>({
    ...where,
    type: MemberClusterAnnounce,
    limits: announceLimits,
    indexes: { [AnnounceIndex.clusterID]: ({ clusterID = '' }) => [clusterID] },
  });
  const exports = createCache<ResourceExport>({
    ...where,
    type: ResourceExport,
    limits: acceptedExports,
    indexes: {
      ...indexesOf(exchanges, ({ leader }) => leader.exportKeys),
      [ExportIndex.clusterID]: (object) => [object.spec?.clusterID ?? ''],
    },
  });
  const imports = createCache<ResourceImport>({
    ...where,
    type: ResourceImport,
    indexes: { ...indexesOf(exchanges, ({ leader }) => leader.importKeys), ...numberIndexes(exchanges) },
  });
  const accounts = createCache<ServiceAccount>({ ...where, type: ServiceAccount });
  const knownClusters = createCache<KnownCluster>({ ...where, type: KnownCluster });
  const needed = {
    [resourceNameOf(MemberClusterAnnounce)]: announces,
    [resourceNameOf(ResourceExport)]: exports,
    [resourceNameOf(ResourceImport)]: imports,
  };
  const areaLoss = followAreaLoss(needed, world);
  const area: CommonArea = {
    namespace,
    config,
    clusterSets: resourceOf(ClusterSet, clusterSets, client),
    served: () => servedClusterSet(clusterSets.list()),
    clusterClaims: resourceOf(ClusterClaim, clusterClaims, client),
    accounts: resourceOf(ServiceAccount, accounts, client),
    knownClusters: resourceOf(KnownCluster, knownClusters, client),
    grants: grantsFrom(knownClusters, { namespace, unknownClusters: config.unknownClusters, clock: world.clock }),
    announces: resourceOf(MemberClusterAnnounce, announces, client),
    exports: resourceOf(ResourceExport, exports, client),
    imports: resourceOf(ResourceImport, imports, client),
    events: createReports(events),
    held: createHeld(world.clock),
    forgottenAfterMs: options.forgottenAfterMs ?? forgottenAfterMs,
    exportLimits: acceptedExports,
    overLimits: { exports, announces },
    unserved: createTally(),
    switchedOff: createTally(),
    unbound: createTally(),
    suspensions: createSuspensions({ exports, announces, quota: config.memberWrites, clock: world.clock }),
    exhausted: createTally(),
    overQuota: createTally(),
    unannounced: createUnannouncedExporters({ exports, announces }, world.clock),
    missingKinds: {
      list: () => lastingUnserved(needed, world),
      onChange: (listener) => onLastingState(Object.values(needed), world, listener),
    },
    lostMs: () => areaLoss.lastMs,
    async isExported(query, signal) {
      const { items } = await client.list(ResourceExport, { namespace, ...selectionOf(query), signal });
      return items.some(isLive);
    },
  };
  // Without `accounts` and `knownClusters`: a leader with the Role of an earlier release, or of
  // Antrea, works without them.
  const caches = { clusterSets, clusterClaims, announces, exports, imports };
  return {
    notReady: () =>
      Object.entries(caches).flatMap(([name, cache]) => (cache.synced ? [] : [`${name} are not read yet`])),
    async run(signal) {
      const reconcilers = leaderReconcilers({ ...options, area, exchanges, off });
      const stops = [reportUnguardedWrites(area, admission, world.clock), reportNarrowedGrants(area)];
      try {
        await runTogether([...Object.values(caches), accounts, knownClusters, admission], reconcilers, {
          world,
          signal,
        });
      } finally {
        areaLoss.stop();
        stops.forEach((stop) => stop());
      }
    },
  };
}

function selectionOf(query: ExportQuery): { readonly fieldSelector: string } | { readonly labelSelector: string } {
  if (query.by === 'name') return { fieldSelector: `metadata.name=${query.name}` };
  const labels = Object.entries(query.labels).map(([label, value]) => `${label}=${value}`);
  return { labelSelector: labels.join(',') };
}

/** The controllers of a leader. */
function leaderReconcilers(options: {
  readonly area: CommonArea;
  readonly admission: AdmissionWatch;
  readonly client: Client;
  readonly exchanges: readonly Exchange[];
  /** The exchanges whose setting is off. */
  readonly off: readonly Exchange[];
  readonly unusedSettings?: readonly string[] | undefined;
  readonly rejectedConfig?: RejectedConfig | undefined;
  readonly version: string;
  readonly world: World;
}): readonly Reconciler[] {
  const { area, exchanges, off, world } = options;
  const sightings = createSightings(world.clock);
  const reconcilers = [
    leaderClusterSetController({ ...options, sightings }),
    memberAnnounceController(area, sightings, world),
    memberAccountsController(options),
    ...exchanges.map((exchange) => mergeController(exchange, area, world)),
    knownClustersController(area, world),
    unservedKindsController({ area, exchanges, off, world }),
    ...(area.config.virtualPodCIDRs.length > 0 ? [allotmentController(area, world)] : []),
  ];
  return reconcilers.map((reconciler) => reportingRejectedWrites(reconciler, area, world.clock));
}
