import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { serviceImportSpecSchema, serviceImportStatusSchema } from '../mcs/service-import.ts';
import { ApiGroup, Label, SourceKind, managedByIsthmus } from '../names.ts';
import { clusterStatuses } from './cluster-conditions.ts';
import {
  clusterInfoSchema,
  clusterNetworkPolicySchema,
  endpointSlicesPayloadSchema,
  endpointsPayloadSchema,
  externalEntitySpecSchema,
  rawSchema,
} from './payloads.ts';

/**
 * The payload keys are Antrea's: some all in lower case where ResourceExport has capitals, and
 * `clusterID` a list.
 */
export const resourceImports = defineResource({
  group: ApiGroup.multicluster,
  kind: 'ResourceImport',
  plural: 'resourceimports',
  singular: 'resourceimport',
  scope: 'Namespaced',
  docs:
    'A resource that every member imports, in the Common Area: the leader merges it from ResourceExports. ' +
    'The leader writes it; members import it, and delete their imported objects when it is deleted.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: s.object({
        spec: s
          .object({
            clusterID: s
              .array(s.string())
              .doc(
                'Set if the merged import has endpoints of only one cluster, which are then also in `endpointSlices`: the ID of that cluster. A list, despite its name.',
              )
              .optional(),
            clusterinfo: clusterInfoSchema.optional(),
            clusternetworkpolicy: clusterNetworkPolicySchema.optional(),
            endpointSlices: endpointSlicesPayloadSchema.optional(),
            endpoints: endpointsPayloadSchema.optional(),
            externalentity: s
              .object({ externalentityspec: externalEntitySpecSchema.optional() })
              .doc('Never used; part of the wire.')
              .optional(),
            kind: s
              .string()
              .doc(
                `Kind of the imported resource: ${SourceKind.serviceImport}, ${SourceKind.endpoints}, ${SourceKind.clusterInfo}, ` +
                  `${SourceKind.labelIdentity} or ${SourceKind.clusterNetworkPolicy}; ` +
                  `${SourceKind.endpointSlices} for the endpoints of one cluster, which Antrea members ignore.`,
              )
              .optional(),
            labelIdentity: s
              .object({
                id: s.int32().doc('The number of the labels, 1 to 16777214.').optional(),
                label: s.string().doc('Labels of a Namespace and of a Pod in it, in one string.').optional(),
              })
              .doc('A set of labels and its number.')
              .optional(),
            name: s.string().doc('Name of the imported resource.').optional(),
            namespace: s.string().doc('Namespace of the imported resource.').optional(),
            raw: rawSchema.optional(),
            serviceImport: s
              .object({
                apiVersion: s.string().optional(),
                kind: s.string().optional(),
                metadata: s.opaqueObject().optional(),
                spec: serviceImportSpecSchema.doc('The Service, merged from all exports.').optional(),
                status: serviceImportStatusSchema.doc('Never used; part of the wire.').optional(),
              })
              .doc('The ServiceImport that members create.')
              .optional(),
          })
          .doc('The imported resource. kind decides which one of the other fields is set.')
          .optional(),
        status: s
          .object({ clusterStatuses: clusterStatuses.doc('Result for each merged export.').optional() })
          .doc('Notes of the leader about the exports.')
          .optional(),
      }),
      columns: [
        column('Kind', '.spec.kind', { description: 'Kind of the imported resource' }),
        column('Namespace', '.spec.namespace', { description: 'Namespace of the imported resource' }),
        column('Name', '.spec.name', { description: 'Name of the imported resource' }),
        column('Cluster ID', '.metadata.labels.sourceClusterID', {
          description: 'The cluster whose endpoints these are; empty if several clusters export the Service',
        }),
        ageColumn,
      ],
      status: true,
    },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceImport',
      metadata: { name: 'shop-cart-service', namespace: 'antrea-multicluster' },
      spec: {
        kind: 'ServiceImport',
        namespace: 'shop',
        name: 'cart',
        serviceImport: { spec: { type: 'ClusterSetIP', ports: [{ name: 'http', protocol: 'TCP', port: 80 }] } },
      },
    },
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceImport',
      metadata: {
        name: 'shop-cart-endpoints.west',
        namespace: 'antrea-multicluster',
        annotations: { 'isthmus.dev/first-exported': '2026-11-21T10:00:00Z' },
      },
      spec: {
        kind: 'EndpointSlices',
        namespace: 'shop',
        name: 'cart',
        endpointSlices: [
          {
            addressType: 'IPv4',
            endpoints: [{ addresses: ['10.97.0.10'], conditions: { ready: true } }],
            ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
          },
        ],
      },
    },
  ],
});

export const ResourceImport = resourceImports.version('v1alpha1');
export type ResourceImport = ObjectOf<typeof ResourceImport>;
