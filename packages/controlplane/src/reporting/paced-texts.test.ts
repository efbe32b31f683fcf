import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createPacedTexts } from './paced-texts.ts';

/**
 * Notes `texts(second)` under one name once a second. Returns the seconds in which a change
 * counted, and the text that counts at the end.
 */
async function secondsOf(seconds: number, texts: (second: number) => string, options?: { readonly atOnce: number }) {
  const clock = createVirtualClock({ startMs: 0 });
  const counted: number[] = [];
  const paced = createPacedTexts(clock, () => counted.push(Math.round(clock.monotonic() / 1_000)), options);
  for (let second = 0; second < seconds; second++) {
    paced.note('east', texts(second));
    await clock.advance(1_000);
  }
  return { counted, last: paced.counted('east') };
}

describe('a text that is noted again and again', () => {
  it('counts at once where it changes seldom', async () => {
    const { counted } = await secondsOf(1_000, (second) => String(Math.floor(second / 200)));
    expect(counted).toEqual([0, 200, 400, 600, 800]);
  });

  it('counts at the pace of a member for a few changes, and ever more seldom where it goes on changing', async () => {
    const { counted } = await secondsOf(400, String);
    expect(counted).toEqual([0, 2, 4, 6, 8, 10, 14, 22, 38, 70, 130, 190, 250, 310, 370]);
  });

  it('counts at once so many times as may be', async () => {
    const { counted } = await secondsOf(100, String, { atOnce: 8 });
    expect(counted).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 21, 37, 69]);
  });

  it('counts as it is in the end', async () => {
    const { counted, last } = await secondsOf(200, (second) => String(Math.min(second, 20)));
    expect(last).toBe('20');
    expect(counted.at(-1)).toBe(22);
  });

  it('counts at once again when it was calm for two minutes', async () => {
    const { counted } = await secondsOf(300, (second) => (second < 20 ? String(second) : second < 290 ? '' : 'again'));
    expect(counted.at(-1)).toBe(290);
  });

  it('does not count where it has changed back when its turn comes', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const counted: string[] = [];
    const paced = createPacedTexts(clock, (_, after) => counted.push(after));
    for (const text of ['a', 'b', 'a']) paced.note('east', text);
    await clock.advance(60_000);
    expect(counted).toEqual(['a']);
  });

  it('does not delay those of others', () => {
    const clock = createVirtualClock({ startMs: 0 });
    const counted: string[] = [];
    const paced = createPacedTexts(clock, (_, after) => counted.push(after));
    for (const text of ['a', 'b', 'c']) paced.note('east', text);
    paced.note('west', 'd');
    expect(counted).toEqual(['a', 'd']);
  });
});
