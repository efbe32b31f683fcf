/** One way in which an object of our kinds is wrong. */
export interface InvalidObject {
  readonly what: string;
  readonly kind: string;
  readonly version: string;
  /** Beside apiVersion and kind; metadata, where absent, is right. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const clusterSet = (what: string, spec: unknown): InvalidObject => ({
  what,
  kind: 'ClusterSet',
  version: 'v1alpha2',
  fields: { spec },
});
const resourceExport = (what: string, spec: unknown): InvalidObject => ({
  what,
  kind: 'ResourceExport',
  version: 'v1alpha1',
  fields: { spec },
});
const resourceImport = (what: string, spec: unknown): InvalidObject => ({
  what,
  kind: 'ResourceImport',
  version: 'v1alpha1',
  fields: { spec },
});
const serviceImport = (what: string, spec: unknown): InvalidObject => ({
  what,
  kind: 'ServiceImport',
  version: 'v1beta1',
  fields: { spec },
});
const named = (what: string, metadata: unknown): InvalidObject => ({
  what,
  kind: 'ServiceExport',
  version: 'v1beta1',
  fields: { metadata },
});
const condition = {
  type: 'Valid',
  status: 'True',
  reason: 'Valid',
  message: '',
  lastTransitionTime: '2026-11-21T10:00:00Z',
};
const exportStatus = (what: string, conditions: unknown): InvalidObject => ({
  what,
  kind: 'ServiceExport',
  version: 'v1beta1',
  fields: { status: { conditions } },
});

/** Each is refused by us and by a real API server with the same words. */
export const invalidObjects: readonly InvalidObject[] = [
  clusterSet('no leaders', {}),
  clusterSet('an empty list of leaders', { leaders: [] }),
  clusterSet('two leaders', { leaders: [{ clusterID: 'a' }, { clusterID: 'b' }] }),
  clusterSet('a leader that is text', { leaders: ['north'] }),
  clusterSet('a cluster ID that is a number', { clusterID: 1, leaders: [{}] }),
  clusterSet('a spec that is a list', []),
  {
    what: 'no leaders, in the old form',
    kind: 'ClusterSet',
    version: 'v1alpha1',
    fields: { spec: { members: [{ clusterID: 3 }] } },
  },
  { what: 'no value', kind: 'ClusterClaim', version: 'v1alpha1', fields: { name: 'id.k8s.io' } },
  { what: 'a value that is a number', kind: 'ClusterClaim', version: 'v1alpha2', fields: { value: 7 } },
  {
    what: 'a cluster ID that is an object',
    kind: 'MemberClusterAnnounce',
    version: 'v1alpha1',
    fields: { clusterID: {} },
  },
  resourceExport('a port without a number', { service: { serviceSpec: { ports: [{ name: 'http' }] } } }),
  resourceExport('a port beyond 32 bits', { service: { serviceSpec: { ports: [{ port: 2_147_483_648 }] } } }),
  resourceExport('a port that is a fraction', { service: { serviceSpec: { ports: [{ port: 80.5 }] } } }),
  resourceExport('a target port that is a list', {
    service: { serviceSpec: { ports: [{ port: 80, targetPort: [] }] } },
  }),
  resourceExport('a port given twice', {
    service: {
      serviceSpec: { ports: [{ port: 80 }, { name: 'b', port: 80, protocol: 'TCP' }, { port: 80, protocol: 'UDP' }] },
    },
  }),
  resourceExport('an address without an IP', { endpoints: { subsets: [{ addresses: [{ hostname: 'a' }] }] } }),
  resourceExport('a slice of an unknown kind', { endpointSlices: [{ addressType: 'IPX', endpoints: [] }] }),
  resourceExport('a slice without endpoints', { endpointSlices: [{ addressType: 'IPv4' }] }),
  resourceExport('an endpoint without addresses', {
    endpointSlices: [{ addressType: 'IPv4', endpoints: [{ conditions: { ready: 'yes' } }] }],
  }),
  resourceExport('a policy without a priority, a rule without an action', {
    clusterNetworkPolicy: { ingress: [{ name: 'a' }] },
  }),
  resourceExport('a policy peer that is text', { clusterNetworkPolicy: { priority: 1, appliedTo: ['all'] } }),
  resourceExport('data that is not base64', { raw: { data: '***' } }),
  resourceImport('a cluster ID that is text', { clusterID: 'east' }),
  resourceImport('an import without ports and type', { serviceImport: { spec: {} } }),
  resourceImport('an import of an unknown type', { serviceImport: { spec: { ports: [], type: 'ClusterIP' } } }),
  resourceImport('a label identity beyond 32 bits', { labelIdentity: { id: 4_294_967_296, label: 'a' } }),
  serviceImport('no ports', { type: 'Headless' }),
  serviceImport('an unknown type', { ports: [], type: 'headless' }),
  serviceImport('three addresses', { ports: [], type: 'ClusterSetIP', ips: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] }),
  {
    what: 'a cluster given twice, an unknown word for slices',
    kind: 'ServiceImport',
    version: 'v1alpha1',
    fields: { status: { clusters: [{ cluster: 'a' }, { cluster: 'a' }], endpointSliceObjects: 'Some' } },
  },
  exportStatus('a condition without its fields', [{}]),
  exportStatus('a reason that is no word', [{ ...condition, reason: 'not a word' }]),
  exportStatus('an empty reason', [{ ...condition, reason: '' }]),
  exportStatus('a reason too long', [{ ...condition, reason: 'A'.repeat(1025) }]),
  exportStatus('a message too long', [{ ...condition, message: 'é'.repeat(32_769) }]),
  exportStatus('an unknown status', [{ ...condition, status: 'true' }]),
  exportStatus('a time that is none', [{ ...condition, lastTransitionTime: 'now' }]),
  exportStatus('a negative generation', [{ ...condition, observedGeneration: -1 }]),
  exportStatus('a type given twice', [condition, { ...condition, status: 'False' }]),
  {
    what: 'labels that are numbers',
    kind: 'ServiceExport',
    version: 'v1beta1',
    fields: { spec: { exportedLabels: { a: 1 } } },
  },
  { what: 'an ID that is text', kind: 'LabelIdentity', version: 'v1alpha1', fields: { spec: { id: '17' } } },
  { what: 'an address that is a list', kind: 'Gateway', version: 'v1alpha1', fields: { gatewayIP: ['192.0.2.1'] } },
  {
    what: 'a range that is a number',
    kind: 'ClusterInfoImport',
    version: 'v1alpha1',
    fields: { spec: { podCIDRs: [10], gatewayInfos: {} } },
  },
  named('a name in capitals', { name: 'Cart', namespace: 'default' }),
  named('no name', { namespace: 'default' }),
  named('a bad label', { name: 'cart', namespace: 'default', labels: { 'a b': 'c', d: 'e f' } }),
  named('a bad annotation', { name: 'cart', namespace: 'default', annotations: { '-a': '' } }),
  named('a bad finalizer', { name: 'cart', namespace: 'default', finalizers: ['a b'] }),
  named('a nameless owner', {
    name: 'cart',
    namespace: 'default',
    ownerReferences: [{ apiVersion: 'v1', kind: '', name: '', uid: '' }],
  }),
];
