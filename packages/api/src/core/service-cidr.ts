import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { BuiltInCondition } from './built-in.ts';

/** networking.k8s.io/v1 ServiceCIDR, from Kubernetes 1.33 on; the one called `kubernetes` holds the cluster's own range. */
export interface ServiceCIDR extends KubernetesObject {
  readonly spec?: { readonly cidrs?: readonly string[] | undefined } | undefined;
  readonly status?: { readonly conditions?: readonly BuiltInCondition[] | undefined } | undefined;
}

export const ServiceCIDR = builtIn<ServiceCIDR>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  statusSubresource: true,
});
