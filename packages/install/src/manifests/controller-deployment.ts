import { ConfigMap, Deployment, FixedName } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import type { RoleDefinition } from '../roles/role.ts';
import { controllerLabels } from '../roles/controller-names.ts';
import { controllerConfigText } from './controller-config.ts';
import {
  containerPorts,
  fromPod,
  healthProbe,
  onDifferentNodes,
  restrictedContainer,
  runtimeEnv,
  unprivilegedPod,
} from './pod-parts.ts';

export interface ControllerOptions {
  readonly role: Pick<RoleDefinition, 'name' | 'ports'>;
  readonly namespace: string;
  /** Tag of the image: the version of this repository. */
  readonly version: string;
  /** The digest of the image, as `sha256:…`. Absent: the tag alone decides. */
  readonly imageDigest?: string | undefined;
  /** The SHA-256 of a text, hexadecimal. */
  readonly sha256: (text: string) => string;
}

/** The name of the Deployment and its container. It is Antrea's, so that ours replaces it. */
export const controllerDeploymentName = FixedName.controllerDeployment;
/** The name of the image, without tag and registry. */
export const controllerImage = 'isthmus/controller';
/**
 * A kubelet updates a mounted directory, but not a single mounted file (Antrea mounts one), which
 * stays as it was when the Pod started.
 */
const configDirectory = '/etc/isthmus';
const configPath = `${configDirectory}/${FixedName.configKey}`;

/** The ConfigMap with the controller's configuration file. */
export function controllerConfigMap(namespace: string): ConfigMap {
  return {
    apiVersion: apiVersionOf(ConfigMap),
    kind: ConfigMap.kind,
    metadata: { name: FixedName.configMap, namespace, labels: controllerLabels },
    data: { [FixedName.configKey]: controllerConfigText() },
  };
}

/**
 * The controller's Deployment (docs/spec/process.md §3). It differs from Antrea's. It has two
 * replicas, and the holder of the Lease acts. It has no host network, because no process dials the
 * controller, so a leader and a member can share a Node. It has no privileges at all. The Pod
 * template contains the sha256 of the installed configuration, so that a changed manifest restarts
 * the Pods.
 */
export function controllerDeployment(options: ControllerOptions): Deployment {
  const { role, namespace, sha256 } = options;
  return {
    apiVersion: apiVersionOf(Deployment),
    kind: Deployment.kind,
    metadata: { name: controllerDeploymentName, namespace, labels: controllerLabels },
    spec: {
      replicas: 2,
      selector: { matchLabels: controllerLabels },
      template: {
        metadata: {
          labels: controllerLabels,
          annotations: { 'checksum/config': sha256(controllerConfigText()) },
        },
        spec: {
          serviceAccountName: FixedName.controllerServiceAccount,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          affinity: preferDifferentNodes,
          terminationGracePeriodSeconds: 10,
          securityContext: unprivilegedPod,
          containers: [
            {
              name: controllerDeploymentName,
              image: imageReference(controllerImage, options),
              imagePullPolicy: 'IfNotPresent',
              command: ['isthmus', 'controller', role.name],
              args: [`--config=${configPath}`],
              env: [
                fromPod('POD_NAME', 'metadata.name'),
                fromPod('POD_UID', 'metadata.uid'),
                fromPod('POD_NAMESPACE', 'metadata.namespace'),
                // The address on which health is served.
                fromPod('POD_IP', 'status.podIP'),
                ...runtimeEnv,
              ],
              ports: containerPorts(role.ports),
              // Without a request for disk: a Node whose kubelet does not measure its disk would
              // not accept such a Pod (docs/spec/process.md §4).
              resources: { requests: { cpu: '200m', memory: '128Mi' } },
              livenessProbe: healthProbe('/healthz', {
                initialDelaySeconds: 15,
                periodSeconds: 20,
                timeoutSeconds: 10,
              }),
              readinessProbe: healthProbe('/readyz', { initialDelaySeconds: 5, periodSeconds: 10, timeoutSeconds: 5 }),
              securityContext: restrictedContainer(),
              volumeMounts: [{ name: 'config', mountPath: configDirectory, readOnly: true }],
            },
          ],
          volumes: [{ name: 'config', configMap: { name: FixedName.configMap } }],
        },
      },
    },
  };
}

/** A reference with both: a container runtime uses the digest, a reader the tag. */
export function imageReference(
  image: string,
  { version, imageDigest }: Pick<ControllerOptions, 'version' | 'imageDigest'>,
): string {
  const tagged = `${image}:${version}`;
  return imageDigest === undefined ? tagged : `${tagged}@${imageDigest}`;
}

/** The replicas do not share a Node if there is a choice. */
export const preferDifferentNodes = onDifferentNodes(controllerLabels);
