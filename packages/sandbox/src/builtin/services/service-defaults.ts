import type { Stored } from '../../store/stored.ts';
import { compact } from '../field-rules.ts';
import { hasNodePorts, isReachable, serviceOf } from './service-shape.ts';

/** The defaults of v1 (measured on a real 1.36). */
export function serviceDefaults(object: Stored): Stored {
  const { spec, status } = serviceOf(object);
  const type = spec.type || 'ClusterIP';
  const affinity = spec.sessionAffinity || 'None';
  const ports = spec.ports?.map(({ name, protocol, appProtocol, port, targetPort, ...rest }) =>
    compact({
      name,
      protocol: protocol || 'TCP',
      appProtocol,
      port,
      targetPort: targetPort === undefined || targetPort === 0 || targetPort === '' ? port : targetPort,
      ...rest,
    }),
  );
  const next = { ...spec, type, ports, sessionAffinity: affinity };
  const timeout = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const affinityConfig =
    affinity === 'None' || (affinity === 'ClientIP' && timeout === undefined)
      ? { sessionAffinityConfig: affinity === 'None' ? undefined : { clientIP: { timeoutSeconds: 10_800 } } }
      : {};
  const isLoadBalancer = type === 'LoadBalancer';
  const ingress = status?.loadBalancer?.ingress;
  return {
    ...object,
    spec: compact({
      ...next,
      ...affinityConfig,
      ...(isReachable(next) && (spec.externalTrafficPolicy ?? '') === '' && { externalTrafficPolicy: 'Cluster' }),
      ...(spec.internalTrafficPolicy === undefined &&
        (hasNodePorts(next) || type === 'ClusterIP') && { internalTrafficPolicy: 'Cluster' }),
      ...(isLoadBalancer && { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true }),
    }),
    ...(isLoadBalancer &&
      ingress !== undefined && {
        status: {
          ...status,
          loadBalancer: {
            ingress: ingress.map((one) => ((one.ip ?? '') === '' ? one : { ...one, ipMode: one.ipMode ?? 'VIP' })),
          },
        },
      }),
  };
}
