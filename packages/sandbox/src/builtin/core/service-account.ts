import { serviceAccountColumns } from '../columns/service-account.ts';
import { defineBuiltIn } from '../define.ts';
import { serviceAccountStrategy } from './service-account-strategy.ts';

export const serviceAccount = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  columns: serviceAccountColumns,
  shortNames: ['sa'],
  subresources: [
    {
      name: 'token',
      kind: 'action',
      verbs: ['create'],
      response: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
    },
  ],
  strategy: serviceAccountStrategy,
});
