import { replicaSetColumns } from './workload-columns.ts';
import { defineBuiltIn, scaleSubresource, statusSubresource } from '../define.ts';
import { textAt } from '../selectable-fields.ts';
import { nonNegative } from '../field-checks.ts';
import { immutable } from '../field-rules.ts';
import type { WorkloadSpec } from '../pods/pod-template.ts';
import { templateDefaults } from '../pods/pod-template.ts';
import { replicatedErrors } from './replicated.ts';
import { workloadStrategy } from './workload-strategy.ts';

const replicaSetStrategy = workloadStrategy<WorkloadSpec>({
  kind: 'ReplicaSet',
  warnsOfName: true,
  newStatus: { replicas: 0 },
  defaults: (spec) => ({ ...spec, replicas: spec.replicas ?? 1, template: templateDefaults(spec.template) }),
  errors: (spec, before) => [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...replicatedErrors(spec),
    ...(before === undefined ? [] : immutable('spec.selector', spec.selector, before.selector)),
  ],
  status: {
    counts: [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ],
    notMoreThan: [
      ['fullyLabeledReplicas', 'replicas', 'status.replicas'],
      ['readyReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'readyReplicas', 'readyReplicas'],
    ],
  },
});

export const replicaSet = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  subresources: [scaleSubresource, statusSubresource],
  columns: replicaSetColumns,
  selectable: { 'status.replicas': (object) => textAt(object, 'status.replicas') || '0' },
  strategy: replicaSetStrategy,
});
