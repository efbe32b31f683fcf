import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { canonicalJson, equal, labelSelectorOf, matchesLabels } from '@isthmus/machinery';
import { ClusterRole } from './kinds.ts';
import type { SharedCaches } from './shared-caches.ts';

/** Gives ClusterRoles that aggregate others the rules of those. */
export function clusterRoleAggregationController(caches: SharedCaches): Reconciler {
  const roles = caches.of(ClusterRole);
  const aggregating = () =>
    roles.cache
      .list()
      .filter(isAggregating)
      .map(({ metadata }) => metadata.name);
  return defineReconciler({
    name: 'cluster-role-aggregation',
    sources: [from(roles.cache, aggregating)],
    access: [{ at: 'local', type: ClusterRole, scope: 'all', verbs: ['list', 'watch', 'patch', 'escalate'] }],
    async reconcile(name, { signal }) {
      const role = roles.cache.getByKey(name);
      if (role === undefined || !isAggregating(role)) return done;
      const rules = aggregatedRules(role, roles.cache.list());
      if (!equal(role.rules ?? [], rules)) await roles.change(role, { ...role, rules }, signal);
      return done;
    },
  });
}

/**
 * The rules of all other roles that one of the selectors selects, in the order of their names, each
 * rule once.
 */
function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): readonly unknown[] {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map(labelSelectorOf);
  const rules = new Map<string, unknown>();
  for (const other of all) {
    if (other.metadata.name === role.metadata.name) continue;
    if (!selectors.some((selector) => matchesLabels(selector, other.metadata.labels))) continue;
    for (const rule of other.rules ?? []) {
      const text = canonicalJson(rule);
      if (!rules.has(text)) rules.set(text, rule);
    }
  }
  return [...rules.values()];
}

function isAggregating({ aggregationRule }: ClusterRole): boolean {
  return aggregationRule !== undefined;
}
