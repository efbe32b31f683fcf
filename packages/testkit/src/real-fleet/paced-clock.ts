import type { Clock } from '@isthmus/machinery';

/** A clock that runs `pace` times as fast as another one, from the moment of this call on. */
export function pacedClock(clock: Clock, pace: number): Clock {
  if (pace === 1) return clock;
  const began = { now: clock.now(), monotonic: clock.monotonic() };
  return {
    now: () => began.now + (clock.now() - began.now) * pace,
    monotonic: () => began.monotonic + (clock.monotonic() - began.monotonic) * pace,
    after: (ms, callback) => clock.after(ms / pace, callback),
  };
}
