import type { ResourceExport } from '@isthmus/api';
import {
  Gateway,
  ResourceExport as ResourceExportType,
  SourceKind,
  clusterInfoName,
  gatewayStatus,
} from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { again, atStart, blocked, defineReconciler, done, from, isNotFound, onChange } from '@isthmus/kube';
import type { ControllerAccess } from '../../../exchange/controller-access.ts';
import type { LeaderSession } from '../../../exchange/member/leader-session.ts';
import { isUsable } from '../../../exchange/member/leader-session.ts';
import { writeExport } from '../../../exchange/member/write-exports.ts';
import type { LocalClusterInfo } from '../local/cluster-info.ts';
import { decideClusterInfoExport } from './decide.ts';

/** What this controller may do. */
export const clusterInfoExportAccess: readonly ControllerAccess[] = [
  { at: 'local', type: Gateway, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  {
    at: 'leader',
    type: ResourceExportType,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
];

/** How often an export whose name another cluster holds is tried again: no watch of ours shows when it becomes free. */
const conflictCheckMs = 60_000;

/** How often a leader that did not answer is asked again, where no change of the session wakes the key before. */
const lookAgainMs = 60_000;

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
        const left = found ?? (await findUnlabelled(signal));
        if (left === 'unknown') return again(lookAgainMs, 'cannot read the exports of this cluster on the leader');
        if (left !== undefined && !isConflicting(left) && left.metadata.deletionTimestamp === undefined)
          await session.exports.delete(left, signal);
        return done;
      }
      const conflicting = await writeExport({ session, isConflicting }, wanted, signal);
      const message =
        conflicting === undefined
          ? refusalOf(found)
          : `ResourceExport ${wanted.metadata.name} on leader ${session.spec.leaderClusterID} is not an export of cluster information. Delete it there.`;
      if (message === undefined) return done;
      for (const gateway of gateways) local.events.report(gateway, gatewayStatus, { reason: 'NotExported', message });
      return conflicting === undefined ? blocked('NotExported', message) : again(conflictCheckMs, message);
    },
  });

  /** Whoever wrote it, whatever it says: the name is that of this cluster alone, and a wrong one is repaired. */
  function isConflicting({ spec }: ResourceExport): boolean {
    return spec?.kind !== SourceKind.clusterInfo;
  }

  /**
   * Our watch selects by label; a member of Antrea before 2.7 put none, and somebody may have removed it. Nothing is lost by asking later, and the
   * session itself reports a leader that does not answer.
   */
  async function findUnlabelled(signal: AbortSignal): Promise<ResourceExport | 'unknown' | undefined> {
    const { clusterID, leaderNamespace: namespace } = session.spec;
    if (session.state.kind !== 'connected') return 'unknown';
    try {
      const name = clusterInfoName(clusterID);
      return await session.client.get(ResourceExportType, { namespace, name }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      signal.throwIfAborted();
      return 'unknown';
    }
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
