import { ResourceImport } from '@isthmus/api';
import { isNotFound } from '@isthmus/kube';
import type { LeaderSession } from './leader-session.ts';

/** Asks the leader, past the cache, whether it has no ResourceImport of that name. */
export async function isMissingAtLeader(
  { client, spec }: LeaderSession,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.get(ResourceImport, { namespace: spec.leaderNamespace, name }, { signal });
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
