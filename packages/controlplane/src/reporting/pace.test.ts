import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createPace } from './pace.ts';

/** Changes `key` again and again, and writes it when it may. Returns when it was written. */
async function flap({ everyMs, forMs, perMinute = 60 }: { everyMs: number; forMs: number; perMinute?: number }) {
  const clock = createVirtualClock({ startMs: 0 });
  const pace = createPace(clock);
  const written: number[] = [];
  let isWaiting = false;
  const write = () => {
    const waitMs = pace.begin('key');
    if (waitMs === 0) return void written.push(clock.monotonic());
    if (isWaiting) return undefined;
    isWaiting = true;
    clock.after(waitMs, () => {
      isWaiting = false;
      write();
    });
    return undefined;
  };
  const startMs = clock.monotonic();
  for (let atMs = 0; atMs < forMs; atMs += everyMs) {
    pace.changed('key', 'evil', perMinute);
    write();
    await clock.advance(everyMs);
  }
  return { pace, clock, written: written.map((ms) => ms - startMs) };
}

describe('a key', () => {
  it('that changes twenty times a second is written at most thirty times in each minute, and every five seconds in the end', async () => {
    const { written } = await flap({ everyMs: 50, forMs: 600_000 });
    const perMinute = Array.from(
      { length: 10 },
      (_, minute) => written.filter((ms) => Math.floor(ms / 60_000) === minute).length,
    );
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(30);
    expect(perMinute.slice(2)).toEqual(Array.from({ length: 8 }, () => 12));
  });

  it('that changes once a second, as in a rollout, is written each time', async () => {
    expect((await flap({ everyMs: 1_000, forMs: 300_000 })).written.length).toBeGreaterThanOrEqual(295);
  });

  it('that changes a few times is written at once, and a burst of changes within a second each', async () => {
    expect((await flap({ everyMs: 10, forMs: 50 })).written).toEqual([0, 10, 20, 30, 40]);
    const { written } = await flap({ everyMs: 100, forMs: 4_000 });
    expect(written.slice(10, 12)).toEqual([1900, 2900]);
  });

  it('does not wait when another one changes all the time, and is free again after two quiet minutes', async () => {
    const { pace, clock } = await flap({ everyMs: 50, forMs: 120_000 });
    pace.changed('other', 'evil', 60);
    expect(pace.begin('other')).toBe(0);
    await clock.advance(180_000);
    pace.changed('key', 'evil', 60);
    expect(pace.begin('key')).toBe(0);
    pace.changed('key', 'evil', 60);
    expect(pace.begin('key')).toBe(0);
  });

  it('is written at once for an owner that changes it now and then, while another one changes it all the time', async () => {
    const { pace } = await flap({ everyMs: 50, forMs: 120_000 });
    pace.changed('key', 'evil', 60);
    expect(pace.begin('key')).toBeGreaterThan(0);
    pace.changed('key', 'west', 60);
    expect(pace.begin('key')).toBe(0);
  });

  it('that has not changed never waits', async () => {
    const { pace } = await flap({ everyMs: 50, forMs: 60_000 });
    expect(pace.begin('unchanged')).toBe(0);
  });
});
