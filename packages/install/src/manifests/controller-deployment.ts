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
  /** Of the image, as `sha256:…`. Absent: the tag alone decides. */
  readonly imageDigest?: string | undefined;
  /** The SHA-256 of a text, hexadecimal. */
  readonly sha256: (text: string) => string;
}

/** Of the Deployment and its container, as Antrea has it, so that ours takes its place. */
export const controllerDeploymentName = FixedName.controllerDeployment;
/** The name of the image, without tag and registry. */
export const controllerImage = 'isthmus/controller';
/** A kubelet keeps a mounted directory up to date, and a single mounted file (Antrea mounts one) as it was when the Pod started. */
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
 * The controller's Deployment (docs/spec/process.md §3). Ours differs: two replicas, of which the Lease lets one act; no host network, because
 * nothing dials the controller, so that a leader and a member can share a Node; no privileges at all. The Pod template carries the sha256 of
 * the installed configuration, so that a changed manifest restarts the Pods.
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
                // Health is served there.
                fromPod('POD_IP', 'status.podIP'),
                ...runtimeEnv,
              ],
              ports: containerPorts(role.ports),
              // Nothing of the disk: a Node whose kubelet does not measure it would take no such Pod (docs/spec/process.md §4).
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

/** A reference with both: a runtime goes by the digest, a reader by the tag. */
export function imageReference(
  image: string,
  { version, imageDigest }: Pick<ControllerOptions, 'version' | 'imageDigest'>,
): string {
  const tagged = `${image}:${version}`;
  return imageDigest === undefined ? tagged : `${tagged}@${imageDigest}`;
}

/** Where there is a choice, the replicas do not share a Node. */
export const preferDifferentNodes = onDifferentNodes(controllerLabels);
