import { agentPorts } from '@isthmus/dataplane';
import { ClusterRole, ClusterRoleBinding } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { rbacOf } from '../rbac/policy-rules.ts';
import { agent, agentAdmission, agentPolicies } from '../roles/agent.ts';
import { admissionObjects } from './admission-objects.ts';
import { rbacObjects } from '../roles/role-objects.ts';
import type { ControllerOptions } from './controller-deployment.ts';
import type { DaemonSet } from './pod-parts.ts';
import { imageReference } from './controller-deployment.ts';
import {
  containerPorts,
  fromPod,
  healthProbe,
  restrictedContainer,
  runtimeEnv,
  wireGuardSockets,
} from './pod-parts.ts';

export interface AgentInstallOptions extends Pick<ControllerOptions, 'namespace' | 'version' | 'imageDigest'> {
  /** The value of the flag of `isthmus agent run`. Default: none. */
  readonly trafficEncryptionMode?: string | undefined;
  /** The value of the flag of `isthmus agent run`. Default: that of {@link agentPorts}. */
  readonly wireGuardPort?: number | undefined;
  /**
   * The value of the flag of `isthmus agent run`; `true` also needs {@link agentPolicyObjects}.
   * Default: false.
   */
  readonly enableStretchedNetworkPolicy?: boolean | undefined;
}

/** The name of the image of the agent, without tag and registry. */
export const agentImage = 'isthmus/agent';
export const agentDaemonSetName = agent.installedAs.serviceAccount;
/** The argument of the agent that turns encryption on. */
export const encryptionArgument = (mode: string) => `--traffic-encryption-mode=${mode}`;
/** The argument of the agent that turns labels and policies on. */
export const policiesArgument = (isOn: boolean) => `--enable-stretched-network-policy=${isOn}`;

/**
 * The objects that a member needs beside its controller if agents forward its packets, in the order
 * of their creation. `namespace`: that of the controller.
 */
export function agentObjects(options: AgentInstallOptions): readonly KubernetesObject[] {
  const { namespace } = options;
  return [...agentAccessObjects(namespace), ...agentAdmissionObjects(namespace), agentDaemonSet(options)];
}

/** The access that agents need. */
export function agentAccessObjects(namespace: string): readonly KubernetesObject[] {
  return rbacObjects(agent, namespace, []);
}

/** The access that agents need to read labels and policies, if these are enabled. */
export function agentPolicyObjects(namespace: string): readonly KubernetesObject[] {
  const { labels, serviceAccount } = agent.installedAs;
  const metadata = { name: agentPolicies.name, labels };
  const apiVersion = apiVersionOf(ClusterRole);
  const role: ClusterRole = {
    apiVersion,
    kind: ClusterRole.kind,
    metadata,
    rules: rbacOf(agentPolicies.access, { at: 'local' }).all,
  };
  const binding: ClusterRoleBinding = {
    apiVersion,
    kind: ClusterRoleBinding.kind,
    metadata,
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: serviceAccount, namespace }],
  };
  return [role, binding];
}

/** The policies that restrict agents to the Leases of their Nodes. */
export function agentAdmissionObjects(namespace: string): readonly KubernetesObject[] {
  return admissionObjects(agentAdmission, namespace);
}

/**
 * An agent on each Node, in its network. It runs as root with only the capability to change the
 * network, because a container keeps a capability only as root. It has no preStop hook, and removes
 * nothing when it ends: the kernel forwards packets while the agent is replaced.
 */
export function agentDaemonSet(options: AgentInstallOptions): DaemonSet {
  const { labels, serviceAccount } = agent.installedAs;
  const { wireGuardPort = agentPorts.wireGuard } = options;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: agentDaemonSetName, namespace: options.namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: serviceAccount,
          hostNetwork: true,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          // On every Node, whatever its state: its Pods keep their connections.
          tolerations: [{ operator: 'Exists' }],
          priorityClassName: 'system-node-critical',
          terminationGracePeriodSeconds: 10,
          securityContext: { runAsUser: 0, runAsGroup: 0, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: agentDaemonSetName,
              image: imageReference(agentImage, options),
              imagePullPolicy: 'IfNotPresent',
              command: ['isthmus', 'agent', 'run'],
              args: [
                '--namespace=$(POD_NAMESPACE)',
                `--tunnel-port=${agentPorts.tunnel}`,
                encryptionArgument(options.trafficEncryptionMode ?? 'none'),
                `--wireguard-port=${wireGuardPort}`,
                policiesArgument(options.enableStretchedNetworkPolicy ?? false),
                `--health-probe-bind-address=${loopback}:${agentPorts.health}`,
                `--metrics-bind-address=:${agentPorts.metrics}`,
              ],
              env: [
                fromPod('NODE_NAME', 'spec.nodeName'),
                fromPod('POD_NAMESPACE', 'metadata.namespace'),
                ...runtimeEnv,
              ],
              // The scheduler keeps these ports of the Node's network free of other Pods.
              ports: containerPorts(
                agent.ports.map((one) => (one.port === agentPorts.wireGuard ? { ...one, port: wireGuardPort } : one)),
              ),
              resources: { requests: { cpu: '50m', memory: '96Mi' } },
              livenessProbe: healthProbe(
                '/healthz',
                { initialDelaySeconds: 15, periodSeconds: 20, timeoutSeconds: 10 },
                loopback,
              ),
              readinessProbe: healthProbe(
                '/readyz',
                { initialDelaySeconds: 1, periodSeconds: 5, timeoutSeconds: 5 },
                loopback,
              ),
              volumeMounts: [
                { name: keys, mountPath: '/tmp' },
                { name: wireGuardSockets.name, mountPath: wireGuardSockets.path },
              ],
              securityContext: restrictedContainer(['NET_ADMIN']),
            },
          ],
          volumes: [
            // `wg` reads a key from a file: the file is in memory, and exists only during the call.
            { name: keys, emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
            wireGuardSockets.volume,
          ],
        },
      },
    },
  };
}

const keys = 'keys';

/** On the Node itself: only its kubelet probes the health of an agent. */
const loopback = '127.0.0.1';
