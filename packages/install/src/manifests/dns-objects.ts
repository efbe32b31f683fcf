import { Deployment, Service } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { dns } from '../roles/dns.ts';
import { rbacObjects } from '../roles/role-objects.ts';
import { disruptionBudget, servedPortsPolicy } from './availability-objects.ts';
import type { ControllerOptions } from './controller-deployment.ts';
import { controllerImage, imageReference } from './controller-deployment.ts';
import {
  containerPorts,
  healthProbe,
  onDifferentNodes,
  restrictedContainer,
  runtimeEnv,
  unprivilegedPod,
} from './pod-parts.ts';

export type DnsInstallOptions = Pick<ControllerOptions, 'namespace' | 'version' | 'imageDigest'>;

const { labels, serviceAccount: name } = dns.installedAs;

/**
 * A DNS server for imported Services: two replicas behind a Service, and their access, in the order
 * of creation.
 */
export function dnsObjects(options: DnsInstallOptions): readonly KubernetesObject[] {
  const { namespace } = options;
  return [
    ...dnsAccessObjects(namespace),
    ...dnsAvailabilityObjects(namespace),
    dnsService(namespace),
    dnsDeployment(options),
  ];
}

/** The access that it needs. */
export function dnsAccessObjects(namespace: string): readonly KubernetesObject[] {
  return rbacObjects(dns, namespace, []);
}

/** The objects that keep a replica running, and close its other ports. */
export function dnsAvailabilityObjects(namespace: string): readonly KubernetesObject[] {
  const replicas = { name, namespace, labels };
  return [disruptionBudget(replicas), servedPortsPolicy(replicas, dns.ports)];
}

/** The Service to which the DNS servers of the cluster forward. */
export function dnsService(namespace: string): Service {
  return {
    apiVersion: apiVersionOf(Service),
    kind: Service.kind,
    metadata: { name, namespace, labels },
    spec: {
      selector: labels,
      ipFamilyPolicy: 'PreferDualStack',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 'dns-tcp' },
      ],
    },
  };
}

/** The Deployment of the DNS server. */
export function dnsDeployment(options: DnsInstallOptions): Deployment {
  const portOf = (wanted: string) => dns.ports.find((one) => one.name === wanted)?.port;
  return {
    apiVersion: apiVersionOf(Deployment),
    kind: Deployment.kind,
    metadata: { name, namespace: options.namespace, labels },
    spec: {
      replicas: 2,
      // A new replica is ready before an old one ends.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          priorityClassName: 'system-cluster-critical',
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          affinity: onDifferentNodes(labels),
          // Longer than the time for which it still answers after SIGTERM.
          terminationGracePeriodSeconds: 15,
          securityContext: unprivilegedPod,
          containers: [
            {
              name: 'dns',
              image: imageReference(controllerImage, options),
              imagePullPolicy: 'IfNotPresent',
              command: ['isthmus', 'dns'],
              args: [`--bind-address=:${portOf('dns')}`, `--metrics-bind-address=:${portOf('metrics')}`],
              env: runtimeEnv,
              ports: containerPorts(dns.ports),
              resources: { requests: { cpu: '100m', memory: '128Mi' } },
              livenessProbe: healthProbe('/healthz', {
                initialDelaySeconds: 15,
                periodSeconds: 20,
                timeoutSeconds: 10,
              }),
              readinessProbe: healthProbe('/readyz', { periodSeconds: 5, timeoutSeconds: 5 }),
              securityContext: restrictedContainer(),
            },
          ],
        },
      },
    },
  };
}
