import type { FleetState, Instance } from '../../fleet/fleet-state.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { VersionScheme } from '../../version/version.ts';
import type { Effect, Step } from '../format/step.ts';

/** How instances that a step adds are called; what was there keeps its type and scheme. */
export type DescribeComponent = (component: string) => { readonly type: string; readonly scheme: VersionScheme };

const asNamed: DescribeComponent = (component) => ({ type: component, scheme: 'semver' });

/**
 * The versions that run after a step. The state follows from the effects alone, so plans of any
 * planner can be applied.
 */
export function applyEffects(state: FleetState, step: Step, describe: DescribeComponent = asNamed): FleetState {
  return { ...state, instances: step.effects.reduce((all, effect) => applied(all, effect, describe), state.instances) };
}

/**
 * What runs while a step is at work: for a rolling one, the versions before and after it side by
 * side.
 */
export function duringStep(state: FleetState, step: Step, describe: DescribeComponent = asNamed): FleetState {
  const after = applyEffects(state, step, describe);
  if (!step.rolling) return after;
  const before = new Set(state.instances);
  return { ...state, instances: [...state.instances, ...after.instances.filter((one) => !before.has(one))] };
}

function applied(instances: readonly Instance[], effect: Effect, describe: DescribeComponent): readonly Instance[] {
  const isStruck = (one: Instance) =>
    one.component === effect.component &&
    one.cluster === effect.cluster &&
    (effect.node === undefined || one.node === effect.node) &&
    (effect.name === undefined || one.name === effect.name);
  if (!instances.some(isStruck)) {
    const { component, cluster, node, name, to } = effect;
    const { type, scheme } = describe(component);
    return [...instances, { type, component, cluster, node, name, version: parseVersion(to, scheme) }];
  }
  return instances.map((one) =>
    isStruck(one) && one.version.text !== effect.to
      ? { ...one, version: parseVersion(effect.to, one.version.scheme) }
      : one,
  );
}
