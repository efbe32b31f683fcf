import type { Stored } from '../store/stored.ts';
import type { Ask, Authorizer, Verdict } from '../request/authorizer.ts';
import { ruleAllowsPath, ruleAllowsResource } from './policy-rule.ts';
import type { PolicyRule, RoleRef, Subject } from './policy-rule.ts';
import type { UserInfo } from '../request/user-info.ts';

/** The source of roles and bindings for the authorizer: the stored objects. */
export interface RbacObjects {
  list(storageKey: string): readonly Stored[];
  get(storageKey: string, key: string): Stored | undefined;
}

/** A rule that applies to a user, and the binding that grants it. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  /** The binding and the role, in the words of a verdict's reason. */
  readonly through: string;
}

/** The rules of a user, and the errors of bindings whose role was not found. */
export interface Grants {
  readonly rules: readonly GrantedRule[];
  readonly problems: readonly string[];
}

/**
 * Role-based access control (rbac.authorization.k8s.io/v1): additive rules, ClusterRoleBindings
 * first, then the RoleBindings of the Namespace. The group `system:masters` may do everything.
 */
export function rbacAuthorizer(objects: RbacObjects): Authorizer {
  const bindingsTo = { cluster: bindingsBySubject(), namespaces: bindingsBySubject() };
  const indexed: Bindings = {
    inCluster: (user) => bindingsTo.cluster(objects.list(clusterRoleBindings), user),
    inNamespaces: (user) => bindingsTo.namespaces(objects.list(roleBindings), user),
  };
  return {
    authorize(user, request): Verdict {
      if (user.groups.includes('system:masters')) return { allowed: true, reason: '' };
      const problems: string[] = [];
      for (const grant of grantsTo(
        objects,
        indexed,
        user,
        request.kind === 'resource' ? request.namespace : undefined,
      )) {
        if ('problem' in grant) problems.push(grant.problem);
        else if (grant.rules.some((rule) => ruleAllows(rule, request)))
          return { allowed: true, reason: `RBAC: allowed by ${throughOf(grant)}` };
      }
      return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${bracketed(problems)}` };
    },
  };
}

/** Every rule that applies to a user in a Namespace, or in the cluster if none is named. */
export function grantsOf(objects: RbacObjects, user: UserInfo, namespace: string | undefined): Grants {
  const rules: GrantedRule[] = [];
  const problems: string[] = [];
  const all: Bindings = {
    inCluster: () => objects.list(clusterRoleBindings),
    inNamespaces: () => objects.list(roleBindings),
  };
  for (const grant of grantsTo(objects, all, user, namespace)) {
    if ('problem' in grant) problems.push(grant.problem);
    else {
      const through = throughOf(grant);
      for (const rule of grant.rules) rules.push({ rule, through });
    }
  }
  return { rules, problems };
}

/** A binding that names the user, with the rules of its role. */
interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly binding: Stored;
  readonly subject: Subject;
  readonly scope: string | undefined;
}

/** The bindings that may name a user, in the order of their keys. */
interface Bindings {
  readonly inCluster: (user: UserInfo) => readonly Stored[];
  readonly inNamespaces: (user: UserInfo) => readonly Stored[];
}

const clusterRoleBindings = 'rbac.authorization.k8s.io/clusterrolebindings';
const roleBindings = 'rbac.authorization.k8s.io/rolebindings';

function* grantsTo(
  objects: RbacObjects,
  bindings: Bindings,
  user: UserInfo,
  namespace: string | undefined,
): Generator<Grant | { readonly problem: string }> {
  for (const binding of bindings.inCluster(user)) yield* grantOf(objects, user, binding, undefined);
  if (namespace === undefined || namespace === '') return;
  for (const binding of bindings.inNamespaces(user)) {
    const scope = scopeIn(binding, namespace);
    if (scope !== undefined) yield* grantOf(objects, user, binding, scope);
  }
}

/** The Namespace in which a RoleBinding grants rules; undefined if it is not the requested one. */
export function scopeIn({ metadata }: Stored, namespace: string): string | undefined {
  return metadata.namespace === namespace ? namespace : undefined;
}

/**
 * Finds the bindings with a subject that may be the user. It remembers the last list and its
 * results, since most requests are about the same list and the same few users.
 */
function bindingsBySubject(): (bindings: readonly Stored[], user: UserInfo) => readonly Stored[] {
  let known: readonly Stored[] | undefined;
  let places = new Map<string, number[]>();
  let found = new Map<string, readonly Stored[]>();
  return (bindings, { username, groups }) => {
    if (bindings !== known) {
      known = bindings;
      places = new Map();
      found = new Map();
      for (const [place, binding] of bindings.entries()) {
        for (const key of subjectKeys(binding)) {
          const at = places.get(key);
          if (at === undefined) places.set(key, [place]);
          else at.push(place);
        }
      }
    }
    const keys = [`User ${username}`, ...groups.map((group) => `Group ${group}`)];
    const who = JSON.stringify(keys);
    let theirs = found.get(who);
    if (theirs === undefined) {
      const at = new Set(keys.flatMap((key) => places.get(key) ?? []));
      theirs = [...at].sort((a, b) => a - b).flatMap((place) => bindings[place] ?? []);
      if (found.size >= rememberedUsers) found.clear();
      if (who.length <= longestRemembered) found.set(who, theirs);
    }
    return theirs;
  };
}

/**
 * The number of remembered users, after which all are dropped, and the longest remembered name.
 * Names come from outside, in reviews of access too.
 */
const rememberedUsers = 1_000;
const longestRemembered = 4_096;

/**
 * The users and groups that a binding names. A ServiceAccount is a user by name; its default
 * Namespace is that of the binding.
 */
function subjectKeys(binding: Stored): readonly string[] {
  const { subjects = [] } = binding as unknown as Binding;
  return subjects.map(({ kind, name, namespace }) =>
    kind === 'ServiceAccount'
      ? `User system:serviceaccount:${namespace ?? binding.metadata.namespace ?? ''}:${name}`
      : `${kind} ${name}`,
  );
}

/** Empty if the binding does not name the user. */
function grantOf(
  objects: RbacObjects,
  user: UserInfo,
  binding: Stored,
  scope: string | undefined,
): readonly (Grant | { readonly problem: string })[] {
  const { roleRef, subjects = [] } = binding as unknown as Binding;
  const subject = subjects.find((each) => isSubject(each, user, scope));
  if (subject === undefined) return nobody;
  const rules = rulesOf(objects, roleRef, scope);
  if (rules !== undefined) return [{ rules, binding, subject, scope }];
  return [{ problem: `${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${roleRef.name}" not found` }];
}

const nobody = Object.freeze([]) as readonly never[];

function throughOf({ binding, subject, scope }: Grant): string {
  const { roleRef } = binding as unknown as Binding;
  return `${bindingText(binding, scope)} of ${roleRef.kind} "${roleRef.name}" to ${subjectText(subject, scope)}`;
}

/** The rules of the role that a binding refers to; undefined if the role does not exist. */
export function rulesOf(
  objects: RbacObjects,
  { kind, name }: RoleRef,
  namespace: string | undefined,
): readonly PolicyRule[] | undefined {
  const role =
    kind === 'Role'
      ? objects.get('rbac.authorization.k8s.io/roles', `${namespace ?? ''}/${name}`)
      : objects.get('rbac.authorization.k8s.io/clusterroles', name);
  return role === undefined ? undefined : ((role['rules'] ?? []) as readonly PolicyRule[]);
}

interface Binding {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | undefined;
}

function ruleAllows(rule: PolicyRule, request: Ask): boolean {
  if (request.kind === 'non-resource') return ruleAllowsPath(rule, request.verb, request.path);
  return ruleAllowsResource(rule, { ...request, name: request.name ?? request.selectedName });
}

function isSubject(subject: Subject, { username, groups }: UserInfo, namespace: string | undefined): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === username;
    case 'Group':
      return groups.includes(subject.name);
    case 'ServiceAccount': {
      const within = subject.namespace ?? namespace ?? '';
      return within !== '' && username === `system:serviceaccount:${within}:${subject.name}`;
    }
    default:
      return false;
  }
}

function bindingText({ metadata }: Stored, namespace: string | undefined): string {
  return namespace === undefined
    ? `ClusterRoleBinding "${metadata.name}"`
    : `RoleBinding "${metadata.name}/${namespace}"`;
}

function subjectText({ kind, name, namespace }: Subject, within: string | undefined): string {
  return kind === 'ServiceAccount' ? `ServiceAccount "${name}/${namespace ?? within ?? ''}"` : `${kind} "${name}"`;
}

/** Several reasons in one line. */
export function bracketed(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}
