import type { Finding } from '../../finding.ts';
import type { ClusterSnapshot, FleetSnapshot } from '../../fleet/fleet-snapshot.ts';
import { oldReadings } from '../../fleet/old-readings.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone } from '../input/planner-context.ts';

/**
 * Clusters whose state is older than the date of the snapshot, which is the only date that a plan
 * shows. The words are the same for all of them, so that they are reported once.
 */
export function oldReadingFindings({ input }: PlannerContext): readonly Finding[] {
  return findingsOf(oldReadings(input.snapshot).filter((cluster) => leftAlone(cluster, input) === undefined));
}

/**
 * Reports the gaps of a check of a whole snapshot: clusters that could not be read, of which it has
 * at best the last known state, and clusters that were read long before.
 */
export function readingFindings(snapshot: FleetSnapshot): readonly Finding[] {
  const unread = snapshot.spec.clusters.filter(({ reachable }) => !reachable);
  return [...findingsOf(oldReadings(snapshot).filter(({ reachable }) => reachable)), ...unread.map(unreadFinding)];
}

function findingsOf(old: readonly (ClusterSnapshot & { readonly readAt: string })[]): readonly Finding[] {
  const first = old.map(({ readAt }) => readAt).toSorted()[0] ?? '';
  const contexts = old.map(({ name, context }) => context ?? name).join(',');
  const why = `read more than a day before the date of the snapshot (first: ${first}), so the running versions may have changed since`;
  const unblock = `read again: isthmus upgrade snapshot --context ${contexts} --refresh all -o <file of the snapshot>`;
  return old.map(({ name }) => planFinding('plan.old-reading', 'warn', { cluster: name }, { why, unblock }));
}

function unreadFinding({ name, context, components, readAt, notRead }: ClusterSnapshot): Finding {
  const cause = notRead === undefined ? 'its API server did not answer' : `it could not be read: ${notRead}`;
  const checked =
    components.length === 0
      ? 'it was not checked'
      : `its last known state was checked${readAt === undefined ? '' : `, of ${readAt}`}`;
  const unblock = `read it again: isthmus upgrade snapshot --context ${context ?? '<its context>'} -o <file of the snapshot>; if it no longer exists, delete it from the file`;
  return planFinding('plan.unreachable', 'warn', { cluster: name }, { why: `${cause}; ${checked}`, unblock });
}
