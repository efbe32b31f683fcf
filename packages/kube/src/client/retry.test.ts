import { failureStatus } from '@isthmus/machinery';
import { expect, it } from 'vitest';
import { decideRetry, parseRetryAfter, retryAfterOf } from './retry.ts';
import type { Refusal } from './retry.ts';

const refusal: Refusal = { method: 'GET', code: 429, retryAfterMs: 1000, attempts: 1, remainingMs: 9000 };

it.each<[string, Partial<Refusal>, number | undefined]>([
  ['repeats a read after 429', {}, 1000],
  ['repeats a write after 429: it was not processed', { method: 'POST' }, 1000],
  ['repeats a read after 503', { code: 503 }, 1000],
  ['never repeats a write after 503: it may have been processed', { code: 503, method: 'PUT' }, undefined],
  ['never repeats where the server did not ask for it', { retryAfterMs: undefined }, undefined],
  ['never repeats after 500, asked or not', { code: 500 }, undefined],
  ['never repeats after 409, asked or not', { code: 409 }, undefined],
  ['never waits beyond the time-out', { remainingMs: 1000 }, undefined],
  ['waits a little where the server says at once', { retryAfterMs: 0 }, 100],
  ['repeats a fifth time', { attempts: 5 }, 1000],
  ['does not repeat a sixth time', { attempts: 6 }, undefined],
])('%s', (_title, change, waitMs) => {
  expect(decideRetry({ ...refusal, ...change })).toBe(waitMs);
});

it.each([
  ['3', 3000],
  ['0', 0],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 2000],
  ['Wed, 21 Oct 2020 07:28:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['-1 GMT', undefined],
  ['601', 600_000],
  ['9'.repeat(400), 600_000],
  ['Wed, 21 Oct 2099 07:28:00 GMT', 600_000],
  [undefined, undefined],
])('reads Retry-After %j as %j ms', (header, ms) => {
  expect(parseRetryAfter(header, Date.UTC(2026, 9, 21, 7, 27, 58))).toBe(ms);
});

it.each([
  [undefined, undefined],
  [3, 3000],
  [-3, 0],
  [1e12, 600_000],
])('reads %j seconds in a Status as %j ms', (retryAfterSeconds, ms) => {
  const status = failureStatus({ reason: 'ServerTimeout', message: 'm', details: { retryAfterSeconds } });
  expect(retryAfterOf(status)).toBe(ms);
});
