import { s } from '@isthmus/schema';
import type { Infer } from '@isthmus/schema';

/**
 * core/v1 ServiceSpec with every field of Kubernetes 1.36: also the payload of a Service's
 * ResourceExport.
 */

const sessionAffinityConfig = s
  .object({
    clientIP: s
      .object({
        timeoutSeconds: s
          .int32()
          .doc('How long a client keeps its endpoint, in seconds: 1 to 86400; the default is 10800.')
          .optional(),
      })
      .doc('Affinity by client IP.')
      .optional(),
  })
  .doc('Details of session affinity.');

export const servicePortSchema = s.object({
  appProtocol: s.string().doc('Application protocol of the port, as a hint.').optional(),
  name: s.string().doc('Name of the port, a DNS label; optional if there is only one port.').optional(),
  nodePort: s.int32().doc('Port on every Node, for types NodePort and LoadBalancer.').optional(),
  port: s.int32().doc('Port of the Service.'),
  protocol: s.string().doc('TCP, UDP or SCTP.').default('TCP'),
  targetPort: s.intOrString().doc('Port of the Pods, by number or by name.').optional(),
});

export const serviceSpecSchema = s
  .object({
    allocateLoadBalancerNodePorts: s
      .boolean()
      .doc('Whether node ports are allocated for a Service of type LoadBalancer.')
      .optional(),
    clusterIP: s.string().doc('Address of the Service, or None for a headless one.').optional(),
    clusterIPs: s.atomicArray(s.string()).doc('Addresses of the Service, one per IP family.').optional(),
    externalIPs: s
      .atomicArray(s.string())
      .doc('Addresses that Kubernetes does not manage and that route to the Service.')
      .optional(),
    externalName: s.string().doc('DNS name of a Service of type ExternalName.').optional(),
    externalTrafficPolicy: s.string().doc('Cluster or Local, for traffic from outside the cluster.').optional(),
    healthCheckNodePort: s
      .int32()
      .doc('Port on every Node for health checks: reports whether the Node has endpoints.')
      .optional(),
    internalTrafficPolicy: s.string().doc('Cluster or Local, for traffic from within the cluster.').optional(),
    ipFamilies: s.atomicArray(s.string()).doc('IPv4, IPv6, in the order of clusterIPs.').optional(),
    ipFamilyPolicy: s.string().doc('SingleStack, PreferDualStack or RequireDualStack.').optional(),
    loadBalancerClass: s.string().doc('Class of the load balancer implementation.').optional(),
    loadBalancerIP: s.string().doc('Requested address of the load balancer; deprecated in Kubernetes.').optional(),
    loadBalancerSourceRanges: s.atomicArray(s.string()).doc('Client CIDRs that the load balancer accepts.').optional(),
    ports: s.mapBy(['port', 'protocol'], servicePortSchema).doc('Ports of the Service.').optional(),
    publishNotReadyAddresses: s.boolean().doc('Whether endpoints count as ready before their Pods are.').optional(),
    selector: s.record(s.string()).doc('Labels of the Pods behind the Service.').optional(),
    sessionAffinity: s.string().doc('None or ClientIP.').optional(),
    sessionAffinityConfig: sessionAffinityConfig.optional(),
    trafficDistribution: s.string().doc('Preference for near endpoints, as a hint.').optional(),
    type: s.string().doc('ClusterIP, NodePort, LoadBalancer or ExternalName.').optional(),
  })
  .doc('core/v1 ServiceSpec.');

export { sessionAffinityConfig as sessionAffinityConfigSchema };
export type ServicePort = Infer<typeof servicePortSchema>;
export type ServiceSpec = Infer<typeof serviceSpecSchema>;
