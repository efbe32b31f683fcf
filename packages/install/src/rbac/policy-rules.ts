import type { PolicyRule } from '@isthmus/api';
import type { Access, Verb } from '@isthmus/kube';
import { resourceNameOf } from '@isthmus/machinery';

/** The RBAC rules that a list of accesses needs. */
export interface GrantedRules {
  /**
   * For a Role in the Namespace of the process. Contains nothing that {@link GrantedRules.all}
   * grants already.
   */
  readonly own: readonly PolicyRule[];
  /** For a ClusterRole that is bound in the whole cluster. */
  readonly all: readonly PolicyRule[];
}

/** One resource, or one object of it by name, and the allowed verbs. */
interface Grant {
  readonly group: string;
  /** `plural` or `plural/subresource`. */
  readonly resource: string;
  /** Absent: every name. */
  readonly name: string | undefined;
  readonly verb: Verb;
}

/** The customary order of verbs. */
const verbOrder: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/**
 * The rules that allow what `access` declares for one API server, and nothing else.
 *
 * Guarantees: the result depends on the set of accesses, not on their order; rules are sorted by
 * group, resource and name; each resource (or set of names of it) is in one rule, and resources
 * with the same verbs share one. An entry without verbs, or with an empty list of names, allows
 * nothing and yields no rule (to RBAC an empty list of names would mean every name).
 *
 * Errors: an entry that RBAC has no rule for: a cluster-scoped kind in a Role, `create` of single
 * names, or anything outside the leader Namespace with a member's token.
 */
export function rbacOf(access: readonly Access[], options: { readonly at: Access['at'] }): GrantedRules {
  const entries = access.filter(({ at }) => at === options.at);
  for (const entry of entries) demandGrantable(entry);
  const all = grantsOf(entries.filter(({ scope }) => scope === 'all'));
  const own = grantsOf(entries.filter(({ scope }) => scope === 'own'));
  const everywhere = coverOf(all);
  return { own: rulesOf(own.filter((grant) => !isCovered(everywhere, grant))), all: rulesOf(all) };
}

function demandGrantable({ at, type, subresource, scope, verbs, resourceNames }: Access): void {
  const what = resourceNameOf(type);
  if (scope === 'own' && !type.namespaced) {
    throw new Error(`${what} is cluster-scoped, so no Role can grant it: declare it with scope 'all'`);
  }
  if (at === 'leader' && scope === 'all') {
    throw new Error(
      `${what} at the leader: a member's token holds in the leader Namespace only, declare it with scope 'own'`,
    );
  }
  if (resourceNames !== undefined && subresource === undefined && verbs.includes('create')) {
    throw new Error(`create ${what} by name: the name isn't known when RBAC decides, declare it without resourceNames`);
  }
}

function grantsOf(access: readonly Access[]): readonly Grant[] {
  const grants = access.flatMap(({ type, subresource, verbs, resourceNames }) => {
    const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
    const names: readonly (string | undefined)[] = resourceNames ?? [undefined];
    return names.flatMap((name) => verbs.map((verb): Grant => ({ group: type.group, resource, name, verb })));
  });
  const cover = coverOf(grants.filter(({ name }) => name === undefined));
  return grants.filter((grant) => grant.name === undefined || !isCovered(cover, grant));
}

function coverOf(grants: readonly Grant[]): ReadonlySet<string> {
  return new Set(grants.map(({ group, resource, name, verb }) => keyOf(group, resource, name ?? null, verb)));
}

function isCovered(cover: ReadonlySet<string>, { group, resource, name, verb }: Grant): boolean {
  return cover.has(keyOf(group, resource, null, verb)) || cover.has(keyOf(group, resource, name ?? null, verb));
}

/** Grants joined by verbs, then by names, then by resources. */
function rulesOf(grants: readonly Grant[]): readonly PolicyRule[] {
  const perObject = joined(
    grants,
    ({ group, resource, name }) => keyOf(group, resource, name ?? null),
    (same) => ({ ...same[0], verbs: verbOrder.filter((verb) => same.some((grant) => grant.verb === verb)) }),
  );
  const perResource = joined(
    perObject,
    ({ group, resource, name, verbs }) => keyOf(group, resource, name === undefined, verbs),
    (same) => ({ ...same[0], names: sorted(same.flatMap(({ name }) => (name === undefined ? [] : [name]))) }),
  );
  const rules = joined(
    perResource,
    ({ group, names, verbs }) => keyOf(group, names, verbs),
    (same): PolicyRule => {
      const { group, names, verbs } = same[0];
      return {
        apiGroups: [group],
        resources: sorted(same.map(({ resource }) => resource)),
        ...(names.length > 0 && { resourceNames: names }),
        verbs,
      };
    },
  );
  // The rule for all names comes first: guides name the place of that for Secrets.
  const order = (rule: PolicyRule) => keyOf(rule.apiGroups, rule.resources, rule.resourceNames ?? '');
  return rules.toSorted((a, b) => compare(order(a), order(b)));
}

/** One result for all items of the same key, in the order of first appearance. */
function joined<T, R>(
  items: readonly T[],
  key: (item: T) => string,
  join: (same: readonly [T, ...T[]]) => R,
): readonly R[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return [...groups.values()].map(join);
}

/** A text that differs if any part does. */
function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted(compare);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
