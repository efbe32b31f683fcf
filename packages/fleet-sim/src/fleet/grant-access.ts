import type { Access } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { Admin } from '@isthmus/sandbox';

export const rbacGroup = 'rbac.authorization.k8s.io';

export interface Grant {
  /** The name of the roles and bindings. */
  readonly name: string;
  /** The Namespace of accesses with `scope: 'own'`. */
  readonly namespace: string;
  readonly access: readonly Access[];
  /** The subject of the bindings. */
  readonly to: object;
}

/**
 * Grants a list of accesses to a subject by RBAC: by a Role in its own Namespace, and by a
 * ClusterRole for the rest.
 */
export function grantAccess(admin: Admin, { name, namespace, access, to }: Grant): void {
  const own = access.filter(({ scope }) => scope === 'own').map(ruleOf);
  const all = access.filter(({ scope }) => scope === 'all').map(ruleOf);
  const put = (kind: string, object: object) => void admin.put(typeOf(kind), object as KubernetesObject);
  if (own.length > 0) {
    put('Role', { metadata: { name, namespace }, rules: own });
    put('RoleBinding', { metadata: { name, namespace }, roleRef: refTo('Role', name), subjects: [to] });
  }
  if (all.length > 0) {
    put('ClusterRole', { metadata: { name }, rules: all });
    put('ClusterRoleBinding', { metadata: { name }, roleRef: refTo('ClusterRole', name), subjects: [to] });
  }
}

function ruleOf({ type, subresource, verbs, resourceNames }: Access): object {
  const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  return {
    apiGroups: [type.group],
    resources: [resource],
    verbs,
    ...(resourceNames !== undefined && { resourceNames }),
  };
}

function refTo(kind: string, name: string): object {
  return { apiGroup: rbacGroup, kind, name };
}

function typeOf(kind: string): ResourceType {
  return {
    group: rbacGroup,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: !kind.startsWith('Cluster'),
  };
}
