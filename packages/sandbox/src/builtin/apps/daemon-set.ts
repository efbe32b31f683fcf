import { daemonSetColumns } from './workload-columns.ts';
import type { WorkloadSpec } from '../pods/pod-template.ts';
import type { Stored } from '../../store/stored.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { daemonSetStrategy, withTemplateGeneration } from './daemon-set-rules.ts';

export const daemonSet = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  subresources: [statusSubresource],
  columns: daemonSetColumns,
  strategy: {
    ...daemonSetStrategy,
    defaults: (object) => withGenerationAnnotation(daemonSetStrategy.defaults?.(object) ?? object),
    prepareForCreate: (object, context) => numbered(daemonSetStrategy.prepareForCreate?.(object, context) ?? object),
    prepareForUpdate: (object, before, context) =>
      numbered(daemonSetStrategy.prepareForUpdate?.(object, before, context) ?? object, before),
  },
});

/** Decoding reads the generation from its annotation, and writes it there again. */
function withGenerationAnnotation(object: Stored): Stored {
  const annotations = { 'deprecated.daemonset.template.generation': '0', ...object.metadata.annotations };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function numbered(object: Stored, before?: Stored): Stored {
  const earlier = before && { spec: before['spec'] as WorkloadSpec, annotations: before.metadata.annotations };
  const annotations = withTemplateGeneration(object.metadata.annotations, object['spec'] as WorkloadSpec, earlier);
  return { ...object, metadata: { ...object.metadata, annotations } };
}
