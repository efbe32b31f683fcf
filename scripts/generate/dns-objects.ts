import {
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '@isthmus/api';
import { controllerMallocEnv, controllerNodeOptions, rbacOf } from '@isthmus/clusterset';
import { namesAccess } from '@isthmus/dataplane';
import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';

export interface DnsObjectsOptions {
  readonly namespace: string;
  /** With its tag, and its digest where it has one. */
  readonly image: string;
}

const name = 'isthmus-dns';
const labels = { app: name };
const ports = { dns: 5353, health: 8080, metrics: 8081 } as const;
/** Any that isn't root. */
const anyUser = 65532;

/** A server of names: two replicas behind a Service, and what they may do, in the order in which it is to be created. */
export function dnsObjects({ namespace, image }: DnsObjectsOptions): readonly KubernetesObject[] {
  const account: ServiceAccount = {
    apiVersion: apiVersionOf(ServiceAccount),
    kind: ServiceAccount.kind,
    metadata: { name, namespace, labels },
  };
  const role: ClusterRole = {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name, labels },
    rules: rbacOf(namesAccess, { at: 'local' }).all,
  };
  const binding: ClusterRoleBinding = {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name, labels },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
  const budget: PodDisruptionBudget = {
    apiVersion: apiVersionOf(PodDisruptionBudget),
    kind: PodDisruptionBudget.kind,
    metadata: { name, namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
  const policy: NetworkPolicy = {
    apiVersion: apiVersionOf(NetworkPolicy),
    kind: NetworkPolicy.kind,
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ingress: [
        {
          ports: [
            { port: ports.dns, protocol: 'UDP' },
            { port: ports.dns, protocol: 'TCP' },
            { port: ports.health, protocol: 'TCP' },
            { port: ports.metrics, protocol: 'TCP' },
          ],
        },
      ],
    },
  };
  const service: Service = {
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
  return [account, role, binding, budget, policy, service, deployment({ namespace, image })];
}

function deployment({ namespace, image }: DnsObjectsOptions): Deployment {
  return {
    apiVersion: apiVersionOf(Deployment),
    kind: Deployment.kind,
    metadata: { name, namespace, labels },
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
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
                },
              ],
            },
          },
          // Longer than it answers after SIGTERM.
          terminationGracePeriodSeconds: 15,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: anyUser,
            runAsGroup: anyUser,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'dns',
              image,
              imagePullPolicy: 'IfNotPresent',
              command: ['isthmus', 'dns'],
              args: [`--bind-address=:${ports.dns}`, `--metrics-bind-address=:${ports.metrics}`],
              env: [
                { name: 'NODE_OPTIONS', value: controllerNodeOptions },
                ...Object.entries(controllerMallocEnv).map(([key, value]) => ({ name: key, value })),
              ],
              ports: [
                { name: 'dns', containerPort: ports.dns, protocol: 'UDP' },
                { name: 'dns-tcp', containerPort: ports.dns, protocol: 'TCP' },
                { name: 'health', containerPort: ports.health, protocol: 'TCP' },
                { name: 'metrics', containerPort: ports.metrics, protocol: 'TCP' },
              ],
              resources: { requests: { cpu: '100m', memory: '128Mi' } },
              livenessProbe: {
                httpGet: { path: '/healthz', port: 'health' },
                initialDelaySeconds: 15,
                periodSeconds: 20,
                timeoutSeconds: 10,
              },
              readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 5, timeoutSeconds: 5 },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
}
