import { leaderClusterSetStatus } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import type { CommonArea } from '../common-area/common-area.ts';
import { isLastingRejection } from '../reporting/lasting-rejection.ts';
import { createOngoingReports } from '../reporting/reports.ts';

/**
 * Wraps the controller. If the run of a key ends with a write that the API server rejects, it
 * writes an Event on the leader's ClusterSet. That covers writes that nothing else reports: a
 * withdrawal, a finalizer, or the status of a member's object. The run still fails, and the runtime
 * retries it.
 */
export function reportingRejectedWrites(reconciler: Reconciler, area: CommonArea, clock: Clock): Reconciler {
  const events = createOngoingReports(area.events, leaderClusterSetStatus, clock);
  return {
    ...reconciler,
    async reconcile(key, context) {
      try {
        const outcome = await reconciler.reconcile(key, context);
        events.note(key, undefined, undefined);
        return outcome;
      } catch (error) {
        if (isLastingRejection(error))
          events.note(key, area.served(), { reason: 'WriteRejected', message: messageOf(error.message) });
        throw error;
      }
    },
  };
}

function messageOf(why: string): string {
  return `The API server of this cluster rejects a write of the leader's controller: ${why}. Correct the role, the admission policy or the quota that the answer names; the write is tried again, at most 30 s later.`;
}
