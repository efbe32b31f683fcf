import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';
import { antreaConditions } from './cluster-conditions.ts';
import { clusterInfoSchema } from './payloads.ts';

export const clusterInfoImports = defineResource({
  group: ApiGroup.multicluster,
  kind: 'ClusterInfoImport',
  plural: 'clusterinfoimports',
  singular: 'clusterinfoimport',
  scope: 'Namespaced',
  docs:
    'The network of another cluster of the ClusterSet: its CIDRs and gateways. Named <clusterID>-clusterinfo, in the controller ' +
    'Namespace; written by the controller, read by the data plane.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: s.object({
        spec: clusterInfoSchema.optional(),
        status: s
          .object({ conditions: antreaConditions.doc('Types Ready, NetworkConflict and Reachable.').optional() })
          .doc('Whether the network of the cluster can be used here.')
          .optional(),
      }),
      columns: [
        column('Cluster ID', '.spec.clusterID', { description: 'ID of the other cluster' }),
        column('Service CIDR', '.spec.serviceCIDR', { description: 'Service CIDR of the other cluster' }),
        column('Reachable', '.status.conditions[?(@.type=="Reachable")].status', {
          description: 'Whether gateways of the cluster answer probes',
        }),
        ageColumn,
      ],
      status: true,
    },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ClusterInfoImport',
      metadata: { name: 'east-clusterinfo', namespace: 'kube-system' },
      spec: {
        clusterID: 'east',
        serviceCIDR: '10.96.0.0/12',
        podCIDRs: ['10.10.0.0/16'],
        gatewayInfos: [{ gatewayIP: '192.0.2.10' }],
      },
    },
  ],
});

export const ClusterInfoImport = clusterInfoImports.version('v1alpha1');
export type ClusterInfoImport = ObjectOf<typeof ClusterInfoImport>;
