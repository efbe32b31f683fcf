import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';
import { antreaConditions, clusterStatuses } from './cluster-conditions.ts';

const reference = s.object({
  clusterID: s.string().doc('ID of the cluster.').optional(),
  secret: s
    .string()
    .doc(
      "Name of the Secret, in the ClusterSet's own Namespace, that contains `ca.crt` and `token` for the leader's API server.",
    )
    .optional(),
  server: s.string().doc("URL of the leader's API server, such as https://192.0.2.10:6443.").optional(),
  serviceAccount: s
    .string()
    .doc('Legacy (v1alpha1): name of the ServiceAccount, in the leader Namespace, that the member uses.')
    .optional(),
});

/**
 * Both versions carry the union of their fields, so that an object written in one and read or
 * written in the other loses nothing. `clusterID` is required by v1alpha2's meaning but not by the
 * schema: a ClusterSet of v1alpha1 gets it from the ClusterClaim.
 */
const schema = s.object({
  spec: s
    .object({
      clusterID: s
        .string()
        .doc(
          'ID of the local cluster: an RFC 1123 name of at most 63 characters, unique in the ClusterSet, immutable while the cluster is a member. ' +
            'If it is empty, the controller sets it from the ClusterClaim id.k8s.io of the same Namespace.',
        )
        .optional(),
      leaders: s.array(reference).minItems(1).maxItems(1).doc('The leader cluster; exactly one.'),
      members: s.array(reference).doc('Legacy (v1alpha1): the member clusters. Read, never written.').optional(),
      namespace: s.string().doc('Namespace of the Common Area in the leader cluster.').optional(),
    })
    .doc('The membership of this cluster in the ClusterSet.')
    .optional(),
  status: s
    .object({
      clusterStatuses: clusterStatuses
        .doc('In the leader: one entry per member. In a member: one entry, for the leader.')
        .optional(),
      conditions: antreaConditions
        .doc(
          'Type Ready: on a leader, whether all members are connected; on a member, whether it participates. Other types report problems.',
        )
        .optional(),
      lastHeartbeatTime: s
        .dateTime()
        .doc(
          'When the controller of this cluster last looked at the status, to the minute. An older time shows that it does not run.',
        )
        .optional(),
      observedGeneration: s.int64().doc('The metadata.generation that this status refers to.').optional(),
      readyClusters: s.int32().doc('Number of clusters that are ready.').optional(),
      totalClusters: s.int32().doc('Number of known clusters.').optional(),
    })
    .doc('Status of the clusters, as observed by the controller of this cluster.')
    .optional(),
});

const columns = [
  column('Leader Cluster Namespace', '.spec.namespace', {
    description: 'Namespace of the Common Area in the leader cluster',
  }),
  column('Total Clusters', '.status.totalClusters', { description: 'Number of clusters in the ClusterSet' }),
  column('Ready Clusters', '.status.readyClusters', { description: 'Number of clusters that are ready' }),
  column('Cluster ID', '.spec.clusterID', { description: 'ID of this cluster' }),
  column('Ready', '.status.conditions[?(@.type=="Ready")].status', {
    description: 'On a leader: whether all members are connected; on a member: whether it participates',
  }),
  column('Reason', '.status.conditions[?(@.type=="Ready")].reason', { description: 'Reason of the condition Ready' }),
  // Every other condition reports a problem, and is absent without one; a column shows the first
  // value that it finds.
  column('Warning', '.status.conditions[?(@.type!="Ready")].type', {
    description: 'The first condition that reports another problem: see kubectl describe',
  }),
  column('Heartbeat', '.status.lastHeartbeatTime', {
    type: 'date',
    description: 'The time since the controller looked at the status: more than two minutes mean that it does not run',
  }),
  ageColumn,
];

export const clusterSets = defineResource({
  group: ApiGroup.multicluster,
  kind: 'ClusterSet',
  plural: 'clustersets',
  singular: 'clusterset',
  scope: 'Namespaced',
  docs:
    'A group of clusters that share Services and policies. One object in the controller Namespace of each cluster, with the same name ' +
    'everywhere: the name is the ID of the ClusterSet. Users write it; the controller of the cluster writes its status.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      deprecationWarning:
        'multicluster.crd.antrea.io/v1alpha1 ClusterSet is deprecated; use multicluster.crd.antrea.io/v1alpha2 ClusterSet with spec.clusterID',
      schema,
      columns,
      status: true,
    },
    { name: 'v1alpha2', storage: true, schema, columns, status: true },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
      kind: 'ClusterSet',
      metadata: { name: 'acme', namespace: 'kube-system' },
      spec: {
        clusterID: 'east',
        leaders: [{ clusterID: 'north', secret: 'member-east-token', server: 'https://192.0.2.10:6443' }],
        namespace: 'antrea-multicluster',
      },
    },
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
      kind: 'ClusterSet',
      metadata: { name: 'acme', namespace: 'antrea-multicluster' },
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: 'antrea-multicluster' },
    },
  ],
});

export const ClusterSet = clusterSets.version('v1alpha2');
export type ClusterSet = ObjectOf<typeof ClusterSet>;
/** The older form; the same objects. */
export const ClusterSetV1alpha1 = clusterSets.version('v1alpha1');
