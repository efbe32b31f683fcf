import { endpointSliceColumns } from './endpoint-slice-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { endpointSliceStrategy } from './endpoint-slice-strategy.ts';

export const endpointSlice = defineBuiltIn({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  columns: endpointSliceColumns,
  strategy: endpointSliceStrategy,
});
