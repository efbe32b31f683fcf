import { KnownCluster, clusterInfoName } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import {
  clusterInfoExchangeName,
  isClusterID,
  isJudgedByLeader,
  isOurClusterInfoImport,
  isWithdrawn,
} from '@isthmus/wire';
import type { ControllerAccess } from '../../../controller-access.ts';
import type { NoEffect } from '../../../known-clusters/decide.ts';
import { decideKnownCluster } from '../../../known-clusters/decide.ts';
import { isRecord } from '../../../known-clusters/import-grant.ts';
import { writeKnownCluster } from '../../../known-clusters/write.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';
import { importKeys } from './decide.ts';
import { announcedIn } from '../../../known-clusters/judge-import.ts';

/** The access that this controller needs. The manifests of an earlier release do not grant it. */
export const memberKnownClustersAccess: readonly ControllerAccess[] = [
  { at: 'local', type: KnownCluster, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch'], optional: true },
  { at: 'local', type: KnownCluster, subresource: 'status', scope: 'own', verbs: ['patch'], optional: true },
];

/** A cluster changes its announcement a few times when it joins. */
const coalesceMs = 100;

/**
 * Records what is imported of each cluster whose announcements the leader does not judge, and
 * reports on each KnownCluster what its cluster announces beyond it. One key: the ID of a cluster,
 * or another name of a KnownCluster.
 */
export function memberKnownClustersController(local: OwnCluster, session: LeaderSession): Reconciler {
  const { knownClusters, clusterInfoImports, grants, namespace } = local;
  return defineReconciler({
    name: 'member-known-clusters',
    coalesceMs,
    sources: [
      from(knownClusters.cache, ({ metadata }) => [metadata.name]),
      from(session.imports.cache, (object) =>
        importKeys(object).length === 0 ? [] : validID(object.spec?.clusterinfo?.clusterID),
      ),
      from(clusterInfoImports.cache, ({ spec }) => validID(spec?.clusterID)),
    ],
    access: memberKnownClustersAccess,
    async reconcile(clusterID, { signal, log }) {
      const known = knownClusters.cache.get({ namespace, name: clusterID });
      const name = clusterInfoName(clusterID);
      const [remote] = session.imports.cache
        .byIndex(clusterInfoExchangeName, name)
        .filter((object) => !isWithdrawn(object));
      const current = clusterInfoImports.cache.get({ namespace, name });
      const isImported = current !== undefined && isOurClusterInfoImport(current);
      const isJudged = remote !== undefined && isJudgedByLeader(remote);
      const decision = decideKnownCluster({
        clusterID,
        namespace,
        known,
        announced: remote && announcedIn(remote),
        published: isImported ? announcedIn(current) : undefined,
        mayTranslate: () => false,
        describes: 'clusterinfoimport',
        holdsUnknown: grants.wasDeleted(clusterID),
        without: known && noEffect(known, { own: session.spec.clusterID, isJudged }),
        now: rfc3339(local.world.clock.now()),
      });
      // Whether the leader judges a network is only known while it is published.
      const isUnjudged = remote !== undefined && !isJudged;
      const isOthers = clusterID !== session.spec.clusterID && (isUnjudged || grants.wasDeleted(clusterID));
      const create = isOthers ? decision.create : undefined;
      await writeKnownCluster(knownClusters, { known, decision: { ...decision, create }, log }, signal);
      return done;
    },
  });
}

/** Why a KnownCluster restricts nothing in a member; undefined: it does. */
function noEffect(
  { metadata: { name }, spec }: KnownCluster,
  { own, isJudged }: { readonly own: string; readonly isJudged: boolean },
): NoEffect | undefined {
  const { clusterID } = spec;
  const remove = 'It has no effect. Delete it, and write grants for other clusters under their IDs.';
  if (clusterID !== name)
    return {
      status: 'False',
      reason: 'NotUsed',
      message: `The name of KnownCluster ${name} is not the ID in it, ${clusterID}. ${remove}`,
    };
  if (clusterID === own)
    return { status: 'False', reason: 'NotUsed', message: `Cluster ${clusterID} is this cluster. ${remove}` };
  if (!isJudged || !isRecord({ spec })) return undefined;
  const message = `The leader compares what cluster ${clusterID} announces with its own grants. What was recorded here restricts nothing.`;
  return { status: 'True', reason: 'JudgedByLeader', message };
}

function validID(clusterID: string | undefined): readonly string[] {
  return isClusterID(clusterID) ? [clusterID] : [];
}
