import { placedComponents } from '../../bundle/components-of.ts';
import { typeOf } from '../../bundle/type-of.ts';
import type { Finding } from '../../finding.ts';
import { knownComponents } from '../../live/known-components.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone, targetsOf } from '../input/planner-context.ts';

/**
 * Reports components of a snapshot whose name neither a bundle nor a policy has: because of a
 * typing error the component would be installed a second time. The finding blocks if the bundle
 * would install one of a similar name in the same cluster; otherwise it is a question. Parts of
 * Kubernetes need not be known.
 */
export function unknownComponentFindings(context: PlannerContext): readonly Finding[] {
  const known = knownNames(context);
  return context.clusters
    .filter((cluster) => leftAlone(cluster, context.input) === undefined)
    .flatMap((cluster) => {
      const installed = new Set(cluster.components.map(({ id }) => id));
      const added = targetsOf(cluster, context)
        .components.map(({ id }) => id)
        .filter((id) => !installed.has(id));
      return cluster.components
        .filter(({ id, type }) => !known.has(id) && !known.has(type ?? id) && !isOfKubernetes(type ?? id))
        .map(({ id, type }) => {
          // Its id cannot be a typing error: a snapshot gives it this id.
          if (type === undefined && knownComponents.some((one) => one.id === id))
            return planFinding(
              'plan.unknown-component',
              'info',
              { cluster: cluster.name, component: id },
              { why: `no bundle and no policy has a component ${id}, so no rule was checked for it` },
            );
          const meant = nearest(id, added);
          const other = meant ?? nearest(id, [...known]);
          const question = other === undefined ? '' : `; did you mean ${other}?`;
          return planFinding(
            'plan.unknown-component',
            meant === undefined ? 'warn' : 'block',
            { cluster: cluster.name, component: id },
            {
              why: `no bundle and no policy has a component ${id}, so no rule was checked for it${question}${meant === undefined ? '' : ` The plan would install ${meant} here`}`,
              unblock:
                'correct its id in the snapshot, or give it a type of the policies; waive this finding if the id is right',
            },
          );
        });
    });
}

/** The ids and types of all available bundles, and the types of policies. */
function knownNames({ input, rules }: PlannerContext): ReadonlySet<string> {
  const inBundles = [input.bundle, ...input.otherBundles].flatMap(({ bundle }) =>
    placedComponents(bundle).flatMap(({ component }) => [component.id, typeOf(component)]),
  );
  const inPolicies = [
    ...rules.skew.flatMap(({ subject, reference }) => [subject, reference]),
    ...rules.order.flatMap(({ first, next }) => [first, next]),
    ...rules.hops.map(({ subject }) => subject),
    ...rules.floors.map(({ subject }) => subject),
    ...rules.kubernetes.map(({ subject }) => subject),
    ...rules.interruptions.map(({ component }) => component),
  ];
  return new Set([...inBundles, ...inPolicies]);
}

function isOfKubernetes(type: string): boolean {
  return /^(?:kube-|kubelet$|cloud-controller-manager$|etcd$|coredns$)/.test(type);
}

/**
 * The nearest name within one or two typing errors; undefined if no name is so near, or if the name
 * is too short to decide.
 */
function nearest(name: string, others: readonly string[]): string | undefined {
  const near = others
    .map((other) => ({ other, errors: distance(name, other) }))
    .filter(({ other, errors }) => errors > 0 && errors <= 2 && Math.min(name.length, other.length) > 2 + errors);
  return near.toSorted((a, b) => a.errors - b.errors || (a.other < b.other ? -1 : 1))[0]?.other;
}

/** How many characters have to be added, removed, replaced, or exchanged with their neighbour. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let [before, row]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(isExchanged ? Math.min(least, (before[j - 2] ?? 0) + 1) : least);
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
