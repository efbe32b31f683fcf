import type { EventReason, leaderClusterSetStatus, memberClusterSetStatus, serviceExportStatus } from '@isthmus/api';
import type { Blocked } from '@isthmus/kube';
import { blocked } from '@isthmus/kube';
import { isLastingRejection, rejectedAgainMs } from './lasting-rejection.ts';

/**
 * The reason that the definitions of all kinds list for a rejected status. It is an Event, since
 * the status is what cannot be written.
 */
export type StatusRejected = Blocked<
  'StatusRejected' &
    EventReason<typeof serviceExportStatus> &
    EventReason<typeof memberClusterSetStatus> &
    EventReason<typeof leaderClusterSetStatus>
>;

/**
 * Waits for the write of a status. If the API server rejects it, that is reported and returned: the
 * status is no longer true, which only an Event can report. Throws if the failure may pass by
 * itself.
 */
export async function reportingRejection(
  write: Promise<unknown>,
  report: (rejected: StatusRejected) => void,
): Promise<StatusRejected | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    const rejected = rejectedStatus(error);
    report(rejected);
    return rejected;
  }
}

function rejectedStatus(error: unknown): StatusRejected {
  if (!isLastingRejection(error)) throw error;
  const message = `The API server of this cluster rejects the status of this object, so its conditions are out of date: ${error.message}. Correct the role, the admission policy or the webhook that the answer names; the write is tried again every ${rejectedAgainMs / 1000} s.`;
  return blocked('StatusRejected', message, { lookAgainMs: rejectedAgainMs });
}
