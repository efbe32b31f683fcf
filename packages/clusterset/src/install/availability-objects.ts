import { NetworkPolicy, PodDisruptionBudget } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import type { RoleDefinition } from '../roles/role.ts';
import { controllerLabels } from '../roles/controller-names.ts';
import { controllerDeploymentName } from './controller-deployment.ts';

/** Lets a drained Node evict one replica of a controller at a time. */
export function controllerDisruptionBudget(namespace: string): PodDisruptionBudget {
  return {
    apiVersion: apiVersionOf(PodDisruptionBudget),
    kind: PodDisruptionBudget.kind,
    metadata: { name: controllerDeploymentName, namespace, labels: controllerLabels },
    spec: { maxUnavailable: 1, selector: { matchLabels: controllerLabels } },
  };
}

/**
 * Lets in what a controller serves and nothing else. What it sends is not restricted: a policy knows no names, and a member reaches the API servers of
 * two clusters.
 */
export function controllerNetworkPolicy({ ports }: Pick<RoleDefinition, 'ports'>, namespace: string): NetworkPolicy {
  return {
    apiVersion: apiVersionOf(NetworkPolicy),
    kind: NetworkPolicy.kind,
    metadata: { name: controllerDeploymentName, namespace, labels: controllerLabels },
    spec: {
      podSelector: { matchLabels: controllerLabels },
      policyTypes: ['Ingress'],
      ingress: [{ ports: ports.map(({ port, protocol }) => ({ port, protocol })) }],
    },
  };
}
