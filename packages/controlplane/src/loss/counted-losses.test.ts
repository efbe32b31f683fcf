import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { countedOnce } from './counted-losses.ts';

it('losses are counted once for all that ask within a time', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  let counts = 0;
  const count = countedOnce(clock, 100, () => ({ missing: ++counts, total: 50 }));
  expect(count()).toEqual({ missing: 1, total: 50 });
  await clock.advance(99);
  expect(count().missing).toBe(1);
  await clock.advance(1);
  expect(count().missing).toBe(2);
  await clock.advance(99);
  expect(count().missing).toBe(2);
});
