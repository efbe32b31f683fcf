import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { createSettled } from './settled.ts';

it('a reason counts after it has lasted for ten seconds, and another one begins from zero', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const settled = createSettled(clock);
  const wait = (reason: string, atOnce = false) => settled.waitMs('shop/cart', reason, atOnce);
  expect([wait('A'), wait('A', true)]).toEqual([10_000, 0]);
  await clock.advance(4_000);
  expect(wait('A')).toBe(6_000);
  expect(wait('B')).toBe(10_000);
  await clock.advance(12_000);
  expect(wait('B')).toBe(0);
  settled.clear('shop/cart');
  expect(wait('B')).toBe(10_000);
});
