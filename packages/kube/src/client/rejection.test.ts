import { expect, it } from 'vitest';
import { ApiError } from './errors.ts';
import { isRejected } from './rejection.ts';

const answer = (code: number) =>
  new ApiError({ verb: 'create', resource: 'things' }, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code });

it('takes an answer for final where the same request would get it again', () => {
  expect(
    [400, 401, 403, 404, 405, 409, 410, 413, 422, 429, 500, 503].filter((code) => isRejected(answer(code))),
  ).toEqual([400, 403, 413, 422]);
  expect(isRejected(new Error('no answer'))).toBe(false);
});
