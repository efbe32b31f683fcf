import { ClusterClaim, ClusterSet, Label, MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import type { Client, EventRecorder, Reconciler, World } from '@isthmus/kube';
import { createCache, resourceOf } from '@isthmus/kube';
import type { ControlPlane } from '../control-plane.ts';
import { runTogether } from '../control-plane.ts';
import { createReports } from '../reports.ts';
import { memberAnnounceController } from './announce/reconcile.ts';
import { createSightings } from './announce/sightings.ts';
import { leaderClusterSetController } from './cluster-set/reconcile.ts';
import type { CommonArea } from './common-area.ts';
import { ExportIndex, ImportIndex } from './common-area.ts';
import { importBases } from '../exchanges/service/leader/imports.ts';
import { mergeKeys } from '../exchanges/service/leader/read-export.ts';
import { serviceMergeController } from '../exchanges/service/leader/reconcile.ts';
import { unservedKindsController } from './unserved-kinds.ts';

export interface LeaderOptions {
  /** To the leader cluster's API server. */
  readonly client: Client;
  /** The Common Area: the only Namespace that a leader reads or writes. */
  readonly namespace: string;
  readonly version: string;
  readonly events: EventRecorder;
  readonly world: World;
}

/** The control plane of a leader: merges what members export in one Namespace, and watches over the members. */
export function createLeader({ client, namespace, version, events, world }: LeaderOptions): ControlPlane {
  const options = { ...world, client, namespace };
  const clusterSets = createCache<ClusterSet>({ ...options, type: ClusterSet });
  const clusterClaims = createCache<ClusterClaim>({ ...options, type: ClusterClaim });
  const announces = createCache<MemberClusterAnnounce>({ ...options, type: MemberClusterAnnounce });
  const exports = createCache<ResourceExport>({
    ...options,
    type: ResourceExport,
    indexes: {
      [ExportIndex.mergeKey]: mergeKeys,
      [ExportIndex.clusterID]: (object) => [object.spec?.clusterID ?? ''],
    },
  });
  const imports = createCache<ResourceImport>({
    ...options,
    type: ResourceImport,
    indexes: { [ImportIndex.base]: importBases },
  });
  const area: CommonArea = {
    namespace,
    clusterSets: resourceOf(ClusterSet, clusterSets, client),
    clusterClaims: resourceOf(ClusterClaim, clusterClaims, client),
    announces: resourceOf(MemberClusterAnnounce, announces, client),
    exports: resourceOf(ResourceExport, exports, client),
    imports: resourceOf(ResourceImport, imports, client),
    events: createReports(events),
    async isExported({ namespace: of = '', name }, signal) {
      const labelSelector = `${Label.sourceNamespace}=${of},${Label.sourceName}=${name}`;
      return (await client.list(ResourceExport, { namespace, labelSelector, signal })).items.length > 0;
    },
  };
  const caches = { clusterSets, clusterClaims, announces, exports, imports };
  return {
    notReady: () =>
      Object.entries(caches).flatMap(([name, cache]) => (cache.synced ? [] : [`${name} are not read yet`])),
    run: (signal) => runTogether(Object.values(caches), leaderReconcilers({ area, version, world }), { world, signal }),
  };
}

/** The controllers of a leader. */
function leaderReconcilers(options: {
  readonly area: CommonArea;
  readonly version: string;
  readonly world: World;
}): readonly Reconciler[] {
  const { area, world } = options;
  const sightings = createSightings(world.clock);
  return [
    leaderClusterSetController({ ...options, sightings }),
    memberAnnounceController(area, sightings, world),
    serviceMergeController(area, world),
    unservedKindsController(area),
  ];
}
