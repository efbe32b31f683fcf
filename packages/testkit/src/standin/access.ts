import type { Access } from '@isthmus/kube';
import { about } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Route } from './route.ts';

/** Who sends requests. */
export interface User {
  /** As RBAC knows it: `system:serviceaccount:<namespace>:<name>`. */
  readonly name: string;
  /** What the user may do here, and nothing else: the lines whose `at` means this server. */
  readonly access: readonly Access[];
  /** The Namespace that `scope: 'own'` means. */
  readonly namespace: string;
}

/** Whether `access` allows the request, by the rules of RBAC. `name` is that of the object, or of the one that a field selector admits. */
export function isAllowed(user: User, route: Route, name: string | undefined): boolean {
  return user.access.some(
    (access) =>
      access.type.group === route.type.group &&
      access.type.plural === route.type.plural &&
      (access.subresource ?? '') === (route.subresource ?? '') &&
      access.verbs.includes(route.verb) &&
      (access.scope === 'all' || namespaceOf(route) === user.namespace) &&
      (access.resourceNames === undefined || (name !== undefined && access.resourceNames.includes(name))),
  );
}

/** 403 with the text of the RBAC authorizer. */
export function forbidden(user: User, route: Route, name: string | undefined): Refusal {
  const { type, verb, subresource } = route;
  const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  const namespace = namespaceOf(route);
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${type.group}" ${where}`;
  const qualified = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
  const subject = name === undefined ? qualified : `${qualified} "${name}"`;
  return about(type, name ?? '', { reason: 'Forbidden', message: `${subject} is forbidden: ${what}` });
}

/** The Namespace that RBAC looks at: a Namespace counts as standing within itself. */
function namespaceOf(route: Route): string | undefined {
  return route.type.group === '' && route.type.plural === 'namespaces' ? route.name : route.namespace;
}
