import { typeOf } from '../../bundle/type-of.ts';
import type { Finding } from '../../finding.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { knownComponents } from '../../live/known-components.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone, targetsOf } from '../input/planner-context.ts';

/**
 * Reports components that the bundle would install in a cluster where another component has their
 * place: the same Deployment and the same objects, or the network of the Pods. Changing from one to
 * the other is not an upgrade: it has an order of its own.
 */
export function takenPlaceFindings(context: PlannerContext): readonly Finding[] {
  return context.clusters
    .filter((cluster) => leftAlone(cluster, context.input) === undefined)
    .flatMap((cluster) => {
      const types = new Map(cluster.components.map(({ id, type }) => [type ?? id, id]));
      return targetsOf(cluster, context).components.flatMap((component) => {
        const type = typeOf(component);
        if (types.has(type)) return [];
        const subject = { cluster: cluster.name, component: component.id };
        const occupant = types.get(counterparts.get(type) ?? '');
        if (occupant !== undefined)
          return [
            planFinding('plan.taken-place', 'block', subject, {
              why: `the plan would install ${component.id}, but ${occupant} runs in this cluster and has objects of the same names`,
              unblock: `change from ${occupant} to ${component.id} first, as its documentation describes, or remove ${component.id} from the bundle, or exclude the cluster from the plan`,
            }),
          ];
        return secondNetwork(cluster, component.id, type);
      });
    });
}

/**
 * Reports a component that would be a second network plugin. It is a warning if the first one is
 * not known but Nodes are ready, which requires a network plugin.
 */
function secondNetwork(cluster: ClusterSnapshot, id: string, type: string): readonly Finding[] {
  const own = knownComponents.find((one) => one.id === type);
  if (own?.networkPlugin === undefined) return [];
  const running = cluster.components.flatMap((one) => {
    const plugin = knownComponents.find((known) => known.id === (one.type ?? one.id))?.networkPlugin;
    return plugin === undefined ? [] : [{ id: one.id, plugin }];
  });
  if (running.some(({ plugin }) => plugin === own.networkPlugin)) return [];
  const subject = { cluster: cluster.name, component: id };
  const [other] = running;
  if (other !== undefined)
    return [
      planFinding('plan.taken-place', 'block', subject, {
        why: `the plan would install ${id}, a part of the network plugin ${own.networkPlugin}, but ${other.id} runs in this cluster: a cluster has one network plugin`,
        unblock: `leave the cluster out (--exclude ${cluster.name}), mark ${id} as optional in the bundle, or change from ${other.plugin} to ${own.networkPlugin} as its documentation describes, first`,
      }),
    ];
  const nodes = cluster.components.find((one) => (one.type ?? one.id) === 'kubelet')?.live ?? [];
  // A snapshot written by hand may lack the network plugin.
  if (cluster.readAt === undefined || own.perNode !== true || !nodes.some(({ ready }) => ready)) return [];
  return [
    planFinding('plan.taken-place', 'warn', subject, {
      why: `the plan would install ${id}, a part of the network plugin ${own.networkPlugin}, but Nodes of this cluster are ready, so an unrecognised network plugin may run there`,
      unblock: `if so, leave the cluster out (--exclude ${cluster.name}), or mark ${id} as optional in the bundle`,
    }),
  ];
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
