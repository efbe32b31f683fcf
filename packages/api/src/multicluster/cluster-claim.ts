import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';

/** Both versions carry the union of their fields: see ClusterSet. */
const schema = s.object({
  name: s
    .string()
    .doc('Legacy (v1alpha1): the name of the claim, id.k8s.io or clusterSet.k8s.io. In v1alpha2 it is metadata.name.')
    .optional(),
  value: s.string().doc('The ID of the cluster or of the ClusterSet.'),
});

export const clusterClaims = defineResource({
  group: ApiGroup.multicluster,
  kind: 'ClusterClaim',
  plural: 'clusterclaims',
  singular: 'clusterclaim',
  scope: 'Namespaced',
  docs:
    'Legacy: the ID of the cluster (claim id.k8s.io) or of its ClusterSet (claim clusterset.k8s.io). Replaced by spec.clusterID of ClusterSet, ' +
    'to which the controller copies the value of the claim. Users create it; controllers only read it.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      deprecationWarning:
        'multicluster.crd.antrea.io/v1alpha1 ClusterClaim is deprecated; set spec.clusterID of ClusterSet instead, or use multicluster.crd.antrea.io/v1alpha2 ClusterClaim',
      schema,
      columns: [column('Claim', '.name'), column('Value', '.value'), ageColumn],
    },
    { name: 'v1alpha2', storage: true, schema, columns: [column('Value', '.value'), ageColumn] },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
      kind: 'ClusterClaim',
      metadata: { name: 'id.k8s.io', namespace: 'kube-system' },
      value: 'east',
    },
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ClusterClaim',
      metadata: { name: 'east-id', namespace: 'kube-system' },
      name: 'id.k8s.io',
      value: 'east',
    },
  ],
});

export const ClusterClaim = clusterClaims.version('v1alpha2');
export type ClusterClaim = ObjectOf<typeof ClusterClaim>;
