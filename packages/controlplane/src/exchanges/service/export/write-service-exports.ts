import type { ResourceExport, ServiceExportKind } from '@isthmus/api';
import { ResourceExport as ResourceExportType } from '@isthmus/api';
import { orNotFound } from '@isthmus/kube';
import { refOf } from '@isthmus/machinery';
import { serviceExportKeys } from '@isthmus/wire';
import { withdraw } from '../../../loss/withdraw-objects.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { ExportWritten } from '../../../own-cluster/write-exports.ts';
import { writeExport } from '../../../own-cluster/write-exports.ts';
import { ownPart } from '../local/leader-objects.ts';
import { isConflictingExport } from './decide.ts';
import { exportNamed, namesOfKind } from './own-names.ts';
import type { DesiredExports } from './resource-exports.ts';

/**
 * Makes the Common Area contain what this cluster wants to export of the Service `key`. The Service
 * export is written first. The leader does not publish endpoints before it has the Service, and
 * withdraws everything when the Service export goes away.
 */
export async function writeServiceExports(
  session: LeaderSession,
  key: string,
  { service, endpoints }: DesiredExports,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<ExportWritten> {
  const options = {
    session,
    isConflicting: (found: ResourceExport) => isConflictingExport(found, refOf(key), session.spec.clusterID),
    isDropped: (current: ResourceExport, field: string) => field === 'endpointSlices' && prunes(session, current),
  };
  const answer = await (service === undefined ? drop('Service') : writeExport(options, service, signal));
  // The Service export decides who has the name. With our endpoints we would keep the name from the
  // other cluster, while it keeps the Service export from us.
  if (answer.kind === 'conflicting') await drop('Endpoints');
  if (answer.kind !== 'written') return answer;
  // A list may just have shown that the Service export is lost. That wakes this key, and the
  // Service export is written first again.
  if (service !== undefined && exportNamed(session, service.metadata.name) === undefined) return answer;
  const last = await (endpoints === undefined ? drop('Endpoints') : writeExport(options, endpoints, signal));
  if (last.kind === 'written') await dropOthers(new Set([service, endpoints].map((one) => one?.metadata.name)));
  return last;

  async function drop(kind: ServiceExportKind): Promise<ExportWritten> {
    for (const name of namesOfKind(session, key, kind)) {
      const seen = exportNamed(session, name);
      const isUnseen = seen === undefined && session.losses.isLost(name);
      const found = isUnseen ? await unseenExport(session, name, signal) : seen;
      await withdrawOurs(found);
      session.losses.forget(name);
    }
    return { kind: 'written' };
  }

  async function dropOthers(kept: ReadonlySet<string | undefined>): Promise<void> {
    for (const kind of ['Service', 'Endpoints'] as const) {
      for (const name of namesOfKind(session, key, kind))
        if (!kept.has(name)) await withdrawOurs(exportNamed(session, name));
    }
  }

  async function withdrawOurs(found: ResourceExport | undefined): Promise<void> {
    // Another Service of this cluster may be exported under this name.
    if (found !== undefined && found.metadata.deletionTimestamp === undefined && serviceExportKeys(found).includes(key))
      await withdraw(session.exports, [found], { nowMs, signal });
  }
}

/**
 * The export of this cluster under that name that it no longer sees, because another client removed
 * the label by which exports are watched.
 */
async function unseenExport(
  { client, spec }: LeaderSession,
  name: string,
  signal: AbortSignal,
): Promise<ResourceExport | undefined> {
  const ref = { namespace: spec.leaderNamespace, name };
  const found = await orNotFound(client.get(ResourceExportType, ref, { signal }));
  return found?.spec?.clusterID === spec.clusterID ? found : undefined;
}

/**
 * Whether the leader's API server drops `endpointSlices`, as an Antrea leader's and one with older
 * Isthmus CRDs do. A leader that keeps them has already made an import with this cluster's slices
 * when their absence could be noticed.
 */
function prunes(session: LeaderSession, { spec }: ResourceExport): boolean {
  if (spec?.endpointSlices !== undefined) return false;
  return ownPart(session, `${spec?.namespace ?? ''}/${spec?.name ?? ''}`)?.spec?.endpointSlices === undefined;
}
