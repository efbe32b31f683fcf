import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { startDeadline } from './deadline.ts';

it('time is up once the milliseconds have passed, and not before', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const deadline = startDeadline(clock, 100);
  await clock.advance(99);
  expect([deadline.expired, deadline.signal.aborted, deadline.remainingMs()]).toEqual([false, false, 1]);
  await clock.advance(1);
  expect([deadline.expired, deadline.signal.aborted]).toEqual([true, true]);
});

it('a restart counts from now, for a longer time as for a shorter one', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const deadline = startDeadline(clock, 100);
  await clock.advance(50);
  deadline.restart(100);
  await clock.advance(99);
  expect(deadline.expired).toBe(false);
  deadline.restart(10);
  await clock.advance(10);
  expect(deadline.expired).toBe(true);
});

it('time does not pass while it is paused, until it is restarted', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const deadline = startDeadline(clock, 100);
  deadline.pause();
  await clock.advance(1_000);
  expect([deadline.expired, deadline.signal.aborted]).toEqual([false, false]);
  deadline.restart(100);
  await clock.advance(100);
  expect(deadline.expired).toBe(true);
});

it('it aborts with the caller, for the reason of the caller, and has not expired then', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const caller = new AbortController();
  const deadline = startDeadline(clock, 100, caller.signal);
  caller.abort(new Error('stop'));
  expect([deadline.signal.reason, deadline.expired]).toEqual([new Error('stop'), false]);
  await clock.advance(1_000);
  expect(deadline.expired).toBe(false);
  const late = startDeadline(clock, 100, caller.signal);
  expect(late.signal.reason).toEqual(new Error('stop'));
});

it('once it has ended, no timer is left, and it aborts only where it is asked to', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const quiet = startDeadline(clock, 100);
  quiet.end();
  expect(await clock.advanceToNext()).toBe(false);
  expect([quiet.expired, quiet.signal.aborted]).toEqual([false, false]);
  const loud = startDeadline(clock, 100);
  loud.end('abort');
  expect([loud.expired, loud.signal.aborted]).toEqual([false, true]);
});
