import { Label } from '@isthmus/api';
import { wireGuardDevice } from '@isthmus/dataplane';
import { agentImage } from './agent-objects.ts';
import type { AgentInstallOptions } from './agent-objects.ts';
import { imageReference } from './controller-deployment.ts';
import type { DaemonSet } from './pod-parts.ts';
import { wireGuardSockets } from './pod-parts.ts';

const name = 'isthmus-wireguard';

/** Nodes with this label run WireGuard in a process: gateways whose kernel does not have it. */
export const userspaceWireGuard: Readonly<Record<string, string>> = { [Label.wireGuard]: 'userspace' };

/**
 * WireGuard in user space, on the Nodes with its label. It has Pods of its own, because the device
 * and its key end with this process, and agents are replaced more often. For the same reason, a Pod
 * is replaced only when a user deletes it. The container must be privileged: otherwise, not every
 * container runtime lets it open `/dev/net/tun`. It has no credentials for the API server.
 */
export function wireGuardDaemonSet(options: Omit<AgentInstallOptions, 'trafficEncryptionMode'>): DaemonSet {
  const labels = { [Label.app]: 'isthmus', [Label.component]: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: options.namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'OnDelete' },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          hostNetwork: true,
          nodeSelector: { 'kubernetes.io/os': 'linux', ...userspaceWireGuard },
          tolerations: [{ operator: 'Exists' }],
          priorityClassName: 'system-node-critical',
          terminationGracePeriodSeconds: 5,
          containers: [
            {
              name,
              image: imageReference(agentImage, options),
              imagePullPolicy: 'IfNotPresent',
              command: ['wireguard-go', '--foreground', wireGuardDevice],
              env: [{ name: 'LOG_LEVEL', value: 'error' }],
              resources: { requests: { cpu: '50m', memory: '32Mi' } },
              readinessProbe: {
                exec: { command: ['wg', 'show', wireGuardDevice, 'listen-port'] },
                periodSeconds: 10,
                timeoutSeconds: 5,
              },
              volumeMounts: [{ name: wireGuardSockets.name, mountPath: wireGuardSockets.path }],
              securityContext: { privileged: true, readOnlyRootFilesystem: true, runAsUser: 0, runAsGroup: 0 },
            },
          ],
          volumes: [wireGuardSockets.volume],
        },
      },
    },
  };
}
