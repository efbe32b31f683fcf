import { NetworkPolicy, PodDisruptionBudget } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import type { RoleDefinition, ServedPort } from '../roles/role.ts';
import { controllerLabels } from '../roles/controller-names.ts';
import { controllerDeploymentName } from './controller-deployment.ts';

/** The Pods of a Deployment: its name, and their labels, which the Deployment has as well. */
interface Replicas {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Lets a drained Node evict one replica at a time. */
export function disruptionBudget({ name, namespace, labels }: Replicas): PodDisruptionBudget {
  return {
    apiVersion: apiVersionOf(PodDisruptionBudget),
    kind: PodDisruptionBudget.kind,
    metadata: { name, namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}

/** Allows traffic to the served ports and to no other. Traffic from the Pods is not restricted. */
export function servedPortsPolicy({ name, namespace, labels }: Replicas, ports: readonly ServedPort[]): NetworkPolicy {
  return {
    apiVersion: apiVersionOf(NetworkPolicy),
    kind: NetworkPolicy.kind,
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ingress: [{ ports: ports.map(({ port, protocol }) => ({ port, protocol })) }],
    },
  };
}

const controllers = (namespace: string): Replicas => ({
  name: controllerDeploymentName,
  namespace,
  labels: controllerLabels,
});

/** The budget of a controller. */
export function controllerDisruptionBudget(namespace: string): PodDisruptionBudget {
  return disruptionBudget(controllers(namespace));
}

/**
 * The policy of a controller. A NetworkPolicy cannot contain DNS names, and a member connects to
 * the API servers of two clusters, so traffic from the Pods is not restricted.
 */
export function controllerNetworkPolicy({ ports }: Pick<RoleDefinition, 'ports'>, namespace: string): NetworkPolicy {
  return servedPortsPolicy(controllers(namespace), ports);
}
