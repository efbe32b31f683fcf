import { isLastingRejection, rejectedAgainMs } from '../reporting/lasting-rejection.ts';

/**
 * The result of an export that the leader's API server rejects, with a message. Throws if the
 * failure may pass by itself.
 */
export function rejectedByLeader(error: unknown, leaderClusterID: string) {
  if (!isLastingRejection(error)) throw error;
  const message = `The API server of leader ${leaderClusterID} rejects a write of the export: ${error.message}. Correct the admission policy, the quota or the role there; the write is tried again every ${rejectedAgainMs / 1000} s.`;
  return { kind: 'rejected', message } as const;
}
