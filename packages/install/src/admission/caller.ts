// Expressions about the caller of a request. `params` is one of the ServiceAccounts of the leader's
// Namespace.
import { Annotation, FixedName, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';

const { exportPoliciesVerb, controllerServiceAccount } = FixedName;

/** The controller of that Namespace. */
export function isController(namespace: string): string {
  return isAccountNamed(namespace, controllerServiceAccount);
}

/** The ServiceAccount of that name. */
export function isAccountNamed(namespace: string, name: string): string {
  return `request.userInfo.username == '${accountsOf(namespace)}${name}'`;
}

/** Whether the object is deleted together with its Namespace. */
export const isNamespaceDeleted = 'has(namespaceObject.metadata.deletionTimestamp)';

/** The ServiceAccount `params`. */
export function isAccount(namespace: string): string {
  return `request.userInfo.username == '${accountsOf(namespace)}' + params.metadata.name`;
}

/** One of the ServiceAccounts of that Namespace. `names`: an expression. */
export function isAccountIn(names: string, namespace: string): string {
  return `${names}.exists(name, request.userInfo.username == '${accountsOf(namespace)}' + name)`;
}

/** Any ServiceAccount. */
export const isServiceAccount = "request.userInfo.username.startsWith('system:serviceaccount:')";

/** Any ServiceAccount of that Namespace. */
export function isOfNamespace(namespace: string): string {
  return `request.userInfo.username.startsWith('${accountsOf(namespace)}')`;
}

/** The cluster that uses the ServiceAccount `params`, according to its annotation; an optional. */
export const boundCluster = `params.metadata.?annotations[?'${Annotation.clusterID}']`;

const clusterOf = (object: string) =>
  `(request.resource.resource == '${ResourceExport.plural}' ? ${object}.?spec.?clusterID.orValue('') : ${object}.?clusterID.orValue(''))`;

/** Whether a written export or announcement is of {@link boundCluster}, or was. */
export const isOfBoundCluster = ['object', 'oldObject']
  .map((object) => `(${object} != null && ${clusterOf(object)} == ${boundCluster}.orValue(''))`)
  .join(' || ');

/**
 * Whether RBAC makes the caller an administrator: it may do what no member's Role grants, and an
 * administrator's wildcard does.
 */
export function mayExportPolicies(namespace: string): string {
  return `${check(ResourceExport, exportPoliciesVerb, namespace)}.allowed()`;
}

/**
 * Whether it is certain that the caller cannot announce a member: false if the authorizer fails.
 */
export function cannotAnnounce(namespace: string): string {
  return `[${check(MemberClusterAnnounce, 'create', namespace)}].all(may, !may.allowed() && !may.errored())`;
}

/** Whether the caller is an administrator, or certainly no member: rules about members pass it. */
export function isNoMember(namespace: string): string {
  return [mayExportPolicies(namespace), cannotAnnounce(namespace)].join(' || ');
}

function check(
  { group, plural }: { readonly group: string; readonly plural: string },
  verb: string,
  namespace: string,
): string {
  return `authorizer.group('${group}').resource('${plural}').namespace('${namespace}').check('${verb}')`;
}

function accountsOf(namespace: string): string {
  return `system:serviceaccount:${namespace}:`;
}
