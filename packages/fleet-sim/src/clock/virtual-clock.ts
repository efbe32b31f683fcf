/**
 * Time that only a test moves. The one module of the tests that uses the event loop
 * (`setImmediate`): a turn of it is the only way to know that no microtask is left. It decides no
 * order and measures nothing.
 */
import type { Clock } from '@isthmus/machinery';
import { TimerHeap } from './timer-heap.ts';

/** The limit of {@link VirtualClock.runUntil}, and a description of the awaited state. */
export interface RunUntilOptions {
  /** Virtual milliseconds from now. */
  readonly limitMs: number;
  /** For the failure: "the import is there". */
  readonly what?: string | undefined;
}

/**
 * A clock for tests. Work that only uses promises and this clock runs the same way each time:
 * timers run in the order of (due time, order of setting), and all promises are drained between two
 * of them. The clock does not wait for real sockets, files or threads.
 */
export interface VirtualClock extends Clock {
  /** The number of timers that are set and have neither run nor been cancelled. */
  readonly pending: number;
  /** Milliseconds from now until the next timer; undefined if there is none. */
  readonly untilNextMs: number | undefined;
  /**
   * Resolves when no work is left at this moment: the microtask queue (and Node's `nextTick` queue)
   * is empty. Time does not move. Due timers run only when time is advanced, which may be by 0.
   */
  settle(): Promise<void>;
  /**
   * Moves time by `ms`. Each timer that becomes due runs at its own moment, including those that
   * timers set. Settles before the first timer and after each.
   *
   * Errors: rejects with the error of a timer's callback. Rejects if more than 100,000 timers run
   * at one moment (a loop that waits for 0 ms), or if another `advance` is still running.
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves time to the next timer and runs it with all others that are due then. Returns false if
   * there is none.
   */
  advanceToNext(): Promise<boolean>;
  /**
   * Advances from timer to timer until `predicate` holds, which is checked after each settling.
   *
   * Errors: rejects if it does not hold within `limitMs`, or if no timer is left that could change
   * anything.
   */
  runUntil(predicate: () => boolean, options: RunUntilOptions): Promise<void>;
  /**
   * Sets the wall clock forward or back, as an operator or NTP does. It does not affect timers and
   * `monotonic`.
   */
  jump(ms: number): void;
}

/** A clock whose wall time starts at `startMs` (milliseconds since the epoch). */
export function createVirtualClock(options: { readonly startMs: number }): VirtualClock {
  const timers = new TimerHeap();
  let elapsed = 0;
  let wallOffset = options.startMs;
  let running = false;

  async function exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (running) throw new Error('The virtual clock is being advanced already: await the earlier advance first.');
    running = true;
    try {
      return await work();
    } finally {
      running = false;
    }
  }

  async function runDue(): Promise<void> {
    for (let ran = 0; ; ran++) {
      const due = timers.peek();
      if (due === undefined || due.at > elapsed) return;
      if (ran >= mostTimersAtOnce) {
        throw new Error(
          `More than ${mostTimersAtOnce} timers ran at one moment (${describeNow()}): something waits for 0 ms in a loop.`,
        );
      }
      timers.pop();
      due.callback();
      await drain();
    }
  }

  async function advanceTo(target: number): Promise<void> {
    await drain();
    for (let next = timers.peek(); next !== undefined && next.at <= target; next = timers.peek()) {
      elapsed = Math.max(elapsed, next.at);
      await runDue();
    }
    elapsed = Math.max(elapsed, target);
  }

  function describeNow(): string {
    return `${new Date(wallOffset + elapsed).toISOString()}, ${elapsed} ms after the start`;
  }

  const clock: VirtualClock = {
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      if (ms === Number.POSITIVE_INFINITY) return () => {};
      // Whole milliseconds, as for real timers. A value that is not positive means the next
      // advance.
      return timers.push(elapsed + (ms > 0 ? Math.ceil(ms) : 0), callback);
    },
    get pending() {
      return timers.size;
    },
    get untilNextMs() {
      const next = timers.peek();
      return next === undefined ? undefined : Math.max(0, next.at - elapsed);
    },
    settle: drain,
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms)))
        return Promise.reject(new RangeError(`Time cannot be advanced by ${ms} ms.`));
      return exclusively(() => advanceTo(elapsed + ms));
    },
    advanceToNext() {
      return exclusively(async () => {
        await drain();
        const next = timers.peek();
        if (next !== undefined) await advanceTo(Math.max(elapsed, next.at));
        return next !== undefined;
      });
    },
    runUntil(predicate, { limitMs, what = 'what the test waits for' }) {
      return exclusively(async () => {
        const limit = elapsed + limitMs;
        await drain();
        while (!predicate()) {
          const next = timers.peek();
          if (next === undefined)
            throw new Error(`Not so, and no timer is left that could change it: ${what} (${describeNow()}).`);
          if (next.at > limit) {
            elapsed = Math.max(elapsed, limit);
            throw new Error(
              `Not so within ${limitMs} ms of virtual time: ${what} (${describeNow()}; ${timers.size} timers are set).`,
            );
          }
          await advanceTo(Math.max(elapsed, next.at));
        }
      });
    },
    jump(ms) {
      wallOffset += ms;
    },
  };
  return clock;
}

const mostTimersAtOnce = 100_000;

/**
 * One turn of the event loop. Before it, Node runs every microtask and `nextTick`, including those
 * that these queue.
 */
function drain(): Promise<void> {
  // oxlint-disable-next-line no-restricted-globals -- this module implements the virtual clock
  return new Promise((resolve) => setImmediate(resolve));
}
