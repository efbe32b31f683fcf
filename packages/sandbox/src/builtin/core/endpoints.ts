import { endpointsColumns } from '../columns/endpoints.ts';
import { defineBuiltIn } from '../define.ts';
import { endpointsStrategy } from './endpoints-strategy.ts';

export const endpoints = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  columns: endpointsColumns,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  strategy: endpointsStrategy,
});
