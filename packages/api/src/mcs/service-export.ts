import { ageColumn, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';
import { mcsRelease } from './release.ts';

const schema = s.object({
  spec: s
    .object({
      exportedAnnotations: s.record(s.string()).doc('Annotations of the imports.').optional(),
      exportedLabels: s.record(s.string()).doc('Labels of the imports.').optional(),
    })
    .doc('Labels and annotations to export with the Service.')
    .optional(),
  status: s
    .object({
      conditions: s
        .conditions()
        .doc('Types Valid (can be exported), Ready (is exported) and Conflict (exporters disagree).')
        .optional(),
    })
    .doc('Status of the export.')
    .optional(),
});

export const serviceExports = defineResource({
  group: ApiGroup.mcs,
  kind: 'ServiceExport',
  plural: 'serviceexports',
  singular: 'serviceexport',
  shortNames: ['svcex', 'svcexport'],
  scope: 'Namespaced',
  docs: 'Exports the Service of the same name and Namespace to the whole ClusterSet (KEP-1645). Users create it; the controller writes its status.',
  labels: { [Label.managedBy]: managedByIsthmus, ...mcsRelease },
  versions: [
    { name: 'v1alpha1', schema, columns: [ageColumn], status: true },
    { name: 'v1beta1', storage: true, schema, columns: [ageColumn], status: true },
  ],
  examples: [
    {
      apiVersion: 'multicluster.x-k8s.io/v1beta1',
      kind: 'ServiceExport',
      metadata: { name: 'cart', namespace: 'shop' },
    },
  ],
});

export const ServiceExport = serviceExports.version('v1beta1');
export type ServiceExport = ObjectOf<typeof ServiceExport>;
/** The older form; the same objects. */
export const ServiceExportV1alpha1 = serviceExports.version('v1alpha1');
