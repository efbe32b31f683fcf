import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import { ResourceExport, ResourceImport } from '@isthmus/api';
import { isNotFound } from '@isthmus/kube';
import { isLive, isWithdrawn } from '../loss/withdrawal.ts';
import type { LeaderSession } from './leader-session.ts';
import type { MissingImport } from './missing-imports.ts';

/** Asks the leader, past the cache, whether it publishes a ResourceImport of that name. */
export async function isOffered({ client, spec }: LeaderSession, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    return !isWithdrawn(await client.get(ResourceImport, { namespace: spec.leaderNamespace, name }, { signal }));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Asks the leader, past the cache, whether it has an export of that selection that it will publish: not withdrawn, and not refused.
 *
 * A leader that marks what it withdraws also marks the import of an export that it refuses. Where the mark is missing, a refusal means that its API
 * server rejects the import, as it does while the definition is being deleted: the import was lost all the same.
 */
export async function isExported(
  { client, spec }: LeaderSession,
  selection: { readonly labelSelector: string } | { readonly fieldSelector: string },
  { marks }: Pick<MissingImport, 'marks'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { items } = await client.list(ResourceExport, { namespace: spec.leaderNamespace, ...selection, signal });
  return items.some((object) => isMeant(object) && (marks || !isRefused(object)));
}

function isMeant(object: ResourceExportObject): boolean {
  return isLive(object) && !isWithdrawn(object);
}

function isRefused({ status }: ResourceExportObject): boolean {
  return status?.conditions?.[0]?.status === 'False';
}
