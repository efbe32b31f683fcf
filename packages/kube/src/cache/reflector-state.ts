import { compareResourceVersions } from '@isthmus/machinery';
import type { Random } from '@isthmus/machinery';
import { backoffMs } from '../waiting/backoff.ts';

/**
 * Reads everything. `failures` counts the attempts in a row that came to nothing, over lists and
 * watches; `answered`: the server answered the last of them, with an error.
 */
export interface Listing {
  readonly kind: 'listing';
  readonly failures: number;
  readonly answered?: true | undefined;
}

/**
 * Follows what happened after `resourceVersion`. `fresh`: nothing has been tried since the list.
 */
export interface Watching {
  readonly kind: 'watching';
  readonly resourceVersion: string;
  readonly failures: number;
  readonly fresh: boolean;
}

/** Nothing happens for `afterMs`; then comes `next`. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly afterMs: number;
  readonly why: string;
  readonly next: Listing | Watching;
}

/** The state of a list-and-watch loop. */
export type ReflectorState = Listing | Watching | Waiting;

/** An event of the loop. `livedMs`: how long the watch is known to have been open. */
export type ReflectorEvent =
  | { readonly kind: 'listed'; readonly resourceVersion: string }
  /** A line of the watch, bookmarks included. */
  | { readonly kind: 'saw'; readonly resourceVersion: string }
  /** The server closed the watch in good order. */
  | { readonly kind: 'ended'; readonly livedMs: number }
  /**
   * The server no longer knows the resourceVersion (410), or does not know it yet (it was restored
   * from a backup).
   */
  | { readonly kind: 'expired'; readonly livedMs: number; readonly why: string }
  | {
      readonly kind: 'failed';
      readonly livedMs: number;
      readonly why: string;
      /** HTTP status of the server's answer, where there was one. */
      readonly code?: number | undefined;
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly kind: 'waited' }
  /**
   * The server is known to answer again, or to have lost data. The loop stops waiting and lists
   * again.
   */
  | { readonly kind: 'renewed' };

/** A watch that lived this long was a success: the next failure is again the first one. */
const HEALTHY_AFTER_MS = 5_000;
const BOUNDS = { minMs: 200, maxMs: 30_000 };
const LONGEST_RETRY_AFTER_MS = 60_000;
/**
 * A server that answers again is asked soon, whatever it answers: it may only have started a moment
 * ago.
 */
const MOST_FAILURES_OF_ANOTHER_KIND = 3;

export const initialReflectorState: ReflectorState = { kind: 'listing', failures: 0 };

/**
 * Returns the state that follows from `event` in `state`. Pure except for the jitter.
 *
 * Guarantees:
 *
 * - Every failure leads to a wait of 0.1 to 30 s (or to what the server asked for, at most a
 *   minute) and to another attempt.
 * - A watch that the server ended in good order is resumed where it stopped.
 * - A watch that broke is followed by a list. Behind a lost connection the server may have been
 *   restored from a backup. Then a resourceVersion that it has not reached yet, or has reached
 *   again, resumes without an error and without the lost events.
 * - An expired watch is followed by a list at once, unless a list was the last step.
 * - A server that closes each watch as soon as it is opened is treated as failing, so that no
 *   answer of a server leads to a busy loop.
 * - A server that answers again, with any answer, is asked within 1.6 s, and then at growing
 *   intervals.
 */
export function step(state: ReflectorState, event: ReflectorEvent, random: Random): ReflectorState {
  switch (state.kind) {
    case 'listing':
      if (event.kind === 'listed') {
        return { kind: 'watching', resourceVersion: event.resourceVersion, failures: state.failures, fresh: true };
      }
      if (event.kind === 'failed' || event.kind === 'expired') return afterFailure(state, event, random);
      return event.kind === 'renewed' ? { ...state, failures: 0 } : state;
    case 'watching':
      return stepWatching(state, event, random);
    case 'waiting':
      if (event.kind === 'renewed') return { ...state.next, failures: 0 };
      return event.kind === 'waited' ? state.next : state;
  }
}

function stepWatching(state: Watching, event: ReflectorEvent, random: Random): ReflectorState {
  switch (event.kind) {
    case 'saw': {
      const order = compareResourceVersions(event.resourceVersion, state.resourceVersion);
      return order !== undefined && order <= 0 ? state : { ...state, resourceVersion: event.resourceVersion };
    }
    case 'ended':
      if (event.livedMs >= HEALTHY_AFTER_MS) return { ...state, failures: 0, fresh: false };
      return afterFailure(
        { ...state, fresh: false },
        { ...event, why: 'the server ends each watch immediately' },
        random,
      );
    case 'expired': {
      const healthy = event.livedMs >= HEALTHY_AFTER_MS;
      if (healthy || !state.fresh) return { kind: 'listing', failures: healthy ? 0 : state.failures };
      return afterFailure({ kind: 'listing', failures: state.failures }, event, random);
    }
    case 'failed': {
      const failures = event.livedMs >= HEALTHY_AFTER_MS ? 0 : state.failures;
      // It has answered the list.
      return afterFailure({ kind: 'listing', failures, answered: true }, event, random);
    }
    case 'renewed':
      return { kind: 'listing', failures: 0 };
    case 'listed':
    case 'waited':
      return state;
  }
}

function afterFailure(
  next: Listing | Watching,
  event: { readonly why: string; readonly code?: number | undefined; readonly retryAfterMs?: number | undefined },
  random: Random,
): Waiting {
  const answered = event.code !== undefined;
  const answersAgain = answered && next.kind === 'listing' && next.answered !== true;
  const failures = (answersAgain ? Math.min(next.failures, MOST_FAILURES_OF_ANOTHER_KIND) : next.failures) + 1;
  const asked = Math.min(event.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
  const afterMs = Math.max(backoffMs(failures, BOUNDS, random), asked);
  return {
    kind: 'waiting',
    afterMs,
    why: event.why,
    next:
      next.kind === 'watching' ? { ...next, failures } : { kind: 'listing', failures, ...(answered && { answered }) },
  };
}
