import type { Clock } from '@isthmus/machinery';

/** An action that runs once for many requests, a fixed time after the first of them. */
export interface Postponed {
  /** Whether a request waits for its action. */
  readonly isWaiting: boolean;
  request(): void;
  /** The waiting action does not run, and later requests do not start another one. */
  cancel(): void;
}

export function createPostponed(clock: Clock, afterMs: number, act: () => void): Postponed {
  let cancelTimer: (() => void) | undefined;
  return {
    get isWaiting() {
      return cancelTimer !== undefined;
    },
    request() {
      cancelTimer ??= clock.after(afterMs, () => {
        cancelTimer = undefined;
        act();
      });
    },
    cancel: () => cancelTimer?.(),
  };
}
