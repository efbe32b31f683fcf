import type { Stored } from '../../store/stored.ts';

/** A decoded Service, as far as its rules look at it. */
export interface ServiceShape extends Stored {
  readonly spec: ServiceSpec;
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly Ingress[] } } | undefined;
}

export interface ServiceSpec {
  readonly type?: string | undefined;
  readonly ports?: readonly ServicePort[] | undefined;
  readonly selector?: Readonly<Record<string, string>> | undefined;
  readonly clusterIP?: string | undefined;
  readonly clusterIPs?: readonly string[] | undefined;
  readonly ipFamilies?: readonly string[] | undefined;
  readonly ipFamilyPolicy?: string | undefined;
  readonly externalIPs?: readonly string[] | undefined;
  readonly externalName?: string | undefined;
  readonly sessionAffinity?: string | undefined;
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } } | undefined;
  readonly loadBalancerIP?: string | undefined;
  readonly loadBalancerSourceRanges?: readonly string[] | undefined;
  readonly loadBalancerClass?: string | undefined;
  readonly allocateLoadBalancerNodePorts?: boolean | undefined;
  readonly externalTrafficPolicy?: string | undefined;
  readonly internalTrafficPolicy?: string | undefined;
  readonly trafficDistribution?: string | undefined;
  readonly healthCheckNodePort?: number | undefined;
}

export interface ServicePort {
  readonly name?: string | undefined;
  readonly protocol?: string | undefined;
  readonly port: number;
  readonly targetPort?: number | string | undefined;
  readonly nodePort?: number | undefined;
  readonly appProtocol?: string | undefined;
}

export interface Ingress {
  readonly ip?: string | undefined;
  readonly ipMode?: string | undefined;
  readonly hostname?: string | undefined;
}

export const serviceOf = (object: Stored): ServiceShape => ({ ...object, spec: object['spec'] ?? {} });

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec) => clusterIPs.length === 1 && clusterIPs[0] === 'None';

export const hasClusterIP = ({ type }: ServiceSpec) => type !== 'ExternalName';

export const hasNodePorts = ({ type }: ServiceSpec) => type === 'NodePort' || type === 'LoadBalancer';

/** Whether a Service can be reached from outside the cluster. */
export const isReachable = ({ type, externalIPs = [] }: ServiceSpec) =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);

export const isHealthChecked = ({ type, externalTrafficPolicy }: ServiceSpec) =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

export const sameList = (a: readonly string[] = [], b: readonly string[] = []) =>
  a.length === b.length && a.every((one, index) => one === b[index]);
