import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { memoryLog } from '../log/log.ts';
import { createFailureStreaks } from './failure-streaks.ts';

function setUp() {
  const clock = createVirtualClock({ startMs: 0 });
  const log = memoryLog();
  const lines = () =>
    log.entries
      .filter(({ level }) => level !== 'debug')
      .map(({ level, message, fields }) => [level, message, fields['key'], fields['failures']]);
  return { clock, log, lines, streaks: createFailureStreaks(clock, log) };
}

describe('a key whose reconciles fail', () => {
  it('is logged when that begins, every five minutes while it lasts, and when it is over', async () => {
    const { clock, log, lines, streaks } = setUp();
    for (let attempt = 0; attempt < 20; attempt++) {
      streaks.failed('shop/cart', new Error('503'), 30_000);
      await clock.advance(30_000);
    }
    streaks.ended('shop/cart');
    streaks.ended('shop/cart');
    expect(lines()).toEqual([
      ['error', 'reconcile failed', 'shop/cart', 1],
      ['error', 'reconcile failed', 'shop/cart', 11],
      ['info', 'no longer failing', 'shop/cart', 20],
    ]);
    expect(log.entries).toHaveLength(21);
  });

  it('is logged again when the cause changes', () => {
    const { lines, streaks } = setUp();
    for (const cause of ['503', '503', '403', '403', '503']) streaks.failed('a', new Error(cause), 1);
    expect(lines().map(([, , , failures]) => failures)).toEqual([1, 3, 5]);
  });

  it('does not hide that another key fails for the same cause, and a single failure is not followed up', () => {
    const { lines, streaks } = setUp();
    streaks.failed('a', new Error('503'), 1);
    streaks.failed('b', new Error('503'), 1);
    streaks.ended('a');
    expect(lines().map(([level, , key]) => [level, key])).toEqual([
      ['error', 'a'],
      ['error', 'b'],
    ]);
  });
});
