import type { Webhook } from './webhook-configuration.ts';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { metadataForm } from '../field-rules.ts';
import { webhooksErrors } from './webhook-validation.ts';

/** The rules of both webhook configurations. */
export function webhookStrategy(kind: 'mutating' | 'validating'): Partial<Strategy> {
  return {
    unconditionalUpdate: false,
    generation: 'all-but-metadata-and-status',
    defaults: (object) => ({ ...object, ...withDefaults(object, kind) }),
    validate: (object) => webhooksErrors(webhooksOf(object)),
    validateUpdate: (object) => [...metadataForm(object, false), ...webhooksErrors(webhooksOf(object))],
  };
}

function webhooksOf(object: Stored): readonly Webhook[] {
  return (object['webhooks'] ?? []) as readonly Webhook[];
}

function withDefaults(object: Stored, kind: 'mutating' | 'validating'): { readonly webhooks?: readonly Webhook[] } {
  if (object['webhooks'] === undefined || object['webhooks'] === null) return {};
  return {
    webhooks: webhooksOf(object).map((webhook) => ({
      ...webhook,
      clientConfig: withPort(webhook.clientConfig),
      ...(webhook.rules !== undefined && {
        rules: webhook.rules.map((rule) => ({ ...rule, scope: rule.scope ?? '*' })),
      }),
      failurePolicy: webhook.failurePolicy ?? 'Fail',
      matchPolicy: webhook.matchPolicy ?? 'Equivalent',
      namespaceSelector: webhook.namespaceSelector ?? {},
      objectSelector: webhook.objectSelector ?? {},
      timeoutSeconds: webhook.timeoutSeconds ?? 10,
      ...(kind === 'mutating' && { reinvocationPolicy: webhook.reinvocationPolicy ?? 'Never' }),
    })),
  };
}

function withPort(config: Webhook['clientConfig']): Webhook['clientConfig'] {
  if (config.service === undefined) return config;
  return { ...config, service: { ...config.service, port: config.service.port ?? 443 } };
}
