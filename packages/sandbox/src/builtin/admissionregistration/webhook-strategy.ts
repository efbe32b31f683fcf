import type { Webhook } from './webhook-configuration.ts';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { metadataForm } from '../field-rules.ts';
import { below, fieldDefaults } from '../shape/field-defaults.ts';
import { builtInType } from '../types/load.ts';
import { webhooksErrors } from './webhook-validation.ts';

const defaults = {
  'clientConfig.service.port': 443,
  'rules[].scope': '*',
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** The rules of both webhook configurations. */
export function webhookStrategy(kind: 'Mutating' | 'Validating'): Partial<Strategy> {
  const type = builtInType('admissionregistration.k8s.io/v1', `${kind}WebhookConfiguration`);
  const fill = fieldDefaults(type, {
    ...below('webhooks[]', defaults),
    ...(kind === 'Mutating' && { 'webhooks[].reinvocationPolicy': 'Never' }),
  });
  return {
    unconditionalUpdate: false,
    generation: 'all-but-metadata-and-status',
    defaults: fill,
    validate: (object) => webhooksErrors(webhooksOf(object)),
    validateUpdate: (object) => [...metadataForm(object, false), ...webhooksErrors(webhooksOf(object))],
  };
}

function webhooksOf(object: Stored): readonly Webhook[] {
  return (object['webhooks'] ?? []) as readonly Webhook[];
}
