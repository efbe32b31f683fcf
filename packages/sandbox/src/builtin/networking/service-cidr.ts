import { serviceCidrColumns } from './service-cidr-columns.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { serviceCidrStrategy } from './address-strategies.ts';

export const serviceCidr = defineBuiltIn({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  subresources: [statusSubresource],
  columns: serviceCidrColumns,
  strategy: serviceCidrStrategy,
});
