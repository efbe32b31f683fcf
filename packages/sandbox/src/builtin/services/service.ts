import { serviceColumns } from './service-columns.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { selectableFields } from '../selectable-fields.ts';
import { serviceStrategy } from './service-strategy.ts';

export const service = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  subresources: [statusSubresource],
  columns: serviceColumns,
  selectable: selectableFields('spec.clusterIP', 'spec.type'),
  strategy: serviceStrategy,
});
