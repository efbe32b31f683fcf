import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { lengthAt } from '../selectable-fields.ts';
import { webhookStrategy } from './webhook-strategy.ts';

const common = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  namespaced: false,
  categories: ['api-extensions'],
  columns: defineColumns({
    Name: nameColumn,
    Webhooks: ['integer', (object) => lengthAt(object, 'webhooks')],
    Age: ageColumn,
  }),
};

export const mutatingWebhookConfiguration = defineBuiltIn({
  ...common,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  strategy: webhookStrategy('Mutating'),
});

export const validatingWebhookConfiguration = defineBuiltIn({
  ...common,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  strategy: webhookStrategy('Validating'),
});
