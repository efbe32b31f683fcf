import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';

export const labelIdentities = defineResource({
  group: ApiGroup.multicluster,
  kind: 'LabelIdentity',
  plural: 'labelidentities',
  singular: 'labelidentity',
  scope: 'Cluster',
  docs:
    'A set of Namespace and Pod labels and its number in the whole ClusterSet, so that policies can select Pods of ' +
    'other clusters. The leader gives the number, and members import it, if `enableStretchedNetworkPolicy` is set.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: s.object({
        spec: s
          .object({
            id: s.int32().doc('The number, 1 to 16777214; never changed while the labels are in use.').optional(),
            label: s.string().doc('Labels of a Namespace and of a Pod in it: ns:<labels>&pod:<labels>.').optional(),
          })
          .doc('The labels and their number.')
          .optional(),
      }),
      columns: [
        column('Label', '.spec.label', { description: 'The labels' }),
        column('ID', '.spec.id', { description: 'The number of the labels' }),
        ageColumn,
      ],
    },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'LabelIdentity',
      metadata: { name: '84f96bdf70fe8425' },
      spec: { label: 'ns:kubernetes.io/metadata.name=test-ns&pod:purpose=test', id: 17 },
    },
  ],
});

export const LabelIdentity = labelIdentities.version('v1alpha1');
export type LabelIdentity = ObjectOf<typeof LabelIdentity>;
