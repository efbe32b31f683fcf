import { expect, it } from 'vitest';
import { isLive, liveOf, presenceOf } from './presence.ts';

const present = { metadata: { name: 'a' } };
const deleted = { metadata: { name: 'a', deletionTimestamp: '2026-11-30T10:00:00Z', finalizers: ['example.com/x'] } };

it.each([
  ['no object', undefined, 'absent', false],
  ['an object', present, 'present', true],
  ['an object that is being deleted', deleted, 'terminating', false],
])('%s is %s', (_, object, state, live) => {
  const found = presenceOf(object);
  expect(found.state).toBe(state);
  expect(found.object).toBe(object);
  expect(liveOf(object)).toBe(live ? object : undefined);
  if (object !== undefined) expect(isLive(object)).toBe(live);
});
