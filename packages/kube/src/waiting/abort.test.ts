import { getEventListeners } from 'node:events';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { limitedAbort, linkedAbort, whenAborted } from './abort.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('linkedAbort', () => {
  it('follows its parent with its reason, and can be aborted alone', () => {
    const parent = new AbortController();
    using first = linkedAbort(parent.signal);
    using second = linkedAbort(parent.signal);
    first.abort('mine');
    parent.abort('theirs');
    expect([first.signal.reason, second.signal.reason, linkedAbort(parent.signal).signal.reason]).toEqual([
      'mine',
      'theirs',
      'theirs',
    ]);
  });

  it('leaves nothing at its parent when it is over', () => {
    const parent = new AbortController();
    const clock = createVirtualClock({ startMs: 0 });
    {
      using _a = linkedAbort(parent.signal);
      using _b = limitedAbort(parent.signal, clock, 10, 'late');
      expect([listeners(parent.signal), clock.pending]).toEqual([2, 1]);
    }
    expect([listeners(parent.signal), clock.pending]).toEqual([0, 0]);
  });
});

describe('limitedAbort', () => {
  it('aborts by itself with the reason why', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    using limit = limitedAbort(new AbortController().signal, clock, 10, 'no answer within 10 ms');
    await clock.advance(9);
    expect(limit.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(limit.signal.reason).toEqual(new Error('no answer within 10 ms'));
  });
});

describe('whenAborted', () => {
  it('resolves when the signal aborts, and at once where it has', async () => {
    const parent = new AbortController();
    const ended = whenAborted(parent.signal);
    parent.abort();
    await ended;
    await whenAborted(parent.signal);
  });
});
