import type { KubernetesObject } from '@isthmus/machinery';
import { crdOf } from '@isthmus/schema';
import { admissionObjects, controllerAdmissionObjects } from './admission-objects.ts';
import { controllerDisruptionBudget, controllerNetworkPolicy } from './availability-objects.ts';
import { memberFlowObjects } from './flow-objects.ts';
import { strictBindingsRule } from '../admission/announcements/account-bindings.ts';
import { strictIdentityRule } from '../admission/announcements/strict-identity.ts';
import type { RoleDefinition } from '../roles/role.ts';
import { rbacObjects } from '../roles/role-objects.ts';
import { allProcesses } from '../roles/roles.ts';
import { controllerConfigMap, controllerDeployment } from './controller-deployment.ts';
import type { ControllerOptions } from './controller-deployment.ts';

export type InstallOptions = Omit<ControllerOptions, 'role'>;

/**
 * The CustomResourceDefinitions for this role. A cluster has them once, for any number of
 * Namespaces.
 */
export function definitionObjects({ definitions }: RoleDefinition): readonly KubernetesObject[] {
  return definitions.map(crdOf);
}

/**
 * The access that the role's process needs in `namespace`, in the order of creation; see
 * {@link rbacObjects}.
 */
export function accessObjects(role: RoleDefinition, namespace: string): readonly KubernetesObject[] {
  return rbacObjects(role, namespace, allProcesses);
}

/**
 * The objects beside those of a leader, if all its members have accounts that name their cluster.
 */
export function strictIdentityObjects(namespace: string): readonly KubernetesObject[] {
  return admissionObjects([strictIdentityRule, strictBindingsRule], namespace);
}

/** The priority level of the clients to which this role issues tokens. */
export function flowObjects({ name }: RoleDefinition, namespace: string): readonly KubernetesObject[] {
  const issues = allProcesses.some(({ remote }) => remote.some(({ grantedBy }) => grantedBy === name));
  return issues ? memberFlowObjects(namespace) : [];
}

/**
 * All objects of this role in a cluster, except its CustomResourceDefinitions, in the order of
 * creation.
 */
export function controllerObjects(role: RoleDefinition, options: InstallOptions): readonly KubernetesObject[] {
  const { namespace } = options;
  return [
    ...accessObjects(role, namespace),
    ...controllerAdmissionObjects(role.admission, namespace),
    ...flowObjects(role, namespace),
    controllerConfigMap(namespace),
    controllerDisruptionBudget(namespace),
    controllerNetworkPolicy(role, namespace),
    controllerDeployment({ ...options, role }),
  ];
}
