// Expressions about who makes a request. `params` is one of the ServiceAccounts of the leader's Namespace.
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

/** Whether the object goes with its Namespace. */
export const isNamespaceDeleted = 'has(namespaceObject.metadata.deletionTimestamp)';

/** The ServiceAccount `params`. */
export function isAccount(namespace: string): string {
  return `request.userInfo.username == '${accountsOf(namespace)}' + params.metadata.name`;
}

/** Any ServiceAccount. */
export const isServiceAccount = "request.userInfo.username.startsWith('system:serviceaccount:')";

/** Any ServiceAccount of that Namespace. */
export function isOfNamespace(namespace: string): string {
  return `request.userInfo.username.startsWith('${accountsOf(namespace)}')`;
}

/** What the ServiceAccount `params` says of the cluster that uses it, as an optional. */
export const boundCluster = `params.metadata.?annotations[?'${Annotation.clusterID}']`;

/**
 * Whether RBAC makes the caller an administrator: what no member's Role grants, and the wildcard of an administrator's does.
 */
export function mayExportPolicies(namespace: string): string {
  return `${check(ResourceExport, exportPoliciesVerb, namespace)}.allowed()`;
}

/** Whether the caller cannot announce a member. An authorizer that fails leaves it open. */
export function cannotAnnounce(namespace: string): string {
  return `[${check(MemberClusterAnnounce, 'create', namespace)}].all(may, !may.allowed() && !may.errored())`;
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
