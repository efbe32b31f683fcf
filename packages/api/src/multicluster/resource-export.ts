import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { serviceSpecSchema } from '../core/service-spec.ts';
import { ApiGroup, Label, SourceKind, managedByIsthmus } from '../names.ts';
import { antreaConditions } from './cluster-conditions.ts';
import {
  clusterInfoSchema,
  clusterNetworkPolicySchema,
  endpointSlicesPayloadSchema,
  endpointsPayloadSchema,
  externalEntitySpecSchema,
  rawSchema,
} from './payloads.ts';

export const resourceExports = defineResource({
  group: ApiGroup.multicluster,
  kind: 'ResourceExport',
  plural: 'resourceexports',
  singular: 'resourceexport',
  scope: 'Namespaced',
  docs:
    'A resource that one cluster exports to the ClusterSet, in the Common Area. Members create it; the leader merges the exports of all ' +
    'members into ResourceImports and writes the status. Administrators create the ResourceExports of kind AntreaClusterNetworkPolicy.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: s.object({
        spec: s
          .object({
            clusterID: s.string().doc('The exporting cluster.').optional(),
            clusterInfo: clusterInfoSchema.optional(),
            clusterNetworkPolicy: clusterNetworkPolicySchema.optional(),
            endpointSlices: endpointSlicesPayloadSchema.optional(),
            endpoints: endpointsPayloadSchema.optional(),
            externalEntity: s
              .object({ externalEntitySpec: externalEntitySpecSchema.optional() })
              .doc('Never used; part of the wire.')
              .optional(),
            kind: s
              .string()
              .doc(
                `Kind of the exported resource: ${SourceKind.service}, ${SourceKind.endpoints}, ${SourceKind.clusterInfo}, ` +
                  `${SourceKind.labelIdentity} or ${SourceKind.clusterNetworkPolicy}.`,
              )
              .optional(),
            labelIdentity: s
              .object({
                normalizedLabel: s.string().doc('Labels of a Namespace and of a Pod in it, in one string.').optional(),
              })
              .doc('A set of labels of Pods of the cluster.')
              .optional(),
            name: s.string().doc('Name of the exported resource.').optional(),
            namespace: s.string().doc('Namespace of the exported resource.').optional(),
            raw: rawSchema.optional(),
            service: s
              .object({ serviceSpec: serviceSpecSchema.optional() })
              .doc('The exported Service: the fields that other clusters need.')
              .optional(),
          })
          .doc('The exported resource and its cluster. kind decides which one of the other fields is set.')
          .optional(),
        status: s
          .object({
            conditions: antreaConditions
              .doc(
                'Types Succeeded and Failure: whether the leader merged the export. Type Conflict: whether exporters disagree.',
              )
              .optional(),
          })
          .doc('Result of the merge in the leader.')
          .optional(),
      }),
      columns: [
        column('Cluster ID', '.spec.clusterID', { description: 'The exporting cluster' }),
        column('Kind', '.spec.kind', { description: 'Kind of the exported resource' }),
        column('Namespace', '.spec.namespace', { description: 'Namespace of the exported resource' }),
        column('Name', '.spec.name', { description: 'Name of the exported resource' }),
        column('Merged', '.status.conditions[?(@.type=="Succeeded")].status', {
          description:
            'Whether the leader has merged the export; empty if it has not answered, has rejected the export, or has published it and no other cluster exports the same',
        }),
        column('Failure', '.status.conditions[?(@.type=="Failure")].reason', {
          description: 'Why the leader does not publish the export: see kubectl describe',
        }),
        column('Conflict', '.status.conditions[?(@.type=="Conflict")].status', {
          description: 'Whether the exports of several clusters differ',
        }),
        ageColumn,
      ],
      status: true,
    },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceExport',
      metadata: {
        name: 'west-shop-cart-service',
        namespace: 'antrea-multicluster',
        finalizers: ['resourceexport.antrea.io/finalizer'],
        labels: { sourceName: 'cart', sourceNamespace: 'shop', sourceClusterID: 'west', sourceKind: 'Service' },
      },
      spec: {
        clusterID: 'west',
        kind: 'Service',
        namespace: 'shop',
        name: 'cart',
        service: { serviceSpec: { ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }] } },
      },
    },
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceExport',
      metadata: {
        name: 'west-shop-cart-endpoints',
        namespace: 'antrea-multicluster',
        finalizers: ['resourceexport.antrea.io/finalizer'],
        labels: { sourceName: 'cart', sourceNamespace: 'shop', sourceClusterID: 'west', sourceKind: 'Endpoints' },
      },
      spec: {
        clusterID: 'west',
        kind: 'Endpoints',
        namespace: 'shop',
        name: 'cart',
        endpoints: {
          subsets: [{ addresses: [{ ip: '10.97.0.10' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }],
        },
        endpointSlices: [
          {
            addressType: 'IPv4',
            endpoints: [{ addresses: ['10.97.0.10'], conditions: { ready: true } }],
            ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
          },
        ],
      },
    },
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceExport',
      metadata: { name: 'strict-namespace-isolation', namespace: 'antrea-multicluster' },
      spec: {
        kind: 'AntreaClusterNetworkPolicy',
        name: 'strict-namespace-isolation',
        clusterNetworkPolicy: {
          priority: 1,
          tier: 'securityops',
          appliedTo: [{ namespaceSelector: {} }],
          ingress: [
            { action: 'Pass', from: [{ namespaces: { match: 'Self' } }] },
            { action: 'Drop', from: [{ namespaceSelector: {} }] },
          ],
        },
      },
    },
  ],
});

export const ResourceExport = resourceExports.version('v1alpha1');
export type ResourceExport = ObjectOf<typeof ResourceExport>;
