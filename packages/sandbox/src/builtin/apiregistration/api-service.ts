import { apiServiceColumns } from './api-service-columns.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';

export const apiService = defineBuiltIn({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  categories: ['api-extensions'],
  subresources: [statusSubresource],
  columns: apiServiceColumns,
  strategy: { unconditionalUpdate: false },
});
