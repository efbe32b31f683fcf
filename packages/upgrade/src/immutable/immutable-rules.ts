import type { ImmutableRule } from './immutable-rule.ts';

const selector = 'labels of a selector cannot change in apps/v1';
const role = 'the roleRef of a binding cannot change';
const sealed = 'the object is marked immutable';

/**
 * The fields that API servers do not let a client change, by kind (docs/spec/upgrades.md §2.6). One
 * row may list several fields; each kind has one row for each action.
 */
export const immutableRules: readonly ImmutableRule[] = [
  { group: 'apps', kind: 'Deployment', fields: ['spec.selector'], action: 'recreate-foreground', why: selector },
  { group: 'apps', kind: 'DaemonSet', fields: ['spec.selector'], action: 'recreate-foreground', why: selector },
  { group: 'apps', kind: 'ReplicaSet', fields: ['spec.selector'], action: 'recreate-foreground', why: selector },
  {
    group: 'apps',
    kind: 'StatefulSet',
    allBelow: 'spec',
    fields: [
      'spec.replicas',
      'spec.template',
      'spec.updateStrategy',
      'spec.minReadySeconds',
      'spec.ordinals',
      'spec.persistentVolumeClaimRetentionPolicy',
      'spec.revisionHistoryLimit',
    ],
    action: 'block',
    why: 'a StatefulSet can change only replicas, template, strategies and limits, and its claims hold data',
  },
  {
    group: 'batch',
    kind: 'Job',
    fields: [
      'spec.selector',
      'spec.template',
      'spec.completionMode',
      'spec.podFailurePolicy',
      'spec.successPolicy',
      'spec.backoffLimitPerIndex',
      'spec.managedBy',
    ],
    action: 'recreate-foreground',
    why: 'the template of a Job cannot change',
  },
  {
    group: '',
    kind: 'Service',
    fields: ['spec.clusterIP', 'spec.clusterIPs'],
    action: 'recreate-foreground',
    why: 'the address of a Service cannot change',
  },
  {
    group: '',
    kind: 'Service',
    fields: ['spec.ipFamilies'],
    when: 'shrinks',
    action: 'recreate-foreground',
    why: 'the primary IP family of a Service cannot change',
  },
  {
    group: 'rbac.authorization.k8s.io',
    kind: 'RoleBinding',
    fields: ['roleRef'],
    action: 'recreate-foreground',
    why: role,
  },
  {
    group: 'rbac.authorization.k8s.io',
    kind: 'ClusterRoleBinding',
    fields: ['roleRef'],
    action: 'recreate-foreground',
    why: role,
  },
  {
    group: '',
    kind: 'PersistentVolumeClaim',
    allBelow: 'spec',
    fields: ['spec.volumeAttributesClassName'],
    when: 'does-not-only-grow',
    action: 'block',
    why: 'a claim can change only its storage request (upwards) and attributes, and it holds data',
  },
  {
    group: '',
    kind: 'PersistentVolume',
    fields: volumeSources(),
    action: 'block',
    why: 'the source of a volume cannot change, and it holds data',
  },
  {
    group: 'storage.k8s.io',
    kind: 'StorageClass',
    fields: ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'],
    action: 'recreate-foreground',
    why: 'existing objects depend on the class',
  },
  {
    group: 'networking.k8s.io',
    kind: 'IngressClass',
    fields: ['spec.controller'],
    action: 'recreate-foreground',
    why: 'the controller of a class cannot change',
  },
  {
    group: 'scheduling.k8s.io',
    kind: 'PriorityClass',
    fields: ['value', 'preemptionPolicy'],
    action: 'recreate-foreground',
    why: 'the value and the policy of a class cannot change',
  },
  {
    group: 'node.k8s.io',
    kind: 'RuntimeClass',
    fields: ['handler'],
    action: 'recreate-foreground',
    why: 'the handler of a class cannot change',
  },
  {
    group: '',
    kind: 'ConfigMap',
    fields: ['data', 'binaryData', 'immutable'],
    when: 'is-marked-immutable',
    action: 'recreate-foreground',
    why: sealed,
  },
  {
    group: '',
    kind: 'Secret',
    fields: ['data', 'stringData', 'type', 'immutable'],
    when: 'is-marked-immutable',
    action: 'recreate-foreground',
    why: sealed,
  },
  { group: '', kind: 'Secret', fields: ['type'], action: 'recreate-foreground', why: 'the type of a Secret is fixed' },
  {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    fields: ['spec.group', 'spec.names.plural', 'spec.scope', 'spec.names.kind'],
    action: 'block',
    why: 'it would be another resource, and stored objects of the old one would be lost',
  },
  {
    group: 'storage.k8s.io',
    kind: 'CSIDriver',
    // Its other flags can be changed, fsGroupPolicy and podInfoOnMount from 1.29 on.
    fields: ['spec.attachRequired', 'spec.volumeLifecycleModes'],
    action: 'recreate-foreground',
    why: 'the capabilities of a driver cannot change',
  },
];

function volumeSources(): readonly string[] {
  const sources = ['csi', 'nfs', 'local', 'hostPath', 'iscsi', 'fc', 'cephfs', 'rbd', 'awsElasticBlockStore', 'cinder'];
  const rare = [
    'flexVolume',
    'flocker',
    'glusterfs',
    'photonPersistentDisk',
    'portworxVolume',
    'quobyte',
    'scaleIO',
    'storageos',
  ];
  const clouds = ['azureDisk', 'azureFile', 'gcePersistentDisk', 'vsphereVolume'];
  return [...sources, ...clouds, ...rare].map((one) => `spec.${one}`);
}
