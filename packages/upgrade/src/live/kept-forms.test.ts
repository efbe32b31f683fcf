import type { KubernetesObject } from '@isthmus/machinery';
import { expect, it } from 'vitest';
import { definitionForm, webhookForm } from './kept-forms.ts';

it('keeps of a CustomResourceDefinition all but texts, times, and what only one cluster has', () => {
  const schema = (description: object) => ({
    type: 'object',
    ...description,
    properties: { description: { type: 'string', default: 'x', ...description } },
    default: { description: 'a value' },
  });
  const object = (texts: object) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a.x', ...(texts === undefined ? {} : {}), labels: { app: 'x' } },
    spec: { group: 'x', versions: [{ name: 'v1', schema: { openAPIV3Schema: schema(texts) } }] },
  });
  const live = {
    ...object({ description: 'For people.' }),
    metadata: {
      name: 'a.x',
      labels: { app: 'x' },
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: 't',
      annotations: { a: 'b' },
    },
    status: {
      acceptedNames: { kind: 'A' },
      storedVersions: ['v1alpha1', 'v1'],
      conditions: [
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', lastTransitionTime: 't', message: 'm' },
      ],
    },
  };
  expect(definitionForm(live as unknown as KubernetesObject)).toEqual({
    ...object({}),
    status: {
      acceptedNames: { kind: 'A' },
      storedVersions: ['v1alpha1', 'v1'],
      conditions: [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted' }],
    },
  });
});

it('keeps of a webhook configuration all but certificates, and of the managers of fields only the names', () => {
  const object = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {
      name: 'w',
      managedFields: [{ manager: 'helm', fieldsV1: {} }, { manager: 'helm' }, { manager: 'flux' }],
    },
    webhooks: [{ name: 'a.x', failurePolicy: 'Fail', clientConfig: { service: { name: 's' }, caBundle: 'Q0E=' } }],
  };
  expect(webhookForm(object as unknown as KubernetesObject)).toEqual({
    ...object,
    metadata: { name: 'w', managedFields: [{ manager: 'flux' }, { manager: 'helm' }] },
    webhooks: [{ name: 'a.x', failurePolicy: 'Fail', clientConfig: { service: { name: 's' } } }],
  });
});
