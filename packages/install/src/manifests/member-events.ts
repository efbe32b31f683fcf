import { Event, Role, RoleBinding } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { controllerLabels } from '../roles/controller-names.ts';

/** The name of the Role and of its binding. */
const name = 'isthmus-member-events';

/**
 * Lets the members of a leader write Events in its Namespace about policies that they cannot
 * import. The leader reports the same on the exports. Not installed by default: Events fill the
 * database of the leader's API server, and RBAC limits neither their size nor their number.
 */
export function memberEventObjects(namespace: string): readonly KubernetesObject[] {
  const metadata = { name, namespace, labels: controllerLabels };
  return [
    {
      apiVersion: apiVersionOf(Role),
      kind: Role.kind,
      metadata,
      rules: [{ apiGroups: [Event.group], resources: [Event.plural], verbs: ['create'] }],
    } as Role,
    {
      apiVersion: apiVersionOf(RoleBinding),
      kind: RoleBinding.kind,
      metadata,
      roleRef: { apiGroup: Role.group, kind: Role.kind, name },
      subjects: [{ apiGroup: Role.group, kind: 'Group', name: `system:serviceaccounts:${namespace}` }],
    } as RoleBinding,
  ];
}
