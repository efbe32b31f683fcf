import type { ResourceExport } from '@isthmus/api';
import { refOf } from '@isthmus/machinery';
import { withdraw } from '../../../exchange/loss/withdrawal.ts';
import type { LeaderSession } from '../../../exchange/member/leader-session.ts';
import type { ExportWritten } from '../../../exchange/member/write-exports.ts';
import { writeExport } from '../../../exchange/member/write-exports.ts';
import { exportKeys, ownPart } from '../wire/keys.ts';
import { isConflictingExport } from './decide.ts';
import { exportName, ownExport } from './gather.ts';
import type { DesiredExports } from './resource-exports.ts';

/**
 * Makes the Common Area hold what this cluster wants to export of the Service `key`. The Service decides: the leader holds endpoints back until it has it, and withdraws everything when it goes.
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
  if (answer.kind !== 'written') return answer;
  // A list may just have shown that the Service export is lost. That wakes this key, and the Service goes first again.
  if (service !== undefined && ownExport(session, key, 'Service') === undefined) return answer;
  return endpoints === undefined ? drop('Endpoints') : writeExport(options, endpoints, signal);

  async function drop(kind: 'Service' | 'Endpoints'): Promise<ExportWritten> {
    const found = ownExport(session, key, kind);
    session.losses.forget(exportName(session, key, kind));
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return { kind: 'written' };
    // Under this name another Service of this cluster may be exported.
    if (exportKeys(found).includes(key)) await withdraw(session.exports, [found], { nowMs, signal });
    return { kind: 'written' };
  }
}

/**
 * Whether the leader's API server drops `endpointSlices`, as Antrea's does, and ours with older resource definitions. A leader that keeps them has
 * made an import with this cluster's slices by the time that they could be missing.
 */
function prunes(session: LeaderSession, { spec }: ResourceExport): boolean {
  if (spec?.endpointSlices !== undefined) return false;
  return ownPart(session, `${spec?.namespace ?? ''}/${spec?.name ?? ''}`)?.spec?.endpointSlices === undefined;
}
