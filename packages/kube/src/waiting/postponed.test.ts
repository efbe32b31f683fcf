import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createPostponed } from './postponed.ts';

function postponed() {
  const clock = createVirtualClock({ startMs: 0 });
  const ranAt: number[] = [];
  const action = createPostponed(clock, 100, () => void ranAt.push(clock.now()));
  return { clock, ranAt, action };
}

describe('a postponed action', () => {
  it('runs once for all requests, a fixed time after the first, and again for later ones', async () => {
    const { clock, ranAt, action } = postponed();
    action.request();
    await clock.advance(60);
    action.request();
    expect([action.isWaiting, ranAt]).toEqual([true, []]);
    await clock.advance(140);
    expect([action.isWaiting, ranAt, clock.pending]).toEqual([false, [100], 0]);
    action.request();
    await clock.advance(100);
    expect(ranAt).toEqual([100, 300]);
  });

  it('does not run after it was cancelled, whatever is requested later', async () => {
    const { clock, ranAt, action } = postponed();
    action.request();
    action.cancel();
    action.request();
    await clock.advance(1_000);
    expect([ranAt, clock.pending]).toEqual([[], 0]);
  });

  it('can be cancelled before any request', () => {
    const { action, clock } = postponed();
    action.cancel();
    expect([action.isWaiting, clock.pending]).toEqual([false, 0]);
  });
});
