import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

export interface PolicyRule {
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

export interface RbacSubject {
  readonly kind: 'ServiceAccount' | 'User' | 'Group';
  readonly apiGroup?: string | undefined;
  readonly name: string;
  readonly namespace?: string | undefined;
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
}

export interface Role extends KubernetesObject {
  readonly rules?: readonly PolicyRule[] | undefined;
}

export interface ClusterRole extends KubernetesObject {
  readonly rules?: readonly PolicyRule[] | undefined;
}

/** `roleRef` is immutable. */
export interface RoleBinding extends KubernetesObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly RbacSubject[] | undefined;
}

/** `roleRef` is immutable. */
export interface ClusterRoleBinding extends KubernetesObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly RbacSubject[] | undefined;
}

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', statusSubresource: false } as const;

export const Role = builtIn<Role>({ ...rbac, kind: 'Role', plural: 'roles', namespaced: true });
export const ClusterRole = builtIn<ClusterRole>({
  ...rbac,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
});
export const RoleBinding = builtIn<RoleBinding>({
  ...rbac,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
});
export const ClusterRoleBinding = builtIn<ClusterRoleBinding>({
  ...rbac,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
});
