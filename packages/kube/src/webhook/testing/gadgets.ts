import { CustomResourceDefinition } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { expect } from 'vitest';
import type { Client } from '../../client/client.ts';
import { ApiError, isInvalid } from '../../client/errors.ts';
import { allow, deny, mutate } from '../admission-review.ts';
import type { Webhook } from '../webhook.ts';
import { defineWebhook } from '../webhook.ts';
import type { WebhookServerAddress } from '../webhook-configurations.ts';
import { conversionOf } from '../webhook-configurations.ts';

/** The kind of the webhooks' own tests, in two versions with different shapes. */
export interface Gadget extends KubernetesObject {
  readonly spec?: { readonly size?: number | undefined } | undefined;
}

export interface GadgetV2 extends KubernetesObject {
  readonly spec?: { readonly dimensions?: { readonly size?: number | undefined } | undefined } | undefined;
}

const gadgets = { group: 'example.io', kind: 'Gadget', plural: 'gadgets', namespaced: true } as const;
export const Gadget: ResourceType<Gadget> = { ...gadgets, version: 'v1' };
export const GadgetV2: ResourceType<GadgetV2> = { ...gadgets, version: 'v2' };

/** Rejects what is larger than 10, warns above 5, and has a bug at 7. */
export const sizeLimit = defineWebhook({
  kind: 'validating',
  name: 'size.gadgets.example.io',
  path: '/validate-gadgets',
  rules: [{ types: [Gadget], operations: ['CREATE', 'UPDATE'] }],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 5,
  access: [],
  review(request) {
    if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return allow();
    const { size = 0 } = request.object.spec ?? {};
    if (size === 7) throw new Error('a bug at seven');
    if (size > 10) {
      const causes = [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'must be at most 10' }];
      return deny(`spec.size: Invalid value: ${size}: must be at most 10`, { reason: 'Invalid', causes });
    }
    return allow({ warnings: size > 5 ? [`spec.size: ${size}\nis large`] : [] });
  },
});

/** Has the same bug at 8, which does not matter because the webhook is optional. */
const optionalCheck = defineWebhook({
  kind: 'validating',
  name: 'optional.gadgets.example.io',
  path: '/validate-gadgets-optionally',
  rules: [{ types: [Gadget], operations: ['CREATE'] }],
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  access: [],
  review({ name }) {
    if (name === 'eight') throw new Error('a bug at eight');
    return allow();
  },
});

/** Fills in the size, and a label with a slash in its name. */
const sizeDefault = defineWebhook({
  kind: 'mutating',
  name: 'default.gadgets.example.io',
  path: '/mutate-gadgets',
  rules: [{ types: [Gadget], operations: ['CREATE'] }],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  access: [],
  review(request) {
    if (request.operation !== 'CREATE') return allow();
    const { object } = request;
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, 'example.io/reviewed': 'yes' } };
    return mutate({ ...object, metadata, spec: { size: 1, ...object.spec } });
  },
});

/** `spec.size` of v1 is `spec.dimensions.size` of v2. Cannot convert 9. */
export const gadgetVersions = defineWebhook({
  kind: 'conversion',
  name: 'versions.gadgets.example.io',
  path: '/convert-gadgets',
  type: Gadget,
  access: [],
  review(object, apiVersion) {
    const { size } = apiVersion === 'example.io/v2' ? ((object as Gadget).spec ?? {}) : sizeOfV2(object);
    if (size === 9) throw new Error('nine has no other shape');
    const spec = apiVersion === 'example.io/v2' ? { dimensions: { size } } : { size };
    return { ...object, apiVersion, spec };
  },
});

function sizeOfV2(object: GadgetV2): { readonly size?: number | undefined } {
  return object.spec?.dimensions ?? {};
}

export const gadgetWebhooks: readonly Webhook[] = [sizeLimit, optionalCheck, sizeDefault, gadgetVersions];

/** The definition of both versions, converted by {@link gadgetVersions}. */
export function gadgetDefinition(server: WebhookServerAddress): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } as const;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: CustomResourceDefinition.kind,
    metadata: { name: 'gadgets.example.io' },
    spec: {
      group: 'example.io',
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: conversionOf(gadgetVersions, server),
    },
  };
}

/**
 * What a client of the API server sees of these webhooks; the same on a sandbox and on a real
 * server.
 */
export async function useGadgets(client: Client, namespace: string): Promise<void> {
  const ref = (name: string) => ({ namespace, name });
  const gadget = (name: string, size?: number): Gadget => ({
    metadata: ref(name),
    ...(size !== undefined && { spec: { size } }),
  });
  const refusal = async (name: string, size: number) => {
    const error = await client.create(Gadget, gadget(name, size)).catch((error: unknown) => error);
    if (!(error instanceof ApiError)) throw new Error(`${name} was not refused: ${JSON.stringify(error)}`);
    return error;
  };

  expect(await client.create(Gadget, gadget('plain'))).toMatchObject({
    metadata: { labels: { 'example.io/reviewed': 'yes' } },
    spec: { size: 1 },
  });

  const denied = await refusal('large', 20);
  expect(isInvalid(denied)).toBe(true);
  expect(denied.status).toMatchObject({
    code: 422,
    reason: 'Invalid',
    message:
      'admission webhook "size.gadgets.example.io" denied the request: spec.size: Invalid value: 20: must be at most 10',
    details: {
      name: 'large',
      group: 'example.io',
      kind: 'gadgets',
      causes: [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'must be at most 10' }],
    },
  });

  const failed = await refusal('seven', 7);
  expect(failed.status).toMatchObject({ code: 500, reason: 'InternalError' });
  expect(failed.message).toContain('failed calling webhook "size.gadgets.example.io"');
  expect(failed.message).toContain('a bug at seven');
  expect((await client.create(Gadget, gadget('eight', 8))).spec).toEqual({ size: 8 });

  expect(await client.get(GadgetV2, ref('plain'))).toMatchObject({
    apiVersion: 'example.io/v2',
    spec: { dimensions: { size: 1 } },
  });
  const list = await client.list(GadgetV2, { namespace });
  expect(list.items.map(({ metadata, spec }) => [metadata.name, spec?.dimensions?.size])).toEqual([
    ['eight', 8],
    ['plain', 1],
  ]);
  await client.create(Gadget, gadget('nine', 9));
  await expect(client.get(GadgetV2, ref('nine'))).rejects.toThrow('nine has no other shape');
  await client.delete(Gadget, ref('nine'));
  for (const name of ['plain', 'eight']) await client.delete(Gadget, ref(name));
}
