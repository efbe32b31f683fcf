import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import { ResourceExport, ResourceImport } from '@isthmus/api';
import { isNotFound } from '@isthmus/kube';
import { isWithdrawn } from '../loss/withdrawal.ts';
import type { LeaderSession } from './leader-session.ts';

/** Asks the leader, past the cache, whether it publishes a ResourceImport of that name. */
export async function isOffered({ client, spec }: LeaderSession, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    return !isWithdrawn(await client.get(ResourceImport, { namespace: spec.leaderNamespace, name }, { signal }));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Asks the leader, past the cache, whether it has an export of that selection that it will publish: not withdrawn, and not refused. */
export async function isExported(
  { client, spec }: LeaderSession,
  selection: { readonly labelSelector: string } | { readonly fieldSelector: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { items } = await client.list(ResourceExport, { namespace: spec.leaderNamespace, ...selection, signal });
  return items.some(isMeant);
}

function isMeant(object: ResourceExportObject): boolean {
  const isRefused = object.status?.conditions?.[0]?.status === 'False';
  return object.metadata.deletionTimestamp === undefined && !isWithdrawn(object) && !isRefused;
}
