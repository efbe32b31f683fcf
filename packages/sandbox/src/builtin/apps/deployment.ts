import { deploymentColumns } from './workload-columns.ts';
import { defineBuiltIn, scaleSubresource, statusSubresource } from '../define.ts';
import { deploymentStrategy } from './deployment-rules.ts';

export const deployment = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [scaleSubresource, statusSubresource],
  columns: deploymentColumns,
  strategy: deploymentStrategy,
});
