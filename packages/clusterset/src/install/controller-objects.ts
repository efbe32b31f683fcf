import { customResources, leaderResources } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { crdOf } from '@isthmus/schema';
import { leaderRbac, memberRbac } from '../rbac/controller-rbac.ts';
import { controllerConfigMap, controllerDeployment } from './controller-deployment.ts';
import type { ControllerOptions } from './controller-deployment.ts';

export type InstallOptions = Omit<ControllerOptions, 'role'>;

/** What a leader cluster has once, whatever the number of its Common Areas: its CustomResourceDefinitions. */
export function leaderDefinitions(): readonly KubernetesObject[] {
  return leaderResources.map(crdOf);
}

/**
 * The CustomResourceDefinitions of a member cluster. The leader's are among them, because a dual-role cluster may be set up by applying
 * these first and then only what is namespaced of the leader.
 */
export function memberDefinitions(): readonly KubernetesObject[] {
  return customResources.map(crdOf);
}

/** What stands in the Namespace of a leader, in the order in which it is to be created; nothing of it is cluster-scoped. */
export function leaderObjects(options: InstallOptions): readonly KubernetesObject[] {
  const { namespace } = options;
  return [
    ...leaderRbac(namespace),
    controllerConfigMap(namespace),
    controllerDeployment({ ...options, role: 'leader' }),
  ];
}

/** What a member cluster has beside its CustomResourceDefinitions, in the order in which it is to be created. */
export function memberObjects(options: InstallOptions): readonly KubernetesObject[] {
  const { namespace } = options;
  return [
    ...memberRbac(namespace),
    controllerConfigMap(namespace),
    controllerDeployment({ ...options, role: 'member' }),
  ];
}
