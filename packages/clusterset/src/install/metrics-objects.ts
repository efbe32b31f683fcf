import { ClusterRole, ClusterRoleBinding, FixedName } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { controllerLabels } from '../roles/controller-names.ts';

/**
 * What the controller in `namespace` needs to ask the API server who may read its metrics (Kubernetes' own role for that), and the ClusterRole of those
 * who may. Apart from the rest, because a controller has no rights in the whole cluster for it unless somebody wants to read metrics.
 */
export function metricsObjects(namespace: string): readonly KubernetesObject[] {
  const reader: ClusterRole = {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name: FixedName.metricsReader, labels: controllerLabels },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  };
  const binding: ClusterRoleBinding = {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name: `isthmus-metrics-auth-${namespace}`, labels: controllerLabels },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'system:auth-delegator' },
    subjects: [{ kind: 'ServiceAccount', name: FixedName.controllerServiceAccount, namespace }],
  };
  return [reader, binding];
}
