import * as api from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';

export { CustomResourceDefinition } from '@isthmus/api';

const types: readonly ResourceType[] = [
  api.CustomResourceDefinition,
  api.Namespace,
  api.ServiceAccount,
  api.ConfigMap,
  api.Secret,
  api.Role,
  api.RoleBinding,
  api.ClusterRole,
  api.ClusterRoleBinding,
  api.PriorityLevelConfiguration,
  api.FlowSchema,
  api.NetworkPolicy,
  api.PodDisruptionBudget,
  api.ValidatingAdmissionPolicy,
  api.ValidatingAdmissionPolicyBinding,
];

/** The path of the collection that a manifest's object is posted to. */
export function apiPath(object: KubernetesObject): string {
  const type = types.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (type === undefined)
    throw new Error(
      `installing ${object.apiVersion ?? ''} ${object.kind ?? ''} ${object.metadata.name}: this kind is not supported`,
    );
  const prefix = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced ? `/namespaces/${object.metadata.namespace ?? 'default'}` : '';
  return `${prefix}${scope}/${type.plural}`;
}
