import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { createSettling } from './settling-losses.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');

it('a loss is waited for until nothing else has gone missing for a second', async () => {
  const clock = createVirtualClock({ startMs });
  const settling = createSettling(clock);
  expect(settling.waitMs('a', 20)).toBe(1_000);
  await clock.advance(600);
  expect(settling.waitMs('b', 20)).toBe(1_000);
  expect(settling.waitMs('a', 20)).toBe(1_000);
  await clock.advance(1_000);
  expect(['a', 'b'].map((id) => settling.waitMs(id, 20))).toEqual([0, 0]);
});

it('a loss is never waited for longer than a minute, whatever follows', async () => {
  const clock = createVirtualClock({ startMs });
  const settling = createSettling(clock);
  for (let at = 0; at < 60_000 / 800; at++) {
    expect(settling.waitMs('a', 1_000)).toBeGreaterThan(0);
    settling.waitMs(`b${at}`, 1_000);
    await clock.advance(800);
  }
  settling.waitMs('c', 1_000);
  expect(settling.waitMs('a', 1_000)).toBe(0);
});

it('what comes back, and is lost again, is waited for again', async () => {
  const clock = createVirtualClock({ startMs });
  const settling = createSettling(clock);
  settling.waitMs('a', 20);
  await clock.advance(60_000);
  settling.forget('a');
  expect(settling.waitMs('a', 20)).toBe(1_000);
});

it('where only ten are published nothing is waited for', () => {
  expect(createSettling(createVirtualClock({ startMs })).waitMs('a', 10)).toBe(0);
});
