import { ClusterRole, ClusterRoleBinding, FixedName, Label, Role, RoleBinding, ServiceAccount } from '@isthmus/api';
import type { PolicyRule, RoleRef } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { leaderRules, memberRules, memberTokenRules } from './controller-access.ts';

/** Names of a controller's Role (and ClusterRole) and of its binding, as Antrea has them, so that ours take their place. */
const ControllerRoleName = {
  role: 'antrea-mc-controller-role',
  binding: 'antrea-mc-controller-rolebinding',
} as const;

/** Labels of everything that is installed for a controller, as Antrea has them. */
export const controllerLabels = { [Label.app]: 'antrea', [Label.component]: 'antrea-mc-controller' } as const;

/**
 * The objects that a leader's controller and the members' tokens need, all of them in the leader Namespace, in the order in which they are
 * to be created: ServiceAccount, Role and RoleBinding of the controller, and the Role that an administrator binds each member's
 * ServiceAccount to.
 */
export function leaderRbac(namespace: string): readonly KubernetesObject[] {
  return [
    serviceAccount(namespace),
    ...namespaced(namespace, leaderRules()),
    made(Role, { name: FixedName.memberRole, namespace }, { rules: memberTokenRules() }),
  ];
}

/**
 * The objects that a member's controller needs: ServiceAccount, ClusterRole and Role with their bindings. A dual-role cluster has these
 * and those of {@link leaderRbac} side by side, in two Namespaces.
 */
export function memberRbac(namespace: string): readonly KubernetesObject[] {
  const { own, all } = memberRules();
  const { role, binding } = ControllerRoleName;
  return [
    serviceAccount(namespace),
    made(ClusterRole, { name: role }, { rules: all }),
    made(ClusterRoleBinding, { name: binding }, boundTo('ClusterRole', namespace)),
    ...namespaced(namespace, own),
  ];
}

function serviceAccount(namespace: string): KubernetesObject {
  return made(ServiceAccount, { name: FixedName.controllerServiceAccount, namespace }, {});
}

function namespaced(namespace: string, rules: readonly PolicyRule[]): readonly KubernetesObject[] {
  const { role, binding } = ControllerRoleName;
  return [
    made(Role, { name: role, namespace }, { rules }),
    made(RoleBinding, { name: binding, namespace }, boundTo('Role', namespace)),
  ];
}

function boundTo(kind: RoleRef['kind'], namespace: string): Pick<RoleBinding, 'roleRef' | 'subjects'> {
  return {
    roleRef: { apiGroup: Role.group, kind, name: ControllerRoleName.role },
    subjects: [{ kind: 'ServiceAccount', name: FixedName.controllerServiceAccount, namespace }],
  };
}

function made<T extends KubernetesObject>(
  type: ResourceType<T>,
  metadata: { readonly name: string; readonly namespace?: string },
  fields: Omit<T, keyof KubernetesObject>,
): KubernetesObject {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { ...metadata, labels: controllerLabels },
    ...fields,
  };
}
