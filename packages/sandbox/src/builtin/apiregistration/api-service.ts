import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';

interface ApiServiceShape {
  readonly spec?: { readonly service?: { readonly namespace?: string; readonly name?: string } };
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly reason?: string }[];
  };
}

export const apiService = defineBuiltIn({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  categories: ['api-extensions'],
  subresources: [statusSubresource],
  columns: defineColumns<ApiServiceShape>({
    Name: nameColumn,
    Service: ['string', serviceText],
    Available: ['string', availabilityOf],
    Age: ageColumn,
  }),
  strategy: { unconditionalUpdate: false },
});

function serviceText({ spec }: ApiServiceShape): string {
  const { service } = spec ?? {};
  return service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
}

function availabilityOf({ status }: ApiServiceShape): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'True' : `${condition.status ?? ''} (${condition.reason ?? ''})`;
}
