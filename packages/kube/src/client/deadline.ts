import type { Clock } from '@isthmus/machinery';

/**
 * A signal that aborts when time is up or when the caller's own signal does; {@link end} must be
 * called when it is over.
 */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True where the time ran out; false where the caller aborted. */
  readonly expired: boolean;
  remainingMs(): number;
  /** Time is up `ms` from now, whatever was set before. */
  restart(ms: number): void;
  /** Stops the time until the next {@link restart}. */
  pause(): void;
  /**
   * Forgets timer and listener. With `abort`, also aborts the signal, so that what still runs under
   * it stops.
   */
  end(abort?: 'abort'): void;
}

/**
 * Starts a {@link Deadline} of `ms`. Restarting it is cheap: the timer is only set again when it
 * fires.
 */
export function startDeadline(clock: Clock, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  let endsAt = Infinity;
  let armedFor = Infinity;
  let cancelTimer: () => void = () => {};
  let expired = false;

  const arm = (at: number) => {
    cancelTimer();
    armedFor = at;
    cancelTimer = clock.after(at - clock.monotonic(), onTimer);
  };
  const onTimer = () => {
    armedFor = Infinity;
    if (endsAt === Infinity || controller.signal.aborted) return;
    if (clock.monotonic() < endsAt) return arm(endsAt);
    expired = true;
    controller.abort(new Error('timed out'));
  };
  const onAbort = () => controller.abort(parent?.reason);

  const deadline: Deadline = {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    remainingMs: () => endsAt - clock.monotonic(),
    restart(next) {
      endsAt = clock.monotonic() + next;
      if (endsAt < armedFor) arm(endsAt);
    },
    pause() {
      endsAt = Infinity;
    },
    end(abort) {
      cancelTimer();
      parent?.removeEventListener('abort', onAbort);
      if (abort !== undefined) controller.abort(callIsOver);
    },
  };
  if (parent?.aborted === true) onAbort();
  else {
    parent?.addEventListener('abort', onAbort, { once: true });
    deadline.restart(ms);
  }
  return deadline;
}

/** Created once, because every watch ends with it and its stack is not used. */
const callIsOver = new Error('the call has ended');
