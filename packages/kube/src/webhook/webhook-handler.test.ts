import { createVirtualClock } from '@isthmus/fleet-sim';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryLog } from '../log/log.ts';
import { webhookMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import type { HttpRequest, HttpRequestHead } from '../serving/http-handler.ts';
import { allow } from './admission-review.ts';
import { Gadget, gadgetVersions, sizeLimit } from './testing/gadgets.ts';
import { admissionReview, conversionReview } from './testing/reviews.ts';
import type { ValidatingWebhook, Webhook } from './webhook.ts';
import { defineWebhook } from './webhook.ts';
import { createWebhookHandler } from './webhook-handler.ts';

function serving(...webhooks: readonly Webhook[]) {
  const clock = createVirtualClock({ startMs: 0 });
  const log = memoryLog();
  const registry = createMetricsRegistry();
  const handler = createWebhookHandler(webhooks, { clock, log, metrics: registry.declare(webhookMetrics) });
  const caller = new AbortController();
  const post = (body: string, request: Partial<HttpRequest> = {}) => {
    const headers = { 'content-type': 'application/json' };
    const url = `${webhooks[0]?.path}?timeout=10s`;
    return handler.handle({ method: 'POST', url, headers, body, ...request }, caller.signal);
  };
  return { clock, log, handler, post, caller, metrics: () => registry.render() };
}

const validating = (webhook: Partial<ValidatingWebhook>): Webhook => ({ ...sizeLimit, ...webhook });

const postTo = (url: string): HttpRequestHead => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
});

describe('createWebhookHandler', () => {
  it('counts and times each review by webhook, operation and verdict', async () => {
    const { post, metrics } = serving(sizeLimit);
    const sized = (size: number) => admissionReview({ object: { metadata: { name: 'cart' }, spec: { size } } });
    for (const body of [sized(1), sized(20), sized(7), '{']) await post(body);
    const text = await metrics();
    const labels = (operation: string, allowed: string, code: number) =>
      `isthmus_webhook_request_total{webhook="size.gadgets.example.io",operation="${operation}",allowed="${allowed}",code="${code}"} 1`;
    for (const line of [
      labels('CREATE', 'true', 200),
      labels('CREATE', 'false', 422),
      labels('CREATE', 'error', 500),
      labels('unknown', 'error', 400),
    ])
      expect(text).toContain(line);
    expect(text).toContain(
      'isthmus_webhook_request_duration_seconds_count{webhook="size.gadgets.example.io",operation="CREATE"} 3',
    );
  });

  it.each<[string, Partial<HttpRequest>, number]>([
    ['another path', { url: '/other' }, 404],
    ['another method', { method: 'GET' }, 405],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['no content type', { headers: {} }, 415],
    ['a content type with a character set', { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }, 200],
  ])('answers a request with %s', async (_title, request, status) => {
    expect((await serving(sizeLimit).post(admissionReview(), request)).status).toBe(status);
  });

  it.each<[string, Partial<HttpRequestHead>, number]>([
    ['path', { url: '/other' }, 404],
    ['method', { method: 'GET' }, 405],
    ['content type', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('rejects a wrong %s before the body is read', (_title, head, status) => {
    expect(serving(sizeLimit).handler.accept({ ...postTo('/validate-gadgets'), ...head })).toMatchObject({
      refusal: { status },
    });
  });

  it('answers a review that is malformed, or of requests that the webhook does not review, with 400, and logs why', async () => {
    const { post, log } = serving(sizeLimit);
    const others = [
      { resource: { group: 'example.io', version: 'v1', resource: 'others' } },
      { resource: { group: 'example.io', version: 'v2', resource: 'gadgets' } },
      { subResource: 'status' },
      { operation: 'DELETE', oldObject: { metadata: {} } },
      { uid: undefined },
    ];
    for (const other of others) expect((await post(admissionReview(other))).status).toBe(400);
    expect(log.entries.map(({ level }) => level)).toEqual(others.map(() => 'warn'));
  });

  it('answers 500 where the review throws, at once or later, so that the failure policy decides', async () => {
    for (const review of [
      () => {
        throw new Error('bug');
      },
      () => Promise.reject(new Error('bug')),
    ]) {
      const { post, log } = serving(validating({ review }));
      expect(await post(admissionReview())).toMatchObject({ status: 500, body: 'size.gadgets.example.io: bug\n' });
      expect(log.entries).toMatchObject([
        { level: 'error', fields: { webhook: 'size.gadgets.example.io', name: 'cart' } },
      ]);
    }
  });

  it('gives a review up after its time, and aborts its signal', async () => {
    let aborted = false;
    const { post, clock } = serving(
      validating({
        timeoutSeconds: 3,
        review: (_request, { signal }) => {
          signal.addEventListener('abort', () => (aborted = true));
          return new Promise(() => {});
        },
      }),
    );
    const pending = post(admissionReview());
    await clock.advance(2_999);
    expect(aborted).toBe(false);
    await clock.advance(1);
    expect(await pending).toMatchObject({ status: 500 });
    expect([aborted, clock.pending]).toEqual([true, 0]);
  });

  it('aborts a review whose caller has gone', async () => {
    const { post, caller, clock } = serving(validating({ review: () => new Promise(() => {}) }));
    const pending = post(admissionReview());
    caller.abort(new Error('the client has disconnected'));
    expect((await pending).status).toBe(500);
    expect(clock.pending).toBe(0);
  });

  const gadget = (name: string, size: number) => ({
    apiVersion: 'example.io/v1',
    kind: 'Gadget',
    metadata: { name, namespace: 'shop' },
    spec: { size },
  });

  it('converts objects in their order, and passes on those that have the version already', async () => {
    const { post } = serving(gadgetVersions);
    const there = { ...gadget('b', 2), apiVersion: 'example.io/v2', spec: { dimensions: { size: 2 } } };
    const { body } = await post(conversionReview('example.io/v2', [gadget('a', 1), there, gadget('c', 3)]));
    const { response } = JSON.parse(body) as { readonly response: Record<string, unknown> };
    expect(response).toMatchObject({
      uid: 'review-2',
      result: { status: 'Success' },
      convertedObjects: [
        { metadata: { name: 'a' }, spec: { dimensions: { size: 1 } } },
        there,
        { apiVersion: 'example.io/v2', metadata: { name: 'c' } },
      ],
    });
  });

  it.each<[string, Webhook, unknown, string]>([
    ['throws', gadgetVersions, gadget('a', 9), 'nine has no other shape'],
    [
      'makes another version',
      defineWebhook({ ...gadgetVersions, review: (object) => object }),
      gadget('a', 1),
      'the conversion of Gadget shop/fine made example.io/v1 Gadget instead of example.io/v2',
    ],
    [
      'is asked for another kind',
      gadgetVersions,
      { ...gadget('a', 1), apiVersion: 'other.io/v1' },
      'other.io/v1 Gadget shop/a does not belong to gadgets.example.io',
    ],
  ])(
    'fails a conversion that %s as a whole, with the reason in the result',
    async (_title, webhook, object, message) => {
      const { post, metrics } = serving(webhook);
      const { status, body } = await post(conversionReview('example.io/v2', [gadget('fine', 1), object]));
      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({
        response: { convertedObjects: [], result: { status: 'Failed', message } },
      });
      expect(await metrics()).toContain('operation="CONVERT",allowed="error",code="500"} 1');
    },
  );

  it('answers whatever it is sent with a review or an error, and never rejects', async () => {
    const { post } = serving(sizeLimit, gadgetVersions);
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(null, {}, { toString: 1 }, { size: 7 }, 'example.io/v1'));
    const member = fc.constantFrom('apiVersion', 'kind', 'metadata', 'spec', '__proto__');
    const fields = fc.oneof(fc.constant({}), fc.dictionary(member, value));
    const size = fc.constantFrom(3, 7, 9, 20);
    const object = fc.tuple(fields, size).map(([some, its]) => ({ ...gadget('cart', its), ...some }));
    const part = fc.constantFrom('object', 'operation', 'uid', 'name', '__proto__');
    const request = fc.oneof(fc.constant({}), fc.dictionary(part, value));
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.tuple(request, object).map(([some, whole]) => admissionReview({ object: whole, ...some })),
      fc
        .tuple(fc.constantFrom('example.io/v2', 'example.io/v1', '__proto__'), fc.array(object, { maxLength: 3 }))
        .map(([version, objects]) => conversionReview(version, objects)),
    );
    const seen = new Map<number, number>();
    const path = fc.constantFrom('/validate-gadgets', '/convert-gadgets');
    const check = fc.asyncProperty(path, body, async (url, sent) => {
      const { status, body: answer } = await post(sent, { url });
      seen.set(status, (seen.get(status) ?? 0) + 1);
      expect([200, 400, 500]).toContain(status);
      if (status !== 200) return;
      const { response } = JSON.parse(answer) as { readonly response: { readonly uid: unknown } };
      expect(typeof response.uid).toBe('string');
    });
    await fc.assert(check, { numRuns: 400, seed: 1 });
    expect([...seen.keys()].toSorted((a, b) => a - b)).toEqual([200, 400, 500]);
  });

  it('bounds the bodies of admission by two large objects, those of conversion by a page of a list', () => {
    const { handler } = serving(sizeLimit, gadgetVersions);
    const accepted = (url: string) => handler.accept(postTo(url));
    expect(accepted('/validate-gadgets?timeout=5s')).toEqual({ bodyLimit: 7 * 1024 * 1024 });
    expect(accepted('/convert-gadgets')).toEqual({ bodyLimit: 64 * 1024 * 1024 });
  });

  it.each<[string, readonly Webhook[], string]>([
    ['a name of two labels', [validating({ name: 'size.gadgets' })], 'a domain name with at least three labels'],
    ['one name twice', [sizeLimit, validating({ path: '/other' })], 'another webhook has this name'],
    ['one path twice', [sizeLimit, validating({ name: 'a.b.c' })], 'another webhook is served at /validate-gadgets'],
    ['a path without a slash', [validating({ path: 'x' })], 'must begin with a slash'],
    ['a path with a query', [validating({ path: '/x?y' })], 'must begin with a slash'],
    ['no rules', [validating({ rules: [] })], 'types and operations must not be empty'],
    ['no operations', [validating({ rules: [{ types: [Gadget], operations: [] }] })], 'types and operations'],
    ['31 seconds', [validating({ timeoutSeconds: 31 })], 'timeoutSeconds must be 1 to 30'],
  ])('refuses webhooks with %s', (_title, webhooks, message) => {
    expect(() => serving(...webhooks)).toThrow(message);
  });

  it('takes a verdict that is not a promise', async () => {
    expect((await serving(validating({ review: () => allow() })).post(admissionReview())).status).toBe(200);
  });
});
