import { isNamespaceTerminating, isRejected } from '@isthmus/kube';

/** No watch shows that a policy, a quota or a role of the leader was mended: so often an export is tried again. */
export const rejectedAgainMs = 10_000;

/** The message about an export that the leader's API server rejects. Throws where the failure may pass by itself. */
export function rejectedByLeader(error: unknown, leaderClusterID: string): string {
  if (!isRejected(error) || isNamespaceTerminating(error)) throw error;
  return `The API server of leader ${leaderClusterID} rejects a write of the export: ${error.message}. Correct the admission policy, the quota or the role there; the write is tried again every ${rejectedAgainMs / 1000} s.`;
}
