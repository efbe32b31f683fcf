import { statefulSetColumns } from './workload-columns.ts';
import { defineBuiltIn, labelName, scaleSubresource, statusSubresource } from '../define.ts';
import { statefulSetStrategy } from './stateful-set-rules.ts';

export const statefulSet = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  subresources: [scaleSubresource, statusSubresource],
  columns: statefulSetColumns,
  strategy: { ...statefulSetStrategy, nameProblems: labelName },
});
