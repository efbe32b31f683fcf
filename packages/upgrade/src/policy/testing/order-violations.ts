import type { Finding } from '../../finding.ts';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import type { FleetState, Instance } from '../../fleet/fleet-state.ts';
import { orderedFindings } from '../../finding-order.ts';
import type { Rules } from '../rule-set.ts';
import { rulesOf } from '../rule-set.ts';
import { inScope } from '../skew/scope.ts';
import type { OrderRule } from '../version-rules.ts';
import { instancesText } from '../../fleet/where-text.ts';

/**
 * The components that moved too early on the way to `target`: a component has begun to move, and
 * one that an order rule puts first has not reached its target everywhere in the scope. A component
 * has begun to move if it runs a version that `start` does not have there. Without a `start` it has
 * begun if it runs the version of the target, which also reports components that had it from the
 * beginning. A component without a target does not move, and is not waited for.
 */
export function orderViolations(
  state: FleetState,
  target: FleetState,
  policies: Rules,
  start?: FleetState,
): readonly Finding[] {
  const index = new FleetIndex(state);
  const goals = versionsByPlace(target);
  const before = start === undefined ? undefined : versionsByPlace(start);
  const isThere = (one: Instance) => goals.get(placeOf(one))?.has(one.version.text) ?? true;
  const hasMoved = (one: Instance) => {
    if (before === undefined) return goals.get(placeOf(one))?.has(one.version.text) === true;
    return before.get(placeOf(one))?.has(one.version.text) !== true;
  };
  const findings = rulesOf(policies).order.flatMap((rule) =>
    [...index.clustersOf(rule.next)].flatMap((cluster): readonly Finding[] => {
      const early = [...index.in(rule.next, cluster).values()].flat().filter(hasMoved);
      if (early.length === 0) return [];
      const late = [...inScope(index, rule.scope, rule.first, cluster).values()].flat().filter((one) => !isThere(one));
      return late.length === 0 ? [] : [findingOf(rule, early, late)];
    }),
  );
  return orderedFindings(findings);
}

function findingOf(rule: OrderRule, early: readonly Instance[], late: readonly Instance[]): Finding {
  const [next, first] = [early[0], late[0]];
  const behind = late.filter(
    ({ version, component }) => version.text === first?.version.text && component === first.component,
  );
  const moved = early.filter(
    ({ version, component }) => version.text === next?.version.text && component === next.component,
  );
  return {
    rule: rule.id,
    severity: rule.severity,
    subject: { cluster: next?.cluster, component: next?.component },
    why: `${rule.message ?? `${rule.first} is upgraded before ${rule.next}`}: ${instancesText(moved)} was upgraded while ${instancesText(behind)} is not at its target`,
    unblock: `upgrade ${first?.component} first`,
    source: rule.source,
  };
}

function versionsByPlace(state: FleetState): ReadonlyMap<string, ReadonlySet<string>> {
  const byPlace = new Map<string, Set<string>>();
  for (const instance of state.instances) {
    const key = placeOf(instance);
    byPlace.set(key, (byPlace.get(key) ?? new Set()).add(instance.version.text));
  }
  return byPlace;
}

/** The key of a component of a cluster: targets do not distinguish Nodes and replicas. */
function placeOf({ component, cluster = '' }: Instance): string {
  return `${cluster}\n${component}`;
}
