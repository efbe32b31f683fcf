import { replicaSetColumns } from './workload-columns.ts';
import { defineBuiltIn, scaleSubresource, statusSubresource } from '../define.ts';
import { textAt } from '../selectable-fields.ts';
import { replicaSetStrategy } from './replica-set-rules.ts';

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
