import type { KubernetesObject } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mutation } from './admission-review.ts';
import { admissionAnswer, allow, deny, mutate, readAdmissionReview } from './admission-review.ts';
import { conversionAnswer, readConversionReview } from './conversion-review.ts';
import { MalformedReview } from './review-fields.ts';
import { admissionReview, conversionReview } from './testing/reviews.ts';

const object = { apiVersion: 'example.io/v1', kind: 'Gadget', metadata: { name: 'cart' } };

describe('an AdmissionReview', () => {
  it('is read with its facts about the request and its user', () => {
    const { userInfo, ...request } = readAdmissionReview(admissionReview());
    expect(userInfo).toEqual({
      username: 'ada',
      uid: undefined,
      groups: ['system:authenticated'],
      extra: { scopes: ['a', 'b'] },
    });
    expect(request).toMatchObject({ uid: 'review-1', operation: 'CREATE', name: 'cart', namespace: 'shop' });
    expect('oldObject' in request).toBe(false);
  });

  it.each([
    ['UPDATE', { object, oldObject: object }],
    ['DELETE', { object: null, oldObject: object }],
    ['CONNECT', { object: { container: 'main' } }],
  ])('of %s has the objects of its operation', (operation, objects) => {
    const request = readAdmissionReview(admissionReview({ operation, ...objects }));
    const given = Object.entries(objects).filter(([, value]) => value !== null);
    expect(request).toMatchObject({ operation, ...Object.fromEntries(given) });
  });

  it('may have no name, where the server is yet to make it', () => {
    const generated = { metadata: { generateName: 'cart-' } };
    expect(readAdmissionReview(admissionReview({ name: undefined, object: generated })).name).toBe('');
  });

  it.each<[string, string | Readonly<Record<string, unknown>>, string]>([
    ['is not JSON', '{"token":"s3cret', 'the body of 16 characters is not JSON'],
    ['is a list', '[]', 'the body is not an object'],
    [
      'is of another version',
      JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1' }),
      'not a',
    ],
    [
      'has no request',
      JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }),
      'request is missing',
    ],
    ['has no uid', { uid: '' }, 'request.uid is missing'],
    ['has a number for a uid', { uid: 7 }, 'request.uid is not a string'],
    ['has no kind', { kind: undefined }, 'request.kind is missing'],
    ['has no plural', { resource: { group: '', version: 'v1' } }, 'request.resource.resource is missing'],
    ['has no user', { userInfo: null }, 'request.userInfo is missing'],
    ['has groups that are numbers', { userInfo: { groups: [1] } }, 'request.userInfo.groups is not a list of strings'],
    ['has odd extras', { userInfo: { extra: { a: 'b' } } }, 'request.userInfo.extra is not a map of lists of strings'],
    ['has an unknown operation', { operation: 'PATCH' }, 'request.operation is unknown'],
    ['has no object', { object: null }, 'request.object is missing'],
    ['has a text for an object', { object: 's3cret' }, 'request.object is not an object'],
    ['has an object without metadata', { object: { kind: 'Gadget' } }, 'request.object.metadata is missing'],
    ['has a list for metadata', { object: { metadata: [] } }, 'request.object.metadata is not an object'],
    ['has no old object', { operation: 'UPDATE' }, 'request.oldObject is missing'],
    ['has a text for dryRun', { dryRun: 'false' }, 'request.dryRun is not a boolean'],
  ])('that %s is rejected, and nothing of it is repeated', (_title, review, message) => {
    const body = typeof review === 'string' ? review : admissionReview(review);
    expect(() => readAdmissionReview(body)).toThrow(MalformedReview);
    expect(() => readAdmissionReview(body)).toThrow(message);
    expect(() => readAdmissionReview(body)).not.toThrow('s3cret');
  });

  it('of any JSON is read or rejected as malformed, never anything else', () => {
    const field = fc.constantFrom('uid', 'kind', 'resource', 'object', 'oldObject', 'operation', 'userInfo', 'options');
    fc.assert(
      fc.property(fc.array(fc.tuple(field, fc.jsonValue())), (fields) => {
        try {
          readAdmissionReview(admissionReview(Object.fromEntries(fields)));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedReview);
        }
      }),
    );
  });
});

describe('the answer to an AdmissionReview', () => {
  const answer = (verdict: Mutation) => {
    const { apiVersion, kind, response } = JSON.parse(
      admissionAnswer(readAdmissionReview(admissionReview()), verdict),
    ) as { readonly apiVersion: string; readonly kind: string; readonly response: Record<string, unknown> };
    expect([apiVersion, kind, response['uid']]).toEqual(['admission.k8s.io/v1', 'AdmissionReview', 'review-1']);
    return response;
  };

  it('repeats the uid and the verdict', () => {
    expect(answer(allow())).toEqual({ uid: 'review-1', allowed: true });
  });

  it('carries the reason of a denial with its code, and the fields that are wrong', () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'too large' }];
    expect(answer(deny('too large', { reason: 'Invalid', causes }))).toEqual({
      uid: 'review-1',
      allowed: false,
      status: {
        status: 'Failure',
        message: 'too large',
        reason: 'Invalid',
        code: 422,
        details: { name: 'cart', group: 'example.io', kind: 'gadgets', causes },
      },
    });
    expect(answer(deny('no'))['status']).toMatchObject({ reason: 'Forbidden', code: 403 });
  });

  it('carries a change as a JSON patch in base64, and none where nothing changed', () => {
    const { object } = readAdmissionReview(admissionReview()) as { readonly object: KubernetesObject };
    const changed = answer(mutate({ ...object, metadata: { ...object.metadata, labels: { a: 'b' } } }));
    expect(changed).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(String(changed['patch']), 'base64').toString())).toEqual([
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
    ]);
    expect(answer(mutate({ ...object }))).toEqual({ uid: 'review-1', allowed: true });
  });

  it('carries warnings that an HTTP header can hold', () => {
    expect(answer(allow({ warnings: ['spec.size:\r\n is large', '\u0000'] }))['warnings']).toEqual([
      'spec.size:  is large',
    ]);
  });
});

describe('a ConversionReview', () => {
  it('is read with its objects in their order', () => {
    const objects = ['a', 'b'].map((name) => ({ ...object, metadata: { name } }));
    expect(readConversionReview(conversionReview('example.io/v2', objects))).toEqual({
      uid: 'review-2',
      desiredAPIVersion: 'example.io/v2',
      objects,
    });
  });

  it.each<[string, string, readonly unknown[], string]>([
    ['has no version', '', [], 'request.desiredAPIVersion is missing'],
    ['has an object that is null', 'example.io/v2', [object, null], 'request.objects[1] is not an object'],
    [
      'has an object without a version',
      'example.io/v2',
      [{ metadata: {} }],
      'request.objects[0].apiVersion is missing',
    ],
    [
      'has an object without metadata',
      'example.io/v2',
      [{ ...object, metadata: 1 }],
      'request.objects[0].metadata is not',
    ],
  ])('that %s is rejected', (_title, version, objects, message) => {
    expect(() => readConversionReview(conversionReview(version, objects))).toThrow(message);
  });

  it('of any JSON is read or rejected as malformed, never anything else', () => {
    const part = fc.oneof(fc.constantFrom('gadgets.example.io', 'example.io/v1', 'Gadget', ''), fc.jsonValue());
    const field = (name: string) => fc.tuple(fc.constant(name), part);
    const metadata = fc.oneof(fc.constant({ name: 'cart' }), fc.jsonValue());
    const gadget = fc
      .tuple(fc.array(fc.oneof(field('apiVersion'), field('kind'), field('__proto__'))), metadata)
      .map(([fields, of]) => ({ ...object, metadata: of, ...Object.fromEntries(fields) }));
    const objects = fc.oneof(fc.array(fc.oneof(gadget, fc.jsonValue()), { maxLength: 3 }), fc.jsonValue());
    let read = 0;
    fc.assert(
      fc.property(part, objects, (desiredAPIVersion, all) => {
        try {
          const request = readConversionReview(
            conversionReview(desiredAPIVersion as string, all as readonly unknown[]),
          );
          read++;
          for (const one of request.objects) {
            expect([typeof one.apiVersion, typeof one.kind, typeof one.metadata]).toEqual([
              'string',
              'string',
              'object',
            ]);
            expect([one.apiVersion, one.kind]).not.toContain('');
          }
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedReview);
        }
      }),
      { numRuns: 1_000, seed: 1 },
    );
    expect(read).toBeGreaterThan(20);
  });

  it('is answered with all objects or with the reason that there are none', () => {
    expect(JSON.parse(conversionAnswer('u', { kind: 'converted', objects: [object] }))).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: 'u', convertedObjects: [object], result: { status: 'Success' } },
    });
    expect(JSON.parse(conversionAnswer('u', { kind: 'failed', message: 'why' }))).toMatchObject({
      response: { convertedObjects: [], result: { status: 'Failed', message: 'why' } },
    });
  });
});
