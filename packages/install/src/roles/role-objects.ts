import { ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount } from '@isthmus/api';
import type { RoleRef } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import type { InstalledNames, ProcessDefinition } from './role.ts';
import { ownRules, remoteRules } from './role-rules.ts';

/**
 * The RBAC objects for the access that a role's process declares, in the order of creation: its
 * ServiceAccount; the ClusterRole of a role with access to the whole cluster; its Role if it needs
 * one; each with its binding; and a Role for each credential that processes of `others` have for
 * this cluster. A dual-role cluster has those of two roles side by side, in two Namespaces.
 */
export function rbacObjects(
  role: ProcessDefinition,
  namespace: string,
  others: readonly ProcessDefinition[],
): readonly KubernetesObject[] {
  const { own, all } = ownRules(role);
  const { installedAs } = role;
  const made = madeFor(installedAs);
  const bound = (type: typeof Role | typeof ClusterRole) => boundTo(installedAs, type.kind, namespace);
  const { role: name, binding } = installedAs;
  const clusterWide =
    role.own.reach === 'cluster'
      ? [made(ClusterRole, { name }, { rules: all }), made(ClusterRoleBinding, { name: binding }, bound(ClusterRole))]
      : [];
  const issued = others.flatMap(({ remote }) => remote).filter(({ grantedBy }) => grantedBy === role.name);
  return [
    made(ServiceAccount, { name: installedAs.serviceAccount, namespace }, {}),
    ...clusterWide,
    ...(own.length > 0
      ? [made(Role, { name, namespace }, { rules: own }), made(RoleBinding, { name: binding, namespace }, bound(Role))]
      : []),
    ...issued.map((credential) =>
      made(Role, { name: credential.roleName, namespace }, { rules: remoteRules(credential) }),
    ),
  ];
}

function boundTo(
  { role, serviceAccount }: InstalledNames,
  kind: string,
  namespace: string,
): Pick<RoleBinding, 'roleRef' | 'subjects'> {
  return {
    roleRef: { apiGroup: Role.group, kind: kind as RoleRef['kind'], name: role },
    subjects: [{ kind: 'ServiceAccount', name: serviceAccount, namespace }],
  };
}

function madeFor({ labels }: InstalledNames) {
  return <T extends KubernetesObject>(
    type: ResourceType<T>,
    metadata: { readonly name: string; readonly namespace?: string },
    fields: Omit<T, keyof KubernetesObject>,
  ): KubernetesObject => ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { ...metadata, labels },
    ...fields,
  });
}
