import type {
  ReasonOn,
  ResourceExport as ResourceExportObject,
  ResourceImport as ResourceImportObject,
  resourceExportStatus,
} from '@isthmus/api';
import { ResourceExport, ResourceImport } from '@isthmus/api';
import { isNotFound } from '@isthmus/kube';
import { isLive } from '@isthmus/machinery';
import { isMeantFor, isWithdrawn } from '@isthmus/wire';
import type { LeaderSession } from '../leader-session.ts';
import type { MissingImport } from './missing-imports.ts';

/**
 * Asks the leader, past the cache, whether it publishes a ResourceImport of that name for the same
 * object: different objects can have the same name.
 */
export async function isOffered(
  { client, spec }: LeaderSession,
  { name, isSame }: { readonly name: string; readonly isSame: (object: ResourceImportObject) => boolean },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const found = await client.get(ResourceImport, { namespace: spec.leaderNamespace, name }, { signal });
    return !isWithdrawn(found) && isMeantFor(found, spec.clusterID) && isSame(found);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Asks the leader, past the cache, whether it has an export of that selection that it will publish:
 * not withdrawn and not rejected.
 *
 * A leader that marks withdrawals also marks the import of an export that it rejects. A member that
 * was disconnected has not seen the mark. But if its API server rejects the import, as it does
 * while the CRD is being deleted, the import was lost.
 */
export async function isExported(
  { client, spec }: LeaderSession,
  selection: { readonly labelSelector: string } | { readonly fieldSelector: string },
  { marks }: Pick<MissingImport, 'marks'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { items } = await client.list(ResourceExport, { namespace: spec.leaderNamespace, ...selection, signal });
  return items.some((object) => isMeant(object) && (!isRefused(object) || (marks && isRejectedByServer(object))));
}

function isMeant(object: ResourceExportObject): boolean {
  return isLive(object) && !isWithdrawn(object);
}

function isRejectedByServer({ status }: ResourceExportObject): boolean {
  const reason: ReasonOn<typeof resourceExportStatus, 'Failure=False'> = 'ImportRejected';
  return status?.conditions?.[0]?.reason === reason;
}

function isRefused({ status }: ResourceExportObject): boolean {
  return status?.conditions?.[0]?.status === 'False';
}
