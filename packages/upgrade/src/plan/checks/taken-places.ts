import { typeOf } from '../../bundle/type-of.ts';
import type { Finding } from '../../finding.ts';
import { knownComponents } from '../../live/known-components.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone, targetsOf } from '../input/planner-context.ts';

/**
 * What the bundle would install in a cluster where another component has its place: the same Deployment and the same objects. Changing from one to the
 * other is no upgrade: it has an order of its own.
 */
export function takenPlaceFindings(context: PlannerContext): readonly Finding[] {
  return context.clusters
    .filter((cluster) => leftAlone(cluster, context.input) === undefined)
    .flatMap((cluster) => {
      const types = new Map(cluster.components.map(({ id, type }) => [type ?? id, id]));
      return targetsOf(cluster, context).components.flatMap((component) => {
        const type = typeOf(component);
        const occupant = types.has(type) ? undefined : types.get(counterparts.get(type) ?? '');
        if (occupant === undefined) return [];
        return [
          planFinding(
            'plan.taken-place',
            'block',
            { cluster: cluster.name, component: component.id },
            {
              why: `the plan would install ${component.id}, but ${occupant} runs in this cluster and has objects of the same names`,
              unblock: `change from ${occupant} to ${component.id} by its own documentation first, or take ${component.id} out of the bundle or the cluster out of the plan`,
            },
          ),
        ];
      });
    });
}

/** Both ways. */
const counterparts: ReadonlyMap<string, string> = new Map(
  knownComponents.flatMap(({ id, instead }) =>
    instead === undefined
      ? []
      : [
          [id, instead],
          [instead, id],
        ],
  ),
);
