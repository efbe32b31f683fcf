import { webhookColumns } from './webhook-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { webhookStrategy } from './webhook-strategy.ts';

export const mutatingWebhookConfiguration = defineBuiltIn({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
  categories: ['api-extensions'],
  columns: webhookColumns,
  strategy: webhookStrategy('mutating'),
});
