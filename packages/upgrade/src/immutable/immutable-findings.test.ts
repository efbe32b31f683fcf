import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { immutableFindings, servesWebhooks } from './immutable-findings.ts';
import { immutableRules } from './immutable-rules.ts';

const object = (apiVersion: string, kind: string, rest: object): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', namespace: 'n' },
  ...rest,
});

const deployment = (labels: object, expressions?: readonly object[], pods: object = labels) =>
  object('apps/v1', 'Deployment', {
    spec: {
      selector: { matchLabels: labels, ...(expressions === undefined ? {} : { matchExpressions: expressions }) },
      template: { metadata: { labels: pods } },
    },
  });
const statefulSet = (spec: object) => object('apps/v1', 'StatefulSet', { spec });
const service = (spec: object) => object('v1', 'Service', { spec });
const binding = (kind: string, roleRef: object) => object('rbac.authorization.k8s.io/v1', kind, { roleRef });
const claim = (storage: string, more: object = {}) =>
  object('v1', 'PersistentVolumeClaim', { spec: { resources: { requests: { storage } }, ...more } });
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'one' };

/**
 * The live object, the object in the manifest, and the action; undefined: the server accepts the
 * change.
 */
const cases: readonly (readonly [string, KubernetesObject, KubernetesObject, string | undefined])[] = [
  [
    'the selector of antrea-mc-controller as it was changed after 1.5.0',
    deployment({ app: 'antrea', component: 'antrea-mc-controller' }),
    deployment({ app: 'antrea-mc', component: 'antrea-mc-controller' }),
    'recreate-foreground',
  ],
  ['the same selector', deployment({ app: 'a' }), deployment({ app: 'a' }), undefined],
  [
    'expressions in another order',
    deployment({ app: 'a' }, [
      { key: 'x', operator: 'Exists' },
      { key: 'app', operator: 'In', values: ['b', 'a'] },
    ]),
    deployment(
      { app: 'a' },
      [
        { key: 'app', operator: 'In', values: ['a', 'b'] },
        { key: 'x', operator: 'Exists' },
      ],
      { app: 'a', x: '1' },
    ),
    undefined,
  ],
  [
    'an expression more',
    deployment({ app: 'a' }),
    deployment({ app: 'a' }, [{ key: 'app', operator: 'Exists' }]),
    'recreate-foreground',
  ],
  [
    'labels that the selector does not match',
    deployment({ app: 'a' }),
    deployment({ app: 'a' }, undefined, { app: 'b' }),
    'block',
  ],
  [
    'a claim template of a StatefulSet',
    statefulSet({ serviceName: 's', volumeClaimTemplates: [{ metadata: { name: 'd' } }], replicas: 1 }),
    statefulSet({ serviceName: 's', volumeClaimTemplates: [{ metadata: { name: 'e' } }], replicas: 3 }),
    'block',
  ],
  [
    'replicas of a StatefulSet',
    statefulSet({ serviceName: 's', replicas: 1 }),
    statefulSet({ serviceName: 's', replicas: 3 }),
    undefined,
  ],
  [
    'an address that the server assigned',
    service({ clusterIP: '10.0.0.1', ipFamilies: ['IPv4'] }),
    service({ ports: [] }),
    undefined,
  ],
  ['an address that is left to the server', service({ clusterIP: '10.0.0.1' }), service({ clusterIP: '' }), undefined],
  [
    'a Service that becomes headless',
    service({ clusterIP: '10.0.0.1' }),
    service({ clusterIP: 'None' }),
    'recreate-foreground',
  ],
  ['a family more', service({ ipFamilies: ['IPv4'] }), service({ ipFamilies: ['IPv4', 'IPv6'] }), undefined],
  [
    'a family less',
    service({ ipFamilies: ['IPv4', 'IPv6'] }),
    service({ ipFamilies: ['IPv4'] }),
    'recreate-foreground',
  ],
  [
    'another first family',
    service({ ipFamilies: ['IPv4'] }),
    service({ ipFamilies: ['IPv6', 'IPv4'] }),
    'recreate-foreground',
  ],
  [
    'the roleRef of a RoleBinding',
    binding('RoleBinding', role),
    binding('RoleBinding', { ...role, name: 'two' }),
    'recreate-foreground',
  ],
  [
    'a roleRef without the group that is filled in',
    binding('ClusterRoleBinding', role),
    binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'one' }),
    undefined,
  ],
  ['a claim that grows', claim('1Gi', { volumeName: 'pv-1' }), claim('1536Mi'), undefined],
  ['a claim that grows, in other words', claim('1Gi'), claim('2e9'), undefined],
  ['a claim that grows to exbibytes', claim('1Gi'), claim('1Ei'), undefined],
  ['a claim that shrinks, in other words', claim('1Gi'), claim('1e9'), 'block'],
  [
    'another class of the attributes of a claim',
    claim('1Gi', { volumeAttributesClassName: 'silver' }),
    claim('1Gi', { volumeAttributesClassName: 'gold' }),
    undefined,
  ],
  ['a claim that shrinks', claim('1Gi'), claim('1G'), 'block'],
  [
    'another class of a claim',
    claim('1Gi', { storageClassName: 'a' }),
    claim('1Gi', { storageClassName: 'b' }),
    'block',
  ],
  [
    'another source of a volume',
    object('v1', 'PersistentVolume', { spec: { nfs: { server: 'a', path: '/' } } }),
    object('v1', 'PersistentVolume', { spec: { nfs: { server: 'b', path: '/' } } }),
    'block',
  ],
  [
    'the provisioner of a StorageClass',
    object('storage.k8s.io/v1', 'StorageClass', { provisioner: 'a' }),
    object('storage.k8s.io/v1', 'StorageClass', { provisioner: 'b' }),
    'recreate-foreground',
  ],
  [
    'the value of a PriorityClass',
    object('scheduling.k8s.io/v1', 'PriorityClass', { value: 1 }),
    object('scheduling.k8s.io/v1', 'PriorityClass', { value: 2 }),
    'recreate-foreground',
  ],
  [
    'the controller of an IngressClass',
    object('networking.k8s.io/v1', 'IngressClass', { spec: { controller: 'a/b' } }),
    object('networking.k8s.io/v1', 'IngressClass', { spec: { controller: 'a/c' } }),
    'recreate-foreground',
  ],
  [
    'the handler of a RuntimeClass',
    object('node.k8s.io/v1', 'RuntimeClass', { handler: 'a' }),
    object('node.k8s.io/v1', 'RuntimeClass', { handler: 'b' }),
    'recreate-foreground',
  ],
  [
    'data of a ConfigMap that is marked immutable',
    object('v1', 'ConfigMap', { immutable: true, data: { a: '1' } }),
    object('v1', 'ConfigMap', { immutable: true, data: { a: '2' } }),
    'recreate-foreground',
  ],
  [
    'data of a ConfigMap',
    object('v1', 'ConfigMap', { data: { a: '1' } }),
    object('v1', 'ConfigMap', { data: { a: '2' } }),
    undefined,
  ],
  [
    'a sealed ConfigMap that would lose a key',
    object('v1', 'ConfigMap', { immutable: true, data: { a: '1', b: '2' } }),
    object('v1', 'ConfigMap', { immutable: true, data: { a: '1' } }),
    'recreate-foreground',
  ],
  [
    'the scope of a CRD',
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      spec: { group: 'g', scope: 'Cluster', names: { kind: 'A', plural: 'as' } },
    }),
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      spec: { group: 'g', scope: 'Namespaced', names: { kind: 'A', plural: 'as' } },
    }),
    'block',
  ],
  [
    'a flag of a CSIDriver',
    object('storage.k8s.io/v1', 'CSIDriver', { spec: { attachRequired: true } }),
    object('storage.k8s.io/v1', 'CSIDriver', { spec: { attachRequired: false } }),
    'recreate-foreground',
  ],
  [
    'a flag of a CSIDriver that can be changed',
    object('storage.k8s.io/v1', 'CSIDriver', { spec: { fsGroupPolicy: 'File' } }),
    object('storage.k8s.io/v1', 'CSIDriver', { spec: { fsGroupPolicy: 'None' } }),
    undefined,
  ],
  [
    'what a Job does when Pods fail',
    object('batch/v1', 'Job', { spec: { podFailurePolicy: { rules: [{ action: 'Ignore' }] } } }),
    object('batch/v1', 'Job', { spec: { podFailurePolicy: { rules: [{ action: 'FailJob' }] } } }),
    'recreate-foreground',
  ],
  [
    'how many Pods of a Job run at a time',
    object('batch/v1', 'Job', { spec: { parallelism: 1 } }),
    object('batch/v1', 'Job', { spec: { parallelism: 2 } }),
    undefined,
  ],
  [
    'another source of a volume of Cinder',
    object('v1', 'PersistentVolume', { spec: { cinder: { volumeID: 'a' } } }),
    object('v1', 'PersistentVolume', { spec: { cinder: { volumeID: 'b' } } }),
    'block',
  ],
  [
    'the capacity of a volume',
    object('v1', 'PersistentVolume', { spec: { capacity: { storage: '1Gi' } } }),
    object('v1', 'PersistentVolume', { spec: { capacity: { storage: '2Gi' } } }),
    undefined,
  ],
  [
    'the template of a Job',
    object('batch/v1', 'Job', { spec: { template: { spec: { containers: [{ name: 'a', image: 'a:1' }] } } } }),
    object('batch/v1', 'Job', { spec: { template: { spec: { containers: [{ name: 'a', image: 'a:2' }] } } } }),
    'recreate-foreground',
  ],
  [
    'a kind without rules',
    object('example.org/v1', 'Thing', { spec: 1 }),
    object('example.org/v1', 'Thing', { spec: 2 }),
    undefined,
  ],
];

/** The fields of each kind that cannot change, and fields that can. */
const kinds: readonly (readonly [
  apiVersion: string,
  kind: string,
  action: string,
  fixed: string,
  free: string,
  more?: object,
])[] = [
  ['apps/v1', 'Deployment', 'recreate-foreground', 'spec.selector', 'spec.replicas spec.strategy'],
  ['apps/v1', 'DaemonSet', 'recreate-foreground', 'spec.selector', 'spec.updateStrategy'],
  ['apps/v1', 'ReplicaSet', 'recreate-foreground', 'spec.selector', 'spec.replicas'],
  [
    'apps/v1',
    'StatefulSet',
    'block',
    'spec.serviceName spec.selector spec.podManagementPolicy spec.volumeClaimTemplates',
    'spec.replicas spec.template spec.updateStrategy spec.minReadySeconds spec.ordinals spec.persistentVolumeClaimRetentionPolicy spec.revisionHistoryLimit',
  ],
  [
    'batch/v1',
    'Job',
    'recreate-foreground',
    'spec.selector spec.template spec.completionMode spec.podFailurePolicy spec.successPolicy spec.backoffLimitPerIndex spec.managedBy',
    'spec.parallelism spec.suspend spec.ttlSecondsAfterFinished spec.activeDeadlineSeconds',
  ],
  [
    'v1',
    'Service',
    'recreate-foreground',
    'spec.clusterIP spec.clusterIPs',
    'spec.ports spec.selector spec.type spec.externalName spec.ipFamilyPolicy',
  ],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'recreate-foreground', 'roleRef', 'subjects'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'recreate-foreground', 'roleRef', 'subjects'],
  [
    'v1',
    'PersistentVolumeClaim',
    'block',
    'spec.accessModes spec.selector spec.storageClassName spec.volumeMode spec.volumeName spec.dataSource',
    'spec.volumeAttributesClassName',
  ],
  [
    'v1',
    'PersistentVolume',
    'block',
    'spec.csi spec.nfs spec.local spec.hostPath spec.iscsi spec.fc spec.cephfs spec.rbd spec.awsElasticBlockStore spec.cinder ' +
      'spec.azureDisk spec.azureFile spec.gcePersistentDisk spec.vsphereVolume spec.flexVolume spec.flocker spec.glusterfs ' +
      'spec.photonPersistentDisk spec.portworxVolume spec.quobyte spec.scaleIO spec.storageos',
    'spec.capacity spec.persistentVolumeReclaimPolicy spec.storageClassName spec.mountOptions',
  ],
  [
    'storage.k8s.io/v1',
    'StorageClass',
    'recreate-foreground',
    'provisioner parameters reclaimPolicy volumeBindingMode',
    'allowVolumeExpansion mountOptions',
  ],
  ['networking.k8s.io/v1', 'IngressClass', 'recreate-foreground', 'spec.controller', 'spec.parameters'],
  [
    'scheduling.k8s.io/v1',
    'PriorityClass',
    'recreate-foreground',
    'value preemptionPolicy',
    'description globalDefault',
  ],
  ['node.k8s.io/v1', 'RuntimeClass', 'recreate-foreground', 'handler', 'overhead scheduling'],
  ['v1', 'ConfigMap', 'recreate-foreground', '', 'data binaryData immutable'],
  ['v1', 'ConfigMap', 'recreate-foreground', 'data binaryData', '', { immutable: true }],
  ['v1', 'Secret', 'recreate-foreground', 'type', 'data stringData immutable'],
  ['v1', 'Secret', 'recreate-foreground', 'type data stringData', '', { immutable: true }],
  [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'block',
    'spec.group spec.scope spec.names.plural spec.names.kind',
    'spec.names.singular spec.names.shortNames spec.versions spec.conversion',
  ],
  [
    'storage.k8s.io/v1',
    'CSIDriver',
    'recreate-foreground',
    'spec.attachRequired spec.volumeLifecycleModes',
    'spec.fsGroupPolicy spec.podInfoOnMount spec.storageCapacity spec.tokenRequests',
  ],
];

/** An object in which one field has this value. */
const withValue = (path: string, value: unknown): object =>
  path
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as object;

const changes = kinds.flatMap(([apiVersion, kind, action, fixed, free, more = {}]) => {
  const of = (fields: string, expected: string | undefined) =>
    fields
      .split(' ')
      .flatMap((field) => (field === '' ? [] : [[kind, field, expected, { apiVersion, more }] as const]));
  return [...of(fixed, action), ...of(free, undefined)];
});

describe('fields that cannot change', () => {
  it.each(cases)('%s', (_what, live, target, action) => {
    expect(immutableFindings(live, target)?.action).toBe(action);
  });

  it.each(changes)('%s: another value of %s: %s', (kind, field, action, { apiVersion, more }) => {
    const isSelector = field === 'spec.selector';
    const valueOf = (name: string) => (isSelector ? { matchLabels: { app: name } } : { x: name });
    // A workload's selector matches its own Pods.
    const pods = (name: string) =>
      isSelector && apiVersion === 'apps/v1' ? { template: { metadata: { labels: { app: name } } } } : {};
    const having = (name: string) => {
      const { spec, ...rest } = withValue(field, valueOf(name)) as { readonly spec?: object };
      return object(apiVersion, kind, {
        ...more,
        ...(spec !== undefined && { spec: { ...pods(name), ...spec } }),
        ...rest,
      });
    };
    expect(immutableFindings(having('a'), having('a'))?.action).toBeUndefined();
    const found = immutableFindings(having('a'), having('b'));
    expect(found?.action).toBe(action);
    if (action !== undefined) expect(found?.changes.map((one) => one.field)).toEqual([field]);
  });

  it.each(['ConfigMap', 'Secret'])('the mark of an immutable %s, removed', (kind) => {
    const marked = object('v1', kind, { immutable: true });
    const changed = immutableFindings(marked, object('v1', kind, { immutable: false }));
    expect(changed).toMatchObject({ action: 'recreate-foreground', changes: [{ field: 'immutable' }] });
    expect(immutableFindings(marked, object('v1', kind, {}))?.action).toBe('recreate-foreground');
    expect(immutableFindings(object('v1', kind, {}), marked)?.action).toBeUndefined();
  });

  it('has both values, and none of a Secret', () => {
    const found = immutableFindings(deployment({ app: 'a' }), deployment({ app: 'b' }));
    expect(found?.changes).toEqual([
      { field: 'spec.selector', live: '{"matchLabels":{"app":"a"}}', target: '{"matchLabels":{"app":"b"}}' },
    ]);
    expect(found?.why).toContain('field is immutable');
    const secret = (type: string) => object('v1', 'Secret', { type, data: { token: 'c2VjcmV0' } });
    expect(immutableFindings(secret('a'), secret('b'))?.changes).toEqual([{ field: 'type' }]);
  });

  it('a controller is recreated while its Pods stay where that is asked for, but never one that answers webhooks', () => {
    const [live, target] = [deployment({ app: 'a' }), deployment({ app: 'b' })];
    expect(immutableFindings(live, target, { orphan: true })?.action).toBe('recreate-orphan');
    expect(immutableFindings(live, target, { orphan: true, servesWebhooks: true })?.action).toBe('recreate-foreground');
  });

  it('each row of the table gives its reason, and no kind has a field twice under one condition', () => {
    const keys = immutableRules.flatMap((rule) =>
      (rule.allBelow === undefined ? rule.fields : [rule.allBelow]).map(
        (field) => `${rule.group} ${rule.kind} ${field} ${rule.when ?? ''}`,
      ),
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(immutableRules.filter(({ why }) => why === '')).toEqual([]);
  });
});

describe('what answers webhooks', () => {
  const target = deployment({ app: 'a' });
  const behind = service({ selector: { app: 'a' } });
  const hook = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', {
    webhooks: [{ clientConfig: { service: { namespace: 'n', name: 'x' } } }],
  });
  const conversion = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    spec: { conversion: { webhook: { clientConfig: { service: { namespace: 'n', name: 'x' } } } } },
  });

  it.each([
    ['an admission webhook names its Service', [behind, hook], true],
    ['a conversion names its Service', [behind, conversion], true],
    ['nothing names its Service', [behind], false],
    ['the Service selects other Pods', [service({ selector: { app: 'b' } }), hook], false],
    ['the Service is not in the manifest', [hook], false],
  ])('%s', (_what, manifest, serves) => {
    expect(servesWebhooks(target, manifest)).toBe(serves);
  });
});
