import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { Infer } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { sessionAffinityConfigSchema } from '../core/service-spec.ts';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';
import { mcsRelease } from './release.ts';

const portSchema = s.object({
  appProtocol: s.string().doc('Application protocol of the port, as a hint.').optional(),
  name: s.string().doc('Name of the port, a unique DNS label; one port may have none.').optional(),
  port: s.int32().doc('Port of the imported Service.'),
  protocol: s.string().doc('TCP, UDP or SCTP; the default is TCP.').optional(),
});

/** `spec` of a ServiceImport: also the payload of a Service's ResourceImport. */
export const serviceImportSpecSchema = s.object({
  internalTrafficPolicy: s.string().doc('Cluster or Local, from the exported Service.').optional(),
  ipFamilies: s.array(s.string()).maxItems(2).doc('IPv4, IPv6: the families of ips, in the same order.').optional(),
  ips: s
    .array(s.string())
    .maxItems(2)
    .doc('Addresses of the Service in this cluster; none when it is headless.')
    .optional(),
  ports: s.atomicArray(portSchema).doc('The ports of all exports.'),
  sessionAffinity: s
    .string()
    .doc('None or ClientIP, from the exported Service; ignored for headless Services.')
    .optional(),
  sessionAffinityConfig: sessionAffinityConfigSchema.optional(),
  trafficDistribution: s.string().doc('Preference for near endpoints, from the exported Service.').optional(),
  type: s.oneOf('ClusterSetIP', 'Headless').doc('ClusterSetIP: has an IP. Headless: has only endpoints.'),
});

export const serviceImportStatusSchema = s.object({
  clusters: s
    .mapBy(['cluster'], s.object({ cluster: s.string().doc('ID of the cluster.') }))
    .doc('Clusters that export the Service.')
    .optional(),
  conditions: s.conditions().doc('Type Ready: whether the import works in this cluster.').optional(),
  endpointSliceObjects: s
    .oneOf('Present', 'Absent')
    .doc('Whether EndpointSlices of the import exist in this cluster.')
    .optional(),
});

const schema = s.object({
  spec: serviceImportSpecSchema.doc('The Service, merged from all exports.').optional(),
  status: serviceImportStatusSchema.doc('Exporting clusters, and whether the import works in this cluster.').optional(),
});

const columns = [
  column('Type', '.spec.type', { description: 'The type of this ServiceImport' }),
  column('IP', '.spec.ips', { description: 'The addresses of this ServiceImport' }),
  column('Ready', '.status.conditions[?(@.type=="Ready")].status', {
    description: 'Whether the Service can be used in this cluster',
  }),
  column('Reason', '.status.conditions[?(@.type=="Ready")].reason', { description: 'Reason of the condition Ready' }),
  ageColumn,
];

export const serviceImports = defineResource({
  group: ApiGroup.mcs,
  kind: 'ServiceImport',
  plural: 'serviceimports',
  singular: 'serviceimport',
  shortNames: ['svcim', 'svcimport'],
  scope: 'Namespaced',
  docs:
    'A Service that one or more clusters of the ClusterSet export (KEP-1645). The controller creates it in every ' +
    'cluster that has the Namespace, updates it and deletes it; users only read it.',
  labels: { [Label.managedBy]: managedByIsthmus, ...mcsRelease },
  versions: [
    { name: 'v1alpha1', schema, columns, status: true },
    { name: 'v1beta1', storage: true, schema, columns, status: true },
  ],
  examples: [
    {
      apiVersion: 'multicluster.x-k8s.io/v1beta1',
      kind: 'ServiceImport',
      metadata: { name: 'cart', namespace: 'shop' },
      spec: {
        type: 'ClusterSetIP',
        ips: ['10.96.4.7'],
        ipFamilies: ['IPv4'],
        ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
        sessionAffinity: 'None',
      },
      status: { clusters: [{ cluster: 'west' }], endpointSliceObjects: 'Present' },
    },
  ],
});

export const ServiceImport = serviceImports.version('v1beta1');
export type ServiceImport = ObjectOf<typeof ServiceImport>;
/** The older form; the same objects. */
export const ServiceImportV1alpha1 = serviceImports.version('v1alpha1');
export type ServiceImportSpec = Infer<typeof serviceImportSpecSchema>;
export type ServiceImportPort = Infer<typeof portSchema>;
