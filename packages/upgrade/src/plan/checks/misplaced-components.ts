import { componentsFor } from '../../bundle/components-of.ts';
import type { Finding } from '../../finding.ts';
import { differenceOf } from '../differences/cluster-change.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { isKubernetes, kubernetesOf, leftAlone, targetsOf } from '../input/planner-context.ts';

/**
 * Reports components that run, in another version, in a cluster without any of the roles for which
 * the bundle has them. The plan leaves them unchanged. So the author of the bundle did not expect
 * this cluster, or its list of roles in the snapshot is wrong.
 */
export function misplacedComponentFindings(context: PlannerContext): readonly Finding[] {
  const { input, clusters } = context;
  return clusters
    .filter((cluster) => leftAlone(cluster, input) === undefined)
    .flatMap((cluster) => {
      const { components, problem } = targetsOf(cluster, context);
      if (problem !== undefined) return [];
      const wanted = new Set(components.map(({ id }) => id));
      const installed = new Map(cluster.components.map((one) => [one.id, one]));
      return componentsFor(input.bundle.bundle, input.kubernetes ?? kubernetesOf(cluster)).flatMap((component) => {
        const { id, roles, scope } = component;
        const runs = installed.get(id);
        if (
          runs === undefined ||
          roles === undefined ||
          wanted.has(id) ||
          scope === 'client' ||
          isKubernetes(component)
        )
          return [];
        if (differenceOf(component, cluster, runs) === undefined) return [];
        const own = cluster.roles.length === 0 ? 'no role' : `the roles ${cluster.roles.join(', ')}`;
        return [
          planFinding(
            'plan.role',
            'warn',
            { cluster: cluster.name, component: id },
            {
              why: `${id} runs in a cluster with ${own}, but the bundle has it for ${roles.join(', ')}; the plan does not change it`,
              unblock: `correct the roles of the cluster in the snapshot, or the roles of ${id} in the bundle, or remove it from the cluster`,
            },
          ),
        ];
      });
    });
}
