import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { serviceCidrStrategy } from './address-strategies.ts';

export const serviceCidr = defineBuiltIn({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  subresources: [statusSubresource],
  columns: defineColumns<{ readonly spec?: { readonly cidrs?: readonly string[] } }>({
    Name: nameColumn,
    CIDRs: ['string', ({ spec }) => (spec?.cidrs ?? []).join(',')],
    Age: ageColumn,
  }),
  strategy: serviceCidrStrategy,
});
