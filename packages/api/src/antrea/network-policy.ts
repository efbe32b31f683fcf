import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { policyGroup } from '../names.ts';

/** A policy of Antrea for one Namespace. It has the name of the kind of Kubernetes. */
export interface AntreaNetworkPolicy extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
}

export const AntreaNetworkPolicy: ResourceType<AntreaNetworkPolicy> = {
  group: policyGroup,
  version: 'v1beta1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
};
