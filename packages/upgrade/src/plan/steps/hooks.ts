import type { Component, Hook } from '../../bundle/component.ts';
import type { Finding } from '../../finding.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { parseVersionRange, inRange } from '../../version/parse-version-range.ts';
import type { Version } from '../../version/version.ts';
import type { PlannedChange } from '../paths/hop-paths.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { StepDraft } from './step-draft.ts';
import { draft } from './step-draft.ts';

/** A hook of a component that moves, and the clusters of its family in which it is not done yet. */
export interface OpenHook {
  readonly hook: Hook;
  readonly component: string;
  /**
   * The component has its target everywhere in the family: an upgrade that was interrupted goes on.
   */
  readonly stands: boolean;
  readonly family: string;
  /** By name. A cluster that is left alone may be among them. */
  readonly clusters: readonly ClusterSnapshot[];
}

/**
 * The hooks of moving components (docs/spec/upgrades.md §2.3: G0, G5), and of components of the
 * same release that have moved before. Hooks that a fact shows to be done everywhere are left out.
 */
export function openHooks(changes: readonly PlannedChange[], context: PlannerContext): readonly OpenHook[] {
  const open = new Map<string, OpenHook>();
  const known = new Map<string, ReturnType<typeof hooksBeside>>();
  for (const { component, cluster, family, running, path } of changes) {
    if (cluster === undefined) continue;
    const own = path.flatMap((one) => (one?.hooks ?? []).map((hook) => ({ hook, of: component.id, stands: false })));
    const place = `${family}\n${component.unit ?? ''}\n${component.id}`;
    const beside = known.get(place) ?? hooksBeside(component, family, changes, context);
    known.set(place, beside);
    for (const { hook, of, stands } of [...own, ...beside]) {
      const key = `${family}\n${of}\n${hook.id}`;
      if (open.has(key) || !running.some(({ version }) => applies(hook, version))) continue;
      const clusters = context.clusters.filter(
        (one) =>
          context.familyOf(one.name) === family &&
          hook.roles.some((role) => one.roles.includes(role)) &&
          !isDone(hook, one),
      );
      if (clusters.length > 0) open.set(key, { hook, component: of, stands, family, clusters });
    }
  }
  return [...open].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** Hooks of components of the same unit that the family has and that do not move in it any more. */
function hooksBeside(
  component: Component,
  family: string,
  changes: readonly PlannedChange[],
  context: PlannerContext,
): readonly { readonly hook: Hook; readonly of: string; readonly stands: boolean }[] {
  const ids = new Set(
    context.clusters
      .filter(({ name }) => context.familyOf(name) === family)
      .flatMap(({ components }) => components.map(({ id }) => id)),
  );
  return [...context.byId.values()]
    .filter((one) => one.hooks.length > 0 && one.unit !== undefined && one.unit === component.unit && ids.has(one.id))
    .filter((one) => !changes.some((change) => change.family === family && change.component.id === one.id))
    .flatMap((one) => one.hooks.map((hook) => ({ hook, of: one.id, stands: true })));
}

/** One step for each hook and cluster. */
export function hookSteps(hooks: readonly OpenHook[], at: 'before' | 'after'): readonly StepDraft[] {
  return hooks
    .filter(({ hook }) => hook.at === at)
    .flatMap(({ hook, component, stands, clusters }) =>
      clusters.map((cluster) =>
        draft({
          kind: 'hook',
          title: `${hook.title} (${cluster.name})`,
          why:
            at === 'before'
              ? stands
                ? `${component} is already upgraded: its features do not work in this cluster until the hook is done`
                : `it must be done in every cluster that it names before ${component} is upgraded anywhere`
              : `it follows when ${component} is upgraded everywhere`,
          group: at === 'before' ? 'pre-steps' : 'post-steps',
          lane: cluster.name,
          cluster: cluster.name,
          component,
          gates:
            hook.doneWhen === undefined
              ? [
                  {
                    id: 'done',
                    at: 'after',
                    kind: 'approval',
                    what: `A person confirms that it is done in ${cluster.name}.`,
                  },
                ]
              : [
                  {
                    id: 'done',
                    at: 'after',
                    kind: 'fact',
                    what: `${hook.doneWhen.fact} of ${cluster.name} is ${hook.doneWhen.equals}.`,
                  },
                ],
          instructions: hook.instructions,
        }),
      ),
    );
}

/**
 * Reports hooks that are still to be done. A hook blocks if its cluster is left alone, because it
 * cannot be done there.
 */
export function hookFindings(hooks: readonly OpenHook[]): readonly Finding[] {
  return hooks.flatMap(({ hook, component, stands, clusters }) =>
    clusters.flatMap((cluster): readonly Finding[] => {
      if (hook.at !== 'before') return [];
      const subject = { cluster: cluster.name, component };
      const isLeftAlone = cluster.paused || !cluster.reachable;
      const why = stands
        ? `${hook.title}: not done here, and ${component} is already upgraded`
        : `${hook.title}: not done here, and it must be done before ${component} is upgraded anywhere`;
      if (isLeftAlone && !stands) {
        const unblock = 'repair the cluster and do it, or remove it from the ClusterSet';
        return [planFinding(`hook.${hook.id}`, 'block', subject, { why: `${why}; the cluster is skipped`, unblock })];
      }
      const unblock = hook.instructions ?? 'do it, and take a new snapshot';
      return hook.doneWhen === undefined ? [] : [planFinding(`hook.${hook.id}`, 'warn', subject, { why, unblock })];
    }),
  );
}

function applies(hook: Hook, version: Version): boolean {
  if (hook.whenFrom === undefined) return true;
  const range = parseVersionRange(hook.whenFrom);
  return !('problem' in range) && inRange(version, range);
}

function isDone({ doneWhen }: Hook, { facts }: ClusterSnapshot): boolean {
  return doneWhen !== undefined && Object.hasOwn(facts, doneWhen.fact) && facts[doneWhen.fact] === doneWhen.equals;
}
