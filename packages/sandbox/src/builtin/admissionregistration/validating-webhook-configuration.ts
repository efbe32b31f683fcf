import { webhookColumns } from './webhook-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { webhookStrategy } from './webhook-strategy.ts';

export const validatingWebhookConfiguration = defineBuiltIn({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
  categories: ['api-extensions'],
  columns: webhookColumns,
  strategy: webhookStrategy('validating'),
});
