import { Gateway, ResourceExport, SourceKind, clusterInfoName, gatewayStatus } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { again, atStart, defineReconciler, done, from, onChange } from '@isthmus/kube';
import type { ControllerAccess } from '../../../exchange/controller-access.ts';
import type { LeaderSession } from '../../../exchange/member/leader-session.ts';
import { isUsable } from '../../../exchange/member/leader-session.ts';
import { writeExport } from '../../../exchange/member/write-exports.ts';
import type { LocalClusterInfo } from '../local/cluster-info.ts';
import { decideClusterInfoExport } from './decide.ts';

/** What this controller may do. */
export const clusterInfoExportAccess: readonly ControllerAccess[] = [
  { at: 'local', type: Gateway, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
];

/** How often an export whose name another cluster holds is tried again: no watch of ours shows when it becomes free. */
const conflictCheckMs = 60_000;

/** The one key: a cluster has one network. */
const clusterInfoKey = 'cluster-info';

/** Exports the network of this cluster while it has a Gateway. Without a session nothing runs: the leader keeps what was exported. */
export function clusterInfoExportController(local: LocalClusterInfo, session: LeaderSession): Reconciler {
  const all = () => [clusterInfoKey];
  const remoteSources = [from(session.exports.cache, exportKeys), onChange(session.onState, all)];
  return defineReconciler({
    name: 'cluster-info-export',
    concurrency: 1,
    sources: [from(local.gateways.cache, all), atStart(clusterInfoKey), ...remoteSources],
    optionalSources: remoteSources,
    access: clusterInfoExportAccess,
    async reconcile(_key, { signal }) {
      // A change of the session wakes the key.
      if (!isUsable(session)) return done;
      const { clusterID, leaderNamespace } = session.spec;
      const gateways = local.gateways.cache.list();
      const { config, namespace } = local;
      const wanted = decideClusterInfoExport({ gateways, config, clusterID, namespace, leaderNamespace });
      const found = session.exports.cache.get({ namespace: leaderNamespace, name: clusterInfoName(clusterID) });
      if (wanted === undefined) {
        if (found !== undefined && isOwn(found) && found.metadata.deletionTimestamp === undefined)
          await session.exports.delete(found, signal);
        return done;
      }
      const isConflicting = (object: ResourceExport) => !isOwn(object);
      const conflicting = await writeExport({ session, isConflicting }, wanted, signal);
      const message =
        conflicting === undefined
          ? refusalOf(found)
          : `ResourceExport ${wanted.metadata.name} on leader ${session.spec.leaderClusterID} belongs to another cluster.`;
      if (message === undefined) return done;
      for (const gateway of gateways) local.events.report(gateway, gatewayStatus, { reason: 'NotExported', message });
      return conflicting === undefined ? done : again(conflictCheckMs, message);
    },
  });

  function isOwn({ spec }: ResourceExport): boolean {
    return spec?.kind === SourceKind.clusterInfo && spec.clusterID === session.spec.clusterID;
  }
}

/** Every export of cluster information that this member can see is its own. */
export function exportKeys({ spec }: ResourceExport): readonly string[] {
  return spec?.kind === SourceKind.clusterInfo ? [clusterInfoKey] : [];
}

/** Why the leader does not publish it, in its words. */
function refusalOf(found: ResourceExport | undefined): string | undefined {
  const [condition] = found?.status?.conditions ?? [];
  if (condition === undefined || condition.status === 'True') return undefined;
  return `The leader does not publish the network of this cluster: ${condition.message ?? condition.reason ?? ''}`;
}
