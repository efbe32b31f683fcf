import { seededRandom } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { ReflectorEvent, ReflectorState } from './reflector-state.ts';
import { initialReflectorState, step } from './reflector-state.ts';

const highest = { next: () => 0.999_999_999 };
const wait = (next: ReflectorState, afterMs: number, why = 'down') => ({ kind: 'waiting', next, afterMs, why });
const down: ReflectorEvent = { kind: 'failed', livedMs: 0, why: 'down' };

function after(state: ReflectorState, ...events: readonly ReflectorEvent[]): ReflectorState {
  const end = events.reduce((now, event) => step(now, event, highest), state);
  return end.kind === 'waiting' ? { ...end, afterMs: Math.round(end.afterMs) } : end;
}

const fresh: ReflectorState = { kind: 'watching', resourceVersion: '7', failures: 0, fresh: true };
const lived: ReflectorState = { ...fresh, fresh: false };
const listingAfter = (failures: number): ReflectorState => ({ kind: 'listing', failures });

describe('step', () => {
  it('watches from where the list was read', () => {
    expect(after(initialReflectorState, { kind: 'listed', resourceVersion: '7' })).toEqual(fresh);
  });

  it('moves with each line, and never back', () => {
    expect(after(fresh, { kind: 'saw', resourceVersion: '9' }, { kind: 'saw', resourceVersion: '8' })).toEqual({
      ...fresh,
      resourceVersion: '9',
    });
  });

  it.each<[string, ReflectorState, ReflectorEvent, object]>([
    ['lists again after a failed list', initialReflectorState, down, wait({ kind: 'listing', failures: 1 }, 200)],
    ['lists anew after a watch that broke: its server may have gone back', lived, down, wait(listingAfter(1), 200)],
    [
      'counts anew after a watch that lived',
      { ...lived, failures: 6 },
      { ...down, livedMs: 5_000 },
      wait(listingAfter(1), 200),
    ],
    ['doubles the wait with each failure in a row', { ...lived, failures: 3 }, down, wait(listingAfter(4), 1_600)],
    ['waits 30 s at most', { ...lived, failures: 60 }, down, wait(listingAfter(61), 30_000)],
    [
      'asks a server soon that answers again, whatever it answers: it may only have started a moment ago',
      listingAfter(9),
      { ...down, code: 404 },
      wait({ kind: 'listing', failures: 4, answered: true }, 1_600),
    ],
    [
      'waits ever longer for a server that goes on answering with errors',
      { kind: 'listing', failures: 9, answered: true },
      { ...down, code: 404 },
      wait({ kind: 'listing', failures: 10, answered: true }, 30_000),
    ],
    [
      'waits ever longer for a server that answers lists alone',
      { ...fresh, failures: 9 },
      { ...down, code: 403 },
      wait({ kind: 'listing', failures: 10, answered: true }, 30_000),
    ],
    ['waits as long as the server asks', lived, { ...down, retryAfterMs: 12_000 }, wait(listingAfter(1), 12_000)],
    ['waits a minute at most', lived, { ...down, retryAfterMs: 1e9 }, wait(listingAfter(1), 60_000)],
    ['watches on at once when the server ends a long watch', fresh, { kind: 'ended', livedMs: 270_000 }, lived],
    [
      'does not spin on a server that ends each watch at once',
      lived,
      { kind: 'ended', livedMs: 3 },
      wait({ ...lived, failures: 1 }, 200, 'the server ends each watch immediately'),
    ],
    [
      'lists at once when a watch that lived has expired',
      { ...lived, failures: 2 },
      { kind: 'expired', livedMs: 0, why: 'old' },
      { kind: 'listing', failures: 2 },
    ],
    [
      'forgets earlier failures when a watch that lived long has expired',
      { ...lived, failures: 2 },
      { kind: 'expired', livedMs: 5_000, why: 'old' },
      { kind: 'listing', failures: 0 },
    ],
    [
      'lists at once when a watch right after a list has lived long before it expired',
      { ...fresh, failures: 2 },
      { kind: 'expired', livedMs: 5_000, why: 'old' },
      { kind: 'listing', failures: 0 },
    ],
    [
      'waits when what was just listed has expired',
      fresh,
      { kind: 'expired', livedMs: 0, why: 'old' },
      wait({ kind: 'listing', failures: 1 }, 200, 'old'),
    ],
    ['lists anew when it is renewed', { ...fresh, failures: 3 }, { kind: 'renewed' }, listingAfter(0)],
    [
      'does not wait any more when it is renewed',
      { kind: 'waiting', afterMs: 30_000, why: '', next: { ...lived, failures: 9 } },
      { kind: 'renewed' },
      lived,
    ],
    ['goes on after the wait', { kind: 'waiting', afterMs: 1, why: '', next: lived }, { kind: 'waited' }, lived],
  ])('%s', (_, state, event, expected) => {
    expect(after(state, event)).toEqual(expected);
  });

  it('lists at once when the place in history is lost over an outage, however soon after the list it began', () => {
    const resumed = after(fresh, { kind: 'ended', livedMs: 3 }, { kind: 'waited' });
    expect(after(resumed, { kind: 'expired', livedMs: 0, why: 'old' })).toEqual({ kind: 'listing', failures: 1 });
  });

  it('takes at least 100 ms for each attempt, whatever a server that never works answers', () => {
    const random = seededRandom(3);
    const answers: readonly ReflectorEvent[] = [
      { kind: 'listed', resourceVersion: '7' },
      { kind: 'ended', livedMs: 0 },
      { kind: 'expired', livedMs: 0, why: '' },
      down,
    ];
    let state: ReflectorState = initialReflectorState;
    let attempts = 0;
    let waitedMs = 0;
    for (let i = 0; i < 2_000; i++) {
      if (state.kind === 'waiting') {
        expect(state.afterMs).toBeGreaterThanOrEqual(100);
        expect(state.afterMs).toBeLessThanOrEqual(30_000);
        waitedMs += state.afterMs;
        state = step(state, { kind: 'waited' }, random);
      } else {
        attempts++;
        state = step(state, answers[Math.floor(random.next() * answers.length)] ?? down, random);
      }
    }
    // Fewer than one attempt in ten seconds, in the long run.
    expect(waitedMs / attempts).toBeGreaterThan(10_000);
  });
});
