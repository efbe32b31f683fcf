// Expressions about who makes a request.
import { FixedName, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';

const { exportPoliciesVerb, controllerServiceAccount } = FixedName;

/** The leader's controller itself. */
export function isLeader(namespace: string): string {
  return `request.userInfo.username == 'system:serviceaccount:${namespace}:${controllerServiceAccount}'`;
}

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
