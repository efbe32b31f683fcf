/**
 * Time that stands still until a test moves it. The one module of the tests that reaches for the event loop (`setImmediate`): a turn of
 * it is the only way to know that no microtask is left. It decides no order and measures nothing.
 */
import type { Clock } from '@isthmus/machinery';
import { TimerHeap } from './timer-heap.ts';

/** How far {@link VirtualClock.runUntil} goes, and what it waits for, in words. */
export interface RunUntilOptions {
  /** Virtual milliseconds from now. */
  readonly limitMs: number;
  /** For the failure: "the import is there". */
  readonly what?: string | undefined;
}

/**
 * A clock for tests. Work that only uses promises and this clock runs the same way each time: timers in the order of (due time, order
 * of setting), all promises drained between two of them. Work that waits for a real socket, file or thread is not waited for.
 */
export interface VirtualClock extends Clock {
  /** How many timers are set and neither run nor cancelled. */
  readonly pending: number;
  /** Milliseconds from now until the next timer; undefined where there is none. */
  readonly untilNextMs: number | undefined;
  /**
   * Resolves when nothing is left to do at this moment: the microtask queue (and Node's `nextTick` queue) has run empty. Time does not
   * move; timers that are due run only when time is advanced, be it by 0.
   */
  settle(): Promise<void>;
  /**
   * Moves time by `ms`, running each timer that becomes due at its own moment, those that it sets included. Settles before the
   * first timer and after each.
   *
   * Errors: rejects with what a timer's callback throws; with an error where more than 100,000 timers run at one moment (a loop that
   * waits for 0 ms), or where another `advance` is still running.
   */
  advance(ms: number): Promise<void>;
  /** Moves time to the next timer and runs it with all others that are due then. False where there is none. */
  advanceToNext(): Promise<boolean>;
  /**
   * Advances from timer to timer until `predicate` holds; it is asked after each settling.
   *
   * Errors: rejects when it does not hold within `limitMs`, or when no timer is left that could change anything.
   */
  runUntil(predicate: () => boolean, options: RunUntilOptions): Promise<void>;
  /** Sets the wall clock forward or back, as an operator or NTP does. Timers and `monotonic` do not notice. */
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
      // Whole milliseconds, as real timers have; what is no positive number means at once, that is with the next advance.
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

/** One turn of the event loop: Node runs every microtask and `nextTick` before it, those that they queue included. */
function drain(): Promise<void> {
  // oxlint-disable-next-line no-restricted-globals -- this module implements the virtual clock
  return new Promise((resolve) => setImmediate(resolve));
}
