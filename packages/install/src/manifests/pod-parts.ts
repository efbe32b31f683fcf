// Parts that are the same in Pods of several processes.
import type { PodSpec } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import type { ServedPort } from '../roles/role.ts';
import { controllerMallocEnv, controllerNodeOptions } from './node-options.ts';

/** The usual user of images without a shell; any user except root would work. */
const anyUser = 65532;

export interface DaemonSet extends KubernetesObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly updateStrategy: object;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
  };
}

/** The security context of a Pod that needs no privileges. */
export const unprivilegedPod = {
  runAsNonRoot: true,
  runAsUser: anyUser,
  runAsGroup: anyUser,
  seccompProfile: { type: 'RuntimeDefault' },
} as const;

/** The security context of a container with these capabilities. */
export function restrictedContainer(capabilities: readonly string[] = []) {
  return {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'], ...(capabilities.length > 0 && { add: [...capabilities] }) },
  };
}

/** The environment of Node and the C library. */
export const runtimeEnv = [
  { name: 'NODE_OPTIONS', value: controllerNodeOptions },
  ...Object.entries(controllerMallocEnv).map(([key, value]) => ({ name: key, value })),
];

export function containerPorts(ports: readonly ServedPort[]) {
  return ports.map(({ name, port, protocol }) => ({ name, containerPort: port, protocol }));
}

export function fromPod(name: string, fieldPath: string) {
  // Server-side apply compares fieldRef as a whole, with the default of apiVersion.
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } };
}

interface ProbeTimes {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds: number;
  /**
   * Longer than the default of one second: on a busy Node a kubelet would restart processes that
   * work, which makes it busier.
   */
  readonly timeoutSeconds: number;
}

/** A probe of the port `health`. `host`: default the address of the Pod. */
export function healthProbe(path: '/healthz' | '/readyz', times: ProbeTimes, host?: string) {
  return { httpGet: { ...(host !== undefined && { host }), path, port: 'health' }, ...times };
}

/** The replicas with these labels do not share a Node if there is a choice. */
export function onDifferentNodes(matchLabels: Readonly<Record<string, string>>) {
  return {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: { labelSelector: { matchLabels }, topologyKey: 'kubernetes.io/hostname' },
        },
      ],
    },
  };
}

const socketFolder = '/var/run/wireguard';

/**
 * The directory in which `wireguard-go` listens and `wg` connects: a directory of the Node, because
 * they run in different Pods.
 */
export const wireGuardSockets = {
  name: 'wireguard',
  path: socketFolder,
  volume: { name: 'wireguard', hostPath: { path: socketFolder, type: 'DirectoryOrCreate' } },
} as const;
