import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createReminder } from './reminder.ts';

describe('a reminder', () => {
  it('repeats the same report once a minute, and reports another one at once', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const reminder = createReminder(clock);
    const told: string[] = [];
    for (let second = 0; second <= 180; second++) {
      const text = second < 130 ? 'a' : 'b';
      if (reminder.isDue(text)) told.push(`${text} at ${second} s`);
      await clock.advance(1_000);
    }
    expect(told).toEqual(['a at 0 s', 'a at 60 s', 'a at 120 s', 'b at 130 s']);
  });
});
