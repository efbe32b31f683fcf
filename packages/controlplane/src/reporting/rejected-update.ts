import type { ClusterSet, EventReason, leaderClusterSetStatus, memberClusterSetStatus } from '@isthmus/api';
import type { Blocked } from '@isthmus/kube';
import { blocked } from '@isthmus/kube';
import { isLastingRejection, rejectedAgainMs } from './lasting-rejection.ts';

/**
 * The report of leader and member if they may not change their ClusterSet. The status is a separate
 * write, which may be accepted.
 */
export type UpdateRejected = Blocked<
  'UpdateRejected' & EventReason<typeof memberClusterSetStatus> & EventReason<typeof leaderClusterSetStatus>
>;

export interface UpdatedClusterSet {
  /** The current object of the API server. */
  readonly current: ClusterSet;
  readonly rejected: UpdateRejected | undefined;
}

/**
 * Waits for a change of `before`. If the API server rejects it, the ClusterSet stays unchanged.
 * Throws if the failure may pass by itself.
 */
export async function updatedUnlessRejected(
  before: ClusterSet,
  write: Promise<ClusterSet>,
): Promise<UpdatedClusterSet> {
  try {
    return { current: await write, rejected: undefined };
  } catch (error) {
    if (!isLastingRejection(error)) throw error;
    const message = `The API server of this cluster rejects a change of this ClusterSet by the controller: ${error.message}. Correct the role, the admission policy or the webhook that the answer names; the write is tried again every ${rejectedAgainMs / 1000} s.`;
    return { current: before, rejected: blocked('UpdateRejected', message, { lookAgainMs: rejectedAgainMs }) };
  }
}
