import type { ResourceExport, ResourceImport } from '@isthmus/api';
import {
  KnownCluster,
  ResourceExport as ResourceExportType,
  ResourceImport as ResourceImportType,
  SourceKind,
  clusterInfoName,
} from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { isLive, parseCidr, rfc3339 } from '@isthmus/machinery';
import { isClusterID } from '@isthmus/wire';
import type { CommonArea } from '../../common-area/common-area.ts';
import { endpointIPTypeOf } from '../../common-area/common-area.ts';
import type { ControllerAccess } from '../../controller-access.ts';
import { inUse, networkProblem } from '../../exchanges/cluster-info/leader/decide.ts';
import { isForbidden, rangeRules } from '../../exchanges/cluster-info/leader/range-rules.ts';
import { decideKnownCluster } from '../../known-clusters/decide.ts';
import { grantedRanges } from './granted-twice.ts';
import { writeKnownCluster } from '../../known-clusters/write.ts';

/**
 * The access that this controller needs. The manifests of an earlier release do not grant it, and
 * the API server of an Antrea leader does not serve the kind. Then it waits.
 */
export const knownClustersAccess: readonly ControllerAccess[] = [
  { at: 'local', type: KnownCluster, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch'], optional: true },
  { at: 'local', type: KnownCluster, subresource: 'status', scope: 'own', verbs: ['patch'], optional: true },
  { at: 'local', type: ResourceExportType, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ResourceImportType, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/** A cluster changes its announcement a few times when it joins. */
const coalesceMs = 100;

/**
 * Records what is in use of each cluster that has no grant, and reports on each KnownCluster what
 * its cluster announces beyond it. One key: the ID of a cluster.
 */
export function knownClustersController(area: CommonArea, { clock }: Pick<World, 'clock'>): Reconciler {
  const ofExport = ({ spec }: ResourceExport) =>
    spec?.kind === SourceKind.clusterInfo && isClusterID(spec.clusterID) ? [spec.clusterID] : [];
  const ofImport = ({ spec }: ResourceImport) =>
    spec?.kind === SourceKind.clusterInfo && isClusterID(spec.clusterinfo?.clusterID)
      ? [spec.clusterinfo.clusterID]
      : [];
  const rules = rangeRules(area.config, (id) => endpointIPTypeOf(area, id));
  const mayTranslate = (text: string) => {
    const range = parseCidr(text);
    return rules.pool.length > 0 && range !== undefined && !isForbidden(range, false, rules);
  };
  const granted = grantedRanges({
    cache: area.knownClusters.cache,
    // The leader gives virtual ranges to Pod CIDRs; with Pod IPs as endpoints, Service CIDRs are
    // not routed.
    mayOverlap: (field, ...clusterIDs) =>
      field === 'pods' ? rules.pool.length > 0 : clusterIDs.every((id) => rules.endpointIPTypeOf(id) === 'PodIP'),
  });
  return defineReconciler({
    name: 'known-clusters',
    coalesceMs,
    sources: [
      from(area.knownClusters.cache, ({ spec }) => [spec.clusterID]),
      from(area.exports.cache, ofExport),
      from(area.imports.cache, ofImport),
      granted.source,
    ],
    access: knownClustersAccess,
    async reconcile(clusterID, { signal, log }) {
      const { namespace } = area;
      const known = area.knownClusters.cache.get({ namespace, name: clusterID });
      const decision = decideKnownCluster({
        clusterID,
        namespace,
        known,
        ...networkOf(area, clusterID),
        mayTranslate,
        grantedTwice: known && granted.twice(known),
        holdsUnknown: area.config.unknownClusters === 'Hold' || area.grants.wasDeleted(clusterID),
        now: rfc3339(clock.now()),
      });
      await writeKnownCluster(area.knownClusters, { known, decision, log }, signal);
      return done;
    },
  });
}

function networkOf({ exports, imports, namespace }: CommonArea, clusterID: string) {
  const ref = { namespace, name: clusterInfoName(clusterID) };
  const [exported, published] = [exports.cache.get(ref), imports.cache.get(ref)];
  const isUsable = exported !== undefined && isLive(exported) && networkProblem(exported) === undefined;
  return { announced: isUsable ? exported.spec?.clusterInfo : undefined, published: inUse(published) };
}
