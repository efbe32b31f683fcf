import { ClusterRole, ClusterRoleBinding, FixedName, Label, Role, RoleBinding, ServiceAccount } from '@isthmus/api';
import type { PolicyRule, RoleRef } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import type { RoleDefinition } from './role.ts';
import { ownRules, remoteRules } from './role-rules.ts';

/** Names of a controller's Role (and ClusterRole) and of its binding, as Antrea has them, so that ours take their place. */
const ControllerRoleName = {
  role: 'antrea-mc-controller-role',
  binding: 'antrea-mc-controller-rolebinding',
} as const;

/** Labels of everything that is installed for a controller, as Antrea has them. */
export const controllerLabels = { [Label.app]: 'antrea', [Label.component]: 'antrea-mc-controller' } as const;

/**
 * The objects that a role's process needs to be allowed what it declares, in the order in which they are to be created: its ServiceAccount, the
 * ClusterRole of a role that reaches into the whole cluster, its Role, each with its binding, and a Role for each credential that processes of
 * `others` hold for this cluster. A dual-role cluster has those of two roles side by side, in two Namespaces.
 */
export function rbacObjects(
  role: RoleDefinition,
  namespace: string,
  others: readonly RoleDefinition[],
): readonly KubernetesObject[] {
  const { own, all } = ownRules(role);
  const { role: name, binding } = ControllerRoleName;
  const clusterWide =
    role.own.reach === 'cluster'
      ? [
          made(ClusterRole, { name }, { rules: all }),
          made(ClusterRoleBinding, { name: binding }, boundTo('ClusterRole', namespace)),
        ]
      : [];
  const issued = others.flatMap(({ remote }) => remote).filter(({ grantedBy }) => grantedBy === role.name);
  return [
    made(ServiceAccount, { name: FixedName.controllerServiceAccount, namespace }, {}),
    ...clusterWide,
    ...namespaced(namespace, own),
    ...issued.map((credential) =>
      made(Role, { name: credential.roleName, namespace }, { rules: remoteRules(credential) }),
    ),
  ];
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
