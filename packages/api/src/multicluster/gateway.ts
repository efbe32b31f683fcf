import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';
import { wireGuardSchema } from './payloads.ts';

export const gateways = defineResource({
  group: ApiGroup.multicluster,
  kind: 'Gateway',
  plural: 'gateways',
  singular: 'gateway',
  scope: 'Namespaced',
  docs:
    'The Node through which a member reaches the other clusters. It has the name of the Node and is in the controller Namespace. The controller ' +
    'creates it for one of the Nodes with the annotation multicluster.antrea.io/gateway=true; users can also create it.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: s.object({
        gatewayIP: s.string().doc('Address of the tunnel endpoint for other clusters.').optional(),
        internalIP: s.string().doc('Address of the tunnel endpoint for other Nodes of this cluster.').optional(),
        serviceCIDR: s.string().doc('Service CIDR of this cluster.').optional(),
        wireGuard: wireGuardSchema.doc('WireGuard data of the gateway; written by the agent on the Node.').optional(),
      }),
      columns: [
        column('Gateway IP', '.gatewayIP', { description: 'Address for other clusters' }),
        column('Internal IP', '.internalIP', { description: 'Address within the cluster' }),
        ageColumn,
      ],
      status: true,
    },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'Gateway',
      metadata: { name: 'node-1', namespace: 'kube-system' },
      gatewayIP: '192.0.2.10',
      internalIP: '172.18.0.2',
      serviceCIDR: '10.96.0.0/12',
    },
  ],
});

export const Gateway = gateways.version('v1alpha1');
export type Gateway = ObjectOf<typeof Gateway>;
