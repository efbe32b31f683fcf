import { Namespace, Service } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { gadgetVersions, gadgetWebhooks, sizeLimit } from './testing/gadgets.ts';
import { conversionOf, webhookConfigurations } from './webhook-configurations.ts';

const service = { namespace: 'isthmus-system', name: 'isthmus-webhooks' };

describe('webhookConfigurations', () => {
  it('renders one object for the validating webhooks and one for the mutating ones', () => {
    const server = { at: { service }, caPem: 'PEM' };
    expect(webhookConfigurations(gadgetWebhooks, { name: 'gadgets', labels: { a: 'b' }, server })).toEqual([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'gadgets', labels: { a: 'b' } },
        webhooks: [
          {
            name: 'size.gadgets.example.io',
            clientConfig: { service: { ...service, path: '/validate-gadgets' }, caBundle: 'UEVN' },
            rules: [
              {
                operations: ['CREATE', 'UPDATE'],
                apiGroups: ['example.io'],
                apiVersions: ['v1'],
                resources: ['gadgets'],
                scope: 'Namespaced',
              },
            ],
            failurePolicy: 'Fail',
            matchPolicy: 'Equivalent',
            sideEffects: 'None',
            timeoutSeconds: 5,
            admissionReviewVersions: ['v1'],
          },
          expect.objectContaining({ name: 'optional.gadgets.example.io', failurePolicy: 'Ignore', timeoutSeconds: 10 }),
        ],
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'gadgets', labels: { a: 'b' } },
        webhooks: [expect.objectContaining({ name: 'default.gadgets.example.io', reinvocationPolicy: 'Never' })],
      },
    ]);
  });

  it('renders nothing of a kind that there is no webhook of, and no authority that is not known yet', () => {
    const [only, none] = webhookConfigurations([sizeLimit], { name: 'a', server: { at: { service } } });
    expect(only?.webhooks?.[0]?.clientConfig).toEqual({ service: { ...service, path: '/validate-gadgets' } });
    expect(none).toBeUndefined();
  });

  it('renders types of different groups and scopes as rules of their own', () => {
    const rules = [
      { types: [Service, Namespace], operations: ['CREATE'] as const },
      { types: [Service], operations: ['UPDATE'] as const, subresource: 'status' },
    ];
    const [validating] = webhookConfigurations([{ ...sizeLimit, rules }], { name: 'a', server: { at: { service } } });
    expect(validating?.webhooks?.[0]?.rules?.map(({ resources, scope }) => [resources, scope])).toEqual([
      [['services'], 'Namespaced'],
      [['namespaces'], 'Cluster'],
      [['services/status'], 'Namespaced'],
    ]);
  });
});

describe('conversionOf', () => {
  it('renders how the definition of a kind names its webhook, by URL where it runs outside of the cluster', () => {
    expect(conversionOf(gadgetVersions, { at: { url: 'https://127.0.0.1:9443/' }, caPem: 'PEM' })).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://127.0.0.1:9443/convert-gadgets', caBundle: 'UEVN' },
        conversionReviewVersions: ['v1'],
      },
    });
  });
});
