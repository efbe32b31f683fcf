import type { Client } from '@isthmus/kube';
import { isConflict, isNotFound, pathOf } from '@isthmus/kube';
import { Pod } from '../kinds.ts';

/** Removes a Pod whose containers have ended. Another Pod of that name stays. */
export async function removePod(client: Client, pod: Pod, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } };
  const headers = { 'content-type': 'application/json' };
  try {
    await client.request(
      { method: 'DELETE', path: pathOf(Pod, { namespace, name }), headers, body: JSON.stringify(body) },
      { signal },
    );
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
