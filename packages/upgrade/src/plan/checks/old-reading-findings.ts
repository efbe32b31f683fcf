import type { Finding } from '../../finding.ts';
import { oldReadings } from '../../fleet/old-readings.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone } from '../input/planner-context.ts';

/**
 * Clusters whose state is older than the date of the snapshot, which is the only date that a plan shows. The words are the same for all of them, so that
 * they are reported once.
 */
export function oldReadingFindings({ input }: PlannerContext): readonly Finding[] {
  const old = oldReadings(input.snapshot).filter((cluster) => leftAlone(cluster, input) === undefined);
  const first = old.map(({ readAt }) => readAt).toSorted()[0] ?? '';
  const contexts = old.map(({ name, context }) => context ?? name).join(',');
  const why = `read more than a day before the date of the snapshot (first: ${first}), so what runs may have changed since`;
  const unblock = `read again: isthmus upgrade snapshot --context ${contexts} --refresh all -o <file of the snapshot>`;
  return old.map(({ name }) => planFinding('plan.old-reading', 'warn', { cluster: name }, { why, unblock }));
}
