import type { Finding } from '../../finding.ts';
import { samenessOf, tellApart } from '../../live/same-cluster.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone } from '../input/planner-context.ts';

/**
 * Clusters with one UID, which may be one cluster that is read at two addresses: then it would be
 * upgraded twice.
 */
export function sharedUidFindings({ clusters, input }: PlannerContext): readonly Finding[] {
  const planned = clusters.filter((cluster) => leftAlone(cluster, input) === undefined);
  return planned.flatMap((cluster, at) =>
    planned
      .slice(0, at)
      .filter((other) => ['unknown', 'one'].includes(samenessOf(other, cluster)))
      .map((other) =>
        planFinding(
          'plan.same-uid',
          'warn',
          { cluster: cluster.name },
          {
            why: `${cluster.name} (${cluster.facts['cluster/server'] ?? 'no address'}) has the UID of ${other.name} (${other.facts['cluster/server'] ?? 'no address'}): it was restored from the same backup, or it is the same cluster and would be upgraded twice`,
            unblock: `${tellApart([other, cluster].map(({ name, context = name }) => context))}; then delete one of the two from the snapshot`,
          },
        ),
      ),
  );
}
