import { equal, resourceNameOf } from '@isthmus/machinery';
import type { Core, Guard } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { about, notFound } from '../refusal/refusal.ts';
import type { Refusal } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import type { Authorizer } from '../request/authorizer.ts';
import { ruleAllowsPath, ruleAllowsResource } from './policy-rule.ts';
import type { PolicyRule, RoleRef } from './policy-rule.ts';
import { bracketed, grantsOf, rulesOf } from './rbac.ts';

/**
 * Prevents privilege escalation. A user who writes a role must hold its rules or have the verb
 * `escalate`. A user who writes a binding must hold the rules of its role or have the verb `bind`.
 * The group `system:masters` is exempt.
 */
export function escalationGuard(authorizer: Authorizer): Guard {
  return (core, target, object, before) => {
    const { resource, user } = target;
    if (resource.group !== 'rbac.authorization.k8s.io' || user.groups.includes('system:masters')) return;
    const isRole = resource.kind === 'Role' || resource.kind === 'ClusterRole';
    if (before !== undefined && equal(withoutOwners(object), withoutOwners(before))) return;
    const asked = isRole ? roleAsk(target) : bindAsk(target, object);
    if (authorizer.authorize(user, asked).allowed) return;
    const wanted = isRole ? rulesIn(object) : boundRules(core, target, object);
    if (wanted === undefined) throw missingRole(target, object);
    const { rules: grants, problems } = grantsOf(core.context, user, target.namespace);
    const held = grants.map(({ rule }) => rule);
    const missing = wanted.flatMap(singles).filter((single) => !held.some((rule) => covers(rule, single)));
    if (missing.length > 0) throw escalation(target, object, { missing, problems });
    // An aggregated role may come to hold any rule, and who holds all of them may escalate.
    if ([object, before].some((one) => one?.['aggregationRule'] !== undefined)) {
      throw forbidden(target, object, 'must have cluster-admin privileges to use the aggregationRule');
    }
  };
}

/**
 * The object without the fields that the garbage collector changes: a change of these grants
 * nothing. Any other change is checked like a creation.
 */
function withoutOwners({ metadata, ...rest }: Stored): unknown {
  const {
    ownerReferences: _,
    finalizers: _f,
    managedFields: _m,
    ...kept
  } = metadata as unknown as Readonly<Record<string, unknown>>;
  return { ...rest, metadata: kept };
}

function rulesIn(object: Stored): readonly PolicyRule[] {
  return (object['rules'] ?? []) as readonly PolicyRule[];
}

function boundRules(
  core: Core,
  { namespace, resource }: WriteTarget,
  object: Stored,
): readonly PolicyRule[] | undefined {
  return rulesOf(core.context, object['roleRef'] as RoleRef, resource.namespaced ? namespace : undefined);
}

/** The real server names the binding's resource and the role's name. */
function missingRole({ resource }: WriteTarget, object: Stored): Refusal {
  const { name } = object['roleRef'] as RoleRef;
  return notFound(resource, name);
}

function roleAsk({ resource, namespace, name }: WriteTarget) {
  return {
    kind: 'resource',
    verb: 'escalate',
    group: resource.group,
    version: resource.version,
    namespace,
    resource: resource.plural,
    // The path of a POST does not name the role.
    name: name === '' ? undefined : name,
    subresource: undefined,
  } as const;
}

function bindAsk({ resource, namespace }: WriteTarget, object: Stored) {
  const { kind, name } = object['roleRef'] as RoleRef;
  return {
    kind: 'resource',
    verb: 'bind',
    group: resource.group,
    version: resource.version,
    namespace,
    resource: kind === 'Role' ? 'roles' : 'clusterroles',
    name,
    subresource: undefined,
  } as const;
}

/** A rule as rules of one verb on one thing each. */
function singles(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [undefined] : resourceNames.map((name) => [name]);
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((path) => ({ verbs: [verb], nonResourceURLs: [path] })),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...(name !== undefined && { resourceNames: name }),
        })),
      ),
    ),
  ]);
}

/**
 * Whether a held rule covers a single rule. A single rule with a star needs a held one with a star.
 */
function covers(held: PolicyRule, single: PolicyRule): boolean {
  const verb = single.verbs[0] ?? '';
  const [path] = single.nonResourceURLs ?? [];
  if (path !== undefined) return ruleAllowsPath(held, verb, path);
  const [resource = '', subresource] = (single.resources?.[0] ?? '').split('/');
  const name = single.resourceNames?.[0];
  return ruleAllowsResource(held, { verb, group: single.apiGroups?.[0] ?? '', resource, subresource, name });
}

/**
 * The rejection of an escalation. `problems`: errors while rules were looked up. Its text names
 * roles of any kind `roles`.
 */
function escalation(
  target: WriteTarget,
  object: Stored,
  { missing, problems }: { readonly missing: readonly PolicyRule[]; readonly problems: readonly string[] },
): Refusal {
  const { user } = target;
  const found = bracketed(problems.map((problem) => problem.replace(/^\w+\./, 'roles.')));
  const lines = merged(missing).map(ruleText).toSorted();
  const what = `user ${JSON.stringify(user.username)} (groups=${goStrings(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${problems.length === 0 ? '' : `; resolution errors: [${found}]`}`;
  return forbidden(target, object, what);
}

function forbidden({ resource }: WriteTarget, { metadata }: Stored, what: string): Refusal {
  const message = `${resourceNameOf(resource)} "${metadata.name}" is forbidden: ${what}`;
  return about(resource, metadata.name, { reason: 'Forbidden', message });
}

/** Single rules that differ in the verb alone, as one. */
function merged(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const byRest = new Map<string, PolicyRule>();
  for (const { verbs, ...rest } of rules) {
    const key = JSON.stringify(rest);
    const had = byRest.get(key)?.verbs ?? [];
    byRest.set(key, { ...rest, verbs: [...had, ...verbs.filter((verb) => !had.includes(verb))] });
  }
  return [...byRest.values()];
}

function ruleText({
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
  verbs,
}: PolicyRule): string {
  const parts = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['ResourceNames', resourceNames],
    ['NonResourceURLs', nonResourceURLs],
    ['Verbs', verbs],
  ] as const;
  const shown = parts.filter(([, values]) => values.length > 0);
  return `{${shown.map(([name, values]) => `${name}:${goStrings(values)}`).join(', ')}}`;
}

function goStrings(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
