import { expect, it } from 'vitest';
import { failureStatus, hasCause, hasReason, parseStatus, statusReasons } from './status.ts';
import type { Status, StatusReason } from './status.ts';

const status = (fields: Partial<Status>): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  ...fields,
});

it('makes a failure with the code that belongs to its reason', () => {
  expect(
    failureStatus({ reason: 'NotFound', message: 'pods "a" not found', details: { name: 'a', kind: 'pods' } }),
  ).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'pods "a" not found',
    reason: 'NotFound',
    details: { name: 'a', kind: 'pods' },
    code: 404,
  });
  expect(failureStatus({ reason: 'Forbidden', message: 'm', code: 451 }).code).toBe(451);
});

it.each<[string, Partial<Status>, readonly StatusReason[]]>([
  ['a known reason', { reason: 'Conflict', code: 409 }, ['Conflict']],
  ['a known reason with a foreign code', { reason: 'NotFound', code: 409 }, ['NotFound']],
  ['an unknown reason by its code', { reason: 'NotFoundHere', code: 404 }, ['NotFound']],
  ['no reason by its code', { code: 403 }, ['Forbidden']],
  ['no reason and a code of several reasons', { code: 409 }, []],
  ['a reason that every object inherits', { reason: 'constructor', code: 422 }, ['Invalid']],
  ['nothing', {}, []],
])('judges %s', (_title, fields, expected) => {
  const reasons = Object.keys(statusReasons) as StatusReason[];
  expect(reasons.filter((reason) => hasReason(status(fields), reason))).toEqual(expected);
});

it('finds a cause by its reason', () => {
  const refused = status({ details: { causes: [{ field: 'spec' }, { reason: 'NamespaceTerminating' }] } });
  expect(hasCause(refused, 'NamespaceTerminating')).toBe(true);
  expect(hasCause(refused, 'FieldValueInvalid')).toBe(false);
  expect(hasCause(status({}), 'FieldValueInvalid')).toBe(false);
});

it('reads what a server sends', () => {
  const sent = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'm',
    reason: 'Invalid',
    details: {
      name: 'a',
      group: 'g',
      kind: 'k',
      uid: 'u',
      causes: [{ reason: 'r', message: 'm', field: 'f' }],
      retryAfterSeconds: 3,
    },
    code: 422,
  };
  const { metadata: _metadata, ...expected } = sent;
  expect(parseStatus(sent)).toEqual(expected);
});

it.each([undefined, null, 5, 'Status', [], {}, { kind: 'Pod' }])('takes %j for no Status', (value) => {
  expect(parseStatus(value)).toBeUndefined();
});

it('leaves out what has the wrong type', () => {
  const lying = {
    kind: 'Status',
    status: 1,
    message: {},
    reason: '',
    code: 4.5,
    details: { name: 1, causes: [null, 'x', { field: 2 }] },
  };
  expect(parseStatus(lying)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    details: { causes: [{}] },
  });
  expect(parseStatus({ kind: 'Status', details: [] })).toEqual({ kind: 'Status', apiVersion: 'v1', status: 'Failure' });
});
