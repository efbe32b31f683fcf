import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

/** A range of ClusterIPs; served since Kubernetes 1.33. */
export interface ServiceCIDR extends KubernetesObject {
  readonly spec?: { readonly cidrs?: readonly string[] | undefined } | undefined;
}

export const ServiceCIDR = builtIn<ServiceCIDR>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  statusSubresource: true,
});
