import { describe, expect, it } from 'vitest';
import { disconnectedAfterMs, forgottenAfterMs } from '@isthmus/wire';
import type { ForgetInput } from './liveness.ts';
import { isForgotten, livenessOf, sight } from './liveness.ts';

const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;

describe('when an announcement was last seen to change', () => {
  it('the first look counts as fresh, because a restarted leader cannot know better', () => {
    expect(sight(undefined, 'uid beat-1', 5_000)).toEqual({ beat: 'uid beat-1', atMs: 5_000, seenBeating: false });
  });

  it('an unchanged beat keeps its time', () => {
    const first = sight(undefined, 'uid beat-1', 5_000);
    expect(sight(first, 'uid beat-1', 9_000)).toBe(first);
  });

  it.each([
    ['another time stamp', 'uid beat-2'],
    ['another object under the name', 'another beat-1'],
  ])('%s counts as a beat', (_, beat) => {
    const first = sight(undefined, 'uid beat-1', 5_000);
    expect(sight(first, beat, 9_000)).toEqual({ beat, atMs: 9_000, seenBeating: true });
  });
});

describe('whether a member is connected', () => {
  it.each([
    ['at once', 0, { kind: 'connected', untilMs: 130_000, isHeard: true }],
    ['for 30 s', 30 * second, { kind: 'connected', untilMs: 130_000, isHeard: true }],
    ['not a moment longer', 30 * second + 1, { kind: 'disconnected', silentMs: 30 * second + 1 }],
    ['not after a day', day, { kind: 'disconnected', silentMs: day }],
  ])('%s after its last beat', (_, silentMs, liveness) => {
    expect(livenessOf({ beat: 'x', atMs: 100_000, seenBeating: true }, 100_000 + silentMs)).toEqual(liveness);
  });

  it('goes by the rhythm that Antrea has', () => {
    expect([disconnectedAfterMs, forgottenAfterMs]).toEqual([30_000, 86_400_000]);
  });
});

describe('whether a silent member is forgotten', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const forget = (silentMs: number, ages: Partial<Pick<ForgetInput, 'touchedMs' | 'createdMs'>>, seenBeating = false) =>
    isForgotten({
      sighting: { beat: 'x', atMs: 0, seenBeating },
      nowMonotonicMs: silentMs,
      nowMs: now,
      touchedMs: undefined,
      createdMs: undefined,
      forgottenAfterMs,
      ...ages,
    });

  it.each([
    ['silent and stamped for more than a day', day + 1, { touchedMs: now - day - 1 }, true],
    [
      'silent for a minute since a restart, stamped for more than a day',
      60 * second,
      { touchedMs: now - 2 * day },
      true,
    ],
    ['silent for a day, stamped for less', day + 1, { touchedMs: now - day + 1 }, false],
    ['seen and stamped now', 0, { touchedMs: now }, false],
    ['silent for an hour, without a stamp, made two days ago', hour, { createdMs: now - 2 * day }, true],
    ['silent for a day, without stamp and creation time', day + 1, {}, true],
    ['silent for less than a day, without stamp and creation time', day - 1, {}, false],
  ])('%s', (_, silentMs, ages, forgotten) => {
    expect(forget(silentMs, ages)).toBe(forgotten);
  });

  it.each([
    ['a stamp of years ago, and beating', 10 * second, { touchedMs: Date.parse('2020-01-01T00:00:00Z') }, false],
    ['a stamp of years ahead, silent for an hour', hour, { touchedMs: Date.parse('2040-01-01T00:00:00Z') }, false],
    ['a stamp of years ahead, silent for a day', day + 1, { touchedMs: Date.parse('2040-01-01T00:00:00Z') }, true],
    ['no stamp yet, just made', 5 * second, { createdMs: now }, false],
    ['no stamp, made long ago, just seen', 30 * second, { createdMs: now - 2 * day }, false],
  ])('whatever the clock of the member: %s', (_, silentMs, ages, forgotten) => {
    expect(forget(silentMs, ages)).toBe(forgotten);
  });

  it.each([
    ['for a minute, with a stamp of years ago', 60 * second, { touchedMs: Date.parse('2020-01-01T00:00:00Z') }, false],
    ['for a day, with a stamp of years ago', day, { touchedMs: Date.parse('2020-01-01T00:00:00Z') }, false],
    ['for more than a day, with a stamp of now', day + 1, { touchedMs: now }, true],
  ])('that was seen beating, and is silent %s', (_, silentMs, ages, forgotten) => {
    expect(forget(silentMs, ages, true)).toBe(forgotten);
  });
});
