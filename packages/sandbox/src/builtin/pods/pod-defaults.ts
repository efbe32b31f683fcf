import { below, fieldDefaults } from '../shape/field-defaults.ts';
import type { StructNode } from '../../typed/type-node.ts';
import { builtInType } from '../types/load.ts';
import { isLatest } from './image-tag.ts';
import type { Container, PodSpec, Resources, Volume } from './pod-spec.ts';

const ofHandlers = { 'httpGet.path': '/', 'httpGet.scheme': 'HTTP' };

const ofProbes = {
  ...ofHandlers,
  'grpc.service': '',
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};

const ofContainers = {
  'ports[].protocol': 'TCP',
  'env[].valueFrom.fieldRef.apiVersion': 'v1',
  ...below('livenessProbe', ofProbes),
  ...below('readinessProbe', ofProbes),
  ...below('startupProbe', ofProbes),
  ...below('lifecycle.postStart', ofHandlers),
  ...below('lifecycle.preStop', ofHandlers),
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

/** The default mode of files: 0644. */
const fileMode = 420;

const ofVolumes = {
  'secret.defaultMode': fileMode,
  'configMap.defaultMode': fileMode,
  'hostPath.type': '',
  'downwardAPI.defaultMode': fileMode,
  'downwardAPI.items[].fieldRef.apiVersion': 'v1',
  'projected.defaultMode': fileMode,
  'projected.sources[].downwardAPI.items[].fieldRef.apiVersion': 'v1',
  'projected.sources[].serviceAccountToken.expirationSeconds': 3600,
};

const fill = fieldDefaults(builtInType('v1', 'Pod').fields['spec']?.type as StructNode, {
  ...below('volumes[]', ofVolumes),
  ...below('initContainers[]', ofContainers),
  ...below('ephemeralContainers[]', ofContainers),
  ...below('containers[]', ofContainers),
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
});

/**
 * A Pod's spec with the defaults of core/v1 (measured on 1.36). `inTemplate`: for that of a
 * template, requests and Service links get no defaults.
 */
export function podSpecDefaults(given: PodSpec, inTemplate: boolean): PodSpec {
  const spec = fill(given);
  const { volumes, initContainers, ephemeralContainers, containers, terminationGracePeriodSeconds: grace = 0 } = spec;
  const inContainer = (container: Container): Container => {
    if (inTemplate) return withPullPolicy(container);
    return withPullPolicy(withRequests(spec.hostNetwork === true ? withHostPorts(container) : container));
  };
  const account = spec.serviceAccountName || spec.serviceAccount;
  return {
    ...spec,
    ...(volumes !== undefined && { volumes: volumes.map(withSource) }),
    ...(initContainers !== undefined && { initContainers: initContainers.map(inContainer) }),
    ...(ephemeralContainers !== undefined && { ephemeralContainers: ephemeralContainers.map(withPullPolicy) }),
    containers: containers === undefined || containers === null ? containers : containers.map(inContainer),
    // A negative grace period becomes one second in a Pod, but not in a template.
    ...(grace < 0 && !inTemplate && { terminationGracePeriodSeconds: 1 }),
    // The deprecated name of the field has the same value as the new one.
    ...(account && { serviceAccountName: account, serviceAccount: account }),
    ...(!inTemplate && { enableServiceLinks: spec.enableServiceLinks ?? true }),
  };
}

/** A limit without a request is also the request. */
function withRequests(container: Container): Container {
  const { resources } = container;
  if (resources?.limits === undefined) return container;
  const requests: Resources['requests'] = { ...resources.limits, ...resources.requests };
  return { ...container, resources: { ...resources, requests: inOrder(requests) } };
}

/** Keys as Go writes those of a map. */
function inOrder(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** In the network of its Node, a container has its ports there. */
function withHostPorts(container: Container): Container {
  if (container.ports === undefined) return container;
  const ports = container.ports.map((port) => {
    const { hostPort = 0, containerPort = 0 } = port;
    return hostPort === 0 && containerPort !== 0 ? { ...port, hostPort: containerPort } : port;
  });
  return { ...container, ports };
}

function withPullPolicy<C extends Container>(container: C): C {
  const usual = isLatest(container.image ?? '') ? 'Always' : 'IfNotPresent';
  return { ...container, imagePullPolicy: container.imagePullPolicy || usual };
}

/** A volume without a source is an empty directory. */
function withSource(volume: Volume): Volume {
  return Object.keys(volume).every((key) => key === 'name') ? { ...volume, emptyDir: {} } : volume;
}
