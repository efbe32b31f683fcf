import { leaseColumns } from './lease-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { leaseStrategy } from './lease-strategy.ts';

export const lease = defineBuiltIn({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  columns: leaseColumns,
  strategy: leaseStrategy,
});
