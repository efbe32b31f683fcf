import type { Plan } from './format/plan.ts';
import type { PlanInput } from './input/plan-input.ts';
import { plannerContext } from './input/planner-context.ts';
import { planUpgrade } from './plan-upgrade.ts';

/**
 * As {@link planUpgrade}, for as many clusters as possible: clusters with a blocking finding are
 * left out and named, and the others are planned as if they were paused, which keeps the rules
 * between clusters. Where leaving a cluster out does not help, because others of its ClusterSet
 * wait for it, the whole ClusterSet is left out. A finding about the fleet or its programs that is
 * left then blocks all, and so does a fleet of which nothing would be left.
 */
export function planWithoutBlocked(input: PlanInput): Plan {
  const whole = planUpgrade(input);
  const { familyOf, clusters } = plannerContext(input);
  const leftOut = new Map<string, Blocking[]>();
  let plan = whole;
  while (plan.spec.outcome === 'blocked') {
    const blocking = plan.spec.findings.filter(({ severity }) => severity === 'block');
    const named = blocking.flatMap((finding) => finding.clusters.map((name) => ({ name, finding })));
    const families = named.flatMap(({ name, finding }) =>
      clusters.filter((one) => familyOf(one.name) === familyOf(name)).map((one) => ({ name: one.name, finding })),
    );
    const isNew = ({ name }: { readonly name: string }) => !leftOut.has(name) && input.leftOut?.has(name) !== true;
    // A cluster that only finds no place in the order may find one when those that are the cause
    // are out.
    const causes = new Set(named.flatMap(({ name, finding }) => (finding.rule === 'plan.order' ? [] : [name])));
    const first = named.filter((one) => isNew(one) && (causes.size === 0 || causes.has(one.name)));
    const rest = named.some(isNew) ? named : families;
    const more = first.length > 0 ? first : rest.filter(isNew);
    if (more.length === 0) return whole;
    for (const { name, finding } of more) leftOut.set(name, [...(leftOut.get(name) ?? []), finding]);
    const reasons = [...leftOut].map(([name, all]) => [name, `it is blocked by ${rulesText(all)}`] as const);
    plan = planUpgrade({ ...input, leftOut: new Map([...(input.leftOut ?? []), ...reasons]) });
  }
  if (leftOut.size === 0) return plan;
  if (plan.spec.steps.length === 0) return whole;
  const listed = [...leftOut]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([cluster, all]) =>
      all.map(({ subject: { component, object }, rule, why, unblock }) => ({
        cluster,
        component,
        object,
        rule,
        why,
        unblock,
      })),
    );
  return { ...plan, spec: { ...plan.spec, leftOut: listed } };
}

type Blocking = Plan['spec']['findings'][number];

function rulesText(findings: readonly Blocking[]): string {
  return [...new Set(findings.map(({ rule }) => rule))].toSorted().join(', ');
}
