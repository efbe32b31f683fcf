import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';
import { mcsRelease } from './release.ts';

const schema = s.object({
  spec: s
    .object({
      exportedAnnotations: s
        .record(s.string())
        .doc(
          'Annotations of the ServiceImport in every cluster; the oldest export decides. Reserved keys are left out.',
        )
        .optional(),
      exportedLabels: s
        .record(s.string())
        .doc('Labels of the ServiceImport in every cluster; the oldest export decides. Reserved keys are left out.')
        .optional(),
    })
    .doc('Labels and annotations to export with the Service.')
    .optional(),
  status: s
    .object({
      conditions: s
        .conditions()
        .doc(
          'Types Valid (can be exported), Ready (is exported), Conflict (exporters disagree) and ImportFailed (a cluster cannot import it).',
        )
        .optional(),
    })
    .doc('Status of the export.')
    .optional(),
});

const ofCondition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;
const columns = [
  column('Valid', ofCondition('Valid', 'status'), { description: 'Whether the Service can be exported' }),
  column('Ready', ofCondition('Ready', 'status'), { description: 'Whether the leader has merged the export' }),
  column('Conflict', ofCondition('Conflict', 'status'), {
    description: 'Whether the exports of several clusters differ',
  }),
  column('Reason', ofCondition('Ready', 'reason'), { description: 'Reason of the condition Ready' }),
  ageColumn,
];

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
    { name: 'v1alpha1', schema, columns, status: true },
    { name: 'v1beta1', storage: true, schema, columns, status: true },
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
