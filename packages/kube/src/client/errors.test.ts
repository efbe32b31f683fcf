import { failureStatus } from '@isthmus/machinery';
import type { Failure } from '@isthmus/machinery';
import { expect, it } from 'vitest';
import * as errors from './errors.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { statusOfRefusal } from './refusal.ts';

const call = { verb: 'get', resource: 'services', ref: { namespace: 'shop', name: 'cart' } };
const refused = (failure: Failure) => new ApiError(call, failureStatus(failure));
const details = { name: 'cart', kind: 'services' };
const answered = (code: number, body = '') => new ApiError(call, statusOfRefusal(code, body));

/** Every predicate that holds for an error. */
function verdicts(error: unknown): readonly string[] {
  return Object.entries(errors)
    .filter(([name, value]) => name.startsWith('is') && (value as (error: unknown) => boolean)(error))
    .map(([name]) => name)
    .toSorted();
}

it.each<[string, unknown, readonly string[]]>([
  ['a missing object', refused({ reason: 'NotFound', message: 'm', details }), ['isNotFound']],
  ['a missing resource', refused({ reason: 'NotFound', message: 'm', details: {} }), ['isNotServed']],
  ['a 404 that is not a Status', answered(404, '404 page not found\n'), ['isNotServed']],
  ['a stale update', refused({ reason: 'Conflict', message: 'm', details }), ['isConflict']],
  ['an existing object', refused({ reason: 'AlreadyExists', message: 'm', details }), ['isAlreadyExists']],
  ['a forbidden call', refused({ reason: 'Forbidden', message: 'm', details }), ['isForbidden']],
  [
    'a create in a dying Namespace',
    refused({ reason: 'Forbidden', message: 'm', details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
    ['isForbidden', 'isNamespaceTerminating'],
  ],
  ['a wrong token', refused({ reason: 'Unauthorized', message: 'm' }), ['isUnauthorized']],
  ['a 401 that is not a Status', answered(401, 'no'), ['isUnauthorized']],
  ['an old resourceVersion', refused({ reason: 'Expired', message: 'm' }), ['isExpired', 'isGone']],
  ['something gone', refused({ reason: 'Gone', message: 'm' }), ['isExpired', 'isGone']],
  ['an invalid object', refused({ reason: 'Invalid', message: 'm' }), ['isInvalid']],
  ['too many requests', answered(429, 'Too many requests, please try again later.'), ['isTooManyRequests']],
  ['a server time-out', refused({ reason: 'ServerTimeout', message: 'm' }), ['isServerTimeout']],
  ['a gateway time-out', answered(504), ['isServerTimeout']],
  ['a bug of the server', answered(500), []],
  ['no connection', new ConnectionError(call, 'refused', 'why'), ['isConnectionError']],
  ['any other error', new Error('NotFound'), []],
  ['no error at all', undefined, []],
])('distinguishes %s from the rest', (_what, error, expected) => {
  expect(verdicts(error)).toEqual(expected);
});

it('names the verb, the resource, the object and the words of the server', () => {
  const error = refused({ reason: 'NotFound', message: 'services "cart" not found', details });
  expect(error.message).toBe('get services shop/cart: services "cart" not found (404 NotFound)');
  expect(error).toMatchObject({
    name: 'ApiError',
    code: 404,
    reason: 'NotFound',
    verb: 'get',
    resource: 'services',
    ref: call.ref,
  });
});

it('reports what to look at when the credentials are refused', () => {
  expect(refused({ reason: 'Unauthorized', message: 'Unauthorized' }).message).toContain(
    'check that the token or client certificate',
  );
});

it('keeps the beginning of a foreign answer, without control characters and without end', () => {
  const error = answered(502, `<html>\r\n\u001b[31m${'x'.repeat(5000)}`);
  expect(error.message).toMatch(
    /^get services shop\/cart: the server answered with HTTP 502 and no Status: <html> \[31mx+… \(502 InternalError\)$/,
  );
  expect(error.message.length).toBeLessThan(400);
});

it('bounds long messages of a server', () => {
  expect(refused({ reason: 'Invalid', message: 'y'.repeat(1e6) }).message.length).toBeLessThan(2100);
});

it('believes the HTTP code, not the one in a lying Status', () => {
  const lying = {
    kind: 'Status',
    status: 'Success',
    code: 200,
    message: 7,
    reason: ['NotFound'],
    details: { name: 5, causes: 'x' },
  };
  expect(statusOfRefusal(503, JSON.stringify(lying))).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'ServiceUnavailable',
    code: 503,
    details: {},
  });
});

it('has a message where the server sends none', () => {
  const error = new ApiError(
    { verb: 'list', resource: 'pods', ref: { namespace: 'shop' } },
    { kind: 'Status', apiVersion: 'v1', status: 'Failure' },
  );
  expect(error.message).toBe('list pods in Namespace shop: the server gave no reason (0 Unknown)');
});

it('shows a hostile name on one line', () => {
  const error = new ConnectionError(
    { verb: 'get', resource: 'pods', ref: { name: `a\n${'b'.repeat(5000)}` } },
    'timeout',
    'why',
  );
  expect(error.message).toMatch(/^get pods a b+…: why$/);
  expect(error.message.length).toBeLessThan(350);
});
