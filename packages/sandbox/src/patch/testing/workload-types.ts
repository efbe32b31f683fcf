import { objectMetaType } from '../../typed/object-meta-type.ts';
import type { FieldNode, ListNode, ScalarType, StructNode, TypeNode } from '../../typed/type-node.ts';

/**
 * Types of some kinds of the API server, as far as the cases of strategic merge patches need them;
 * other fields have any type.
 */
const struct = (goName: string, fields: Readonly<Record<string, TypeNode>>): StructNode => ({
  kind: 'struct',
  goName,
  atomic: false,
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, type]): [string, FieldNode] => [name, { type, pointer: false, omit: 'empty' }]),
  ),
});
const scalar = (type: ScalarType): TypeNode => ({ kind: 'scalar', scalar: type });
const text = scalar('string');
const texts: TypeNode = { kind: 'map', values: text, atomic: false };
const quantities: TypeNode = { kind: 'map', values: scalar('quantity'), atomic: false };
const list = (items: TypeNode): ListNode => ({ kind: 'list', items, listType: 'atomic', keys: [] });
const merged = (items: TypeNode, mergeKey: string): ListNode => ({ ...list(items), patch: { mergeKey } });

const envVar = struct('EnvVar', {
  name: text,
  value: text,
  valueFrom: struct('EnvVarSource', { fieldRef: struct('ObjectFieldSelector', { apiVersion: text, fieldPath: text }) }),
});

const container = struct('Container', {
  name: text,
  image: text,
  command: list(text),
  args: list(text),
  env: merged(envVar, 'name'),
  ports: merged(
    struct('ContainerPort', { name: text, containerPort: scalar('int32'), protocol: text }),
    'containerPort',
  ),
  volumeMounts: merged(
    struct('VolumeMount', { name: text, mountPath: text, readOnly: scalar('boolean') }),
    'mountPath',
  ),
  resources: struct('ResourceRequirements', { limits: quantities, requests: quantities }),
  imagePullPolicy: text,
  terminationMessagePath: text,
  terminationMessagePolicy: text,
});

const podSpec = struct('PodSpec', {
  containers: merged(container, 'name'),
  initContainers: merged(container, 'name'),
  volumes: merged(
    struct('Volume', {
      name: text,
      emptyDir: struct('EmptyDirVolumeSource', { medium: text }),
      configMap: struct('ConfigMapVolumeSource', { name: text, defaultMode: scalar('int32') }),
    }),
    'name',
  ),
  imagePullSecrets: merged(struct('LocalObjectReference', { name: text }), 'name'),
  tolerations: list(struct('Toleration', { key: text, operator: text, effect: text })),
  hostAliases: merged(struct('HostAlias', { ip: text, hostnames: list(text) }), 'ip'),
  nodeSelector: texts,
  restartPolicy: text,
  dnsPolicy: text,
  schedulerName: text,
  securityContext: struct('PodSecurityContext', { runAsUser: scalar('int64') }),
  terminationGracePeriodSeconds: scalar('int64'),
});

const rollingUpdate = struct('RollingUpdateDeployment', {
  maxSurge: scalar('intOrString'),
  maxUnavailable: scalar('intOrString'),
});

export const workloadTypes: Readonly<Record<'Deployment' | 'Service', StructNode>> = {
  Deployment: struct('Deployment', {
    apiVersion: text,
    kind: text,
    metadata: objectMetaType,
    spec: struct('DeploymentSpec', {
      replicas: scalar('int32'),
      paused: scalar('boolean'),
      selector: struct('LabelSelector', { matchLabels: texts }),
      strategy: struct('DeploymentStrategy', { type: text, rollingUpdate }),
      template: struct('PodTemplateSpec', { metadata: objectMetaType, spec: podSpec }),
      progressDeadlineSeconds: scalar('int32'),
      revisionHistoryLimit: scalar('int32'),
    }),
    status: struct('DeploymentStatus', { replicas: scalar('int32') }),
  }),
  Service: struct('Service', {
    apiVersion: text,
    kind: text,
    metadata: objectMetaType,
    spec: struct('ServiceSpec', {
      ports: merged(
        struct('ServicePort', { name: text, port: scalar('int32'), protocol: text, targetPort: scalar('intOrString') }),
        'port',
      ),
      selector: texts,
      type: text,
      clusterIP: text,
      clusterIPs: list(text),
      externalIPs: list(text),
      sessionAffinity: text,
      ipFamilies: list(text),
      ipFamilyPolicy: text,
      internalTrafficPolicy: text,
    }),
    status: struct('ServiceStatus', { loadBalancer: struct('LoadBalancerStatus', {}) }),
  }),
};
