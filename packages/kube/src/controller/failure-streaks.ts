import type { Clock } from '@isthmus/machinery';
import { errorText } from '../log/error-text.ts';
import type { Log } from '../log/log.ts';

/** A failure that lasts is logged again after this time. */
const REPEAT_MS = 300_000;

/** Which keys of one controller fail at present. */
export interface FailureStreaks {
  /** The run of `key` threw `error`, and is repeated after `retryInMs`. */
  failed(key: string, error: unknown, retryInMs: number): void;
  /** The run of `key` ended otherwise. */
  ended(key: string): void;
}

interface Streak {
  readonly failures: number;
  readonly text: string;
  readonly loggedMs: number;
}

/**
 * Logs a failure once: when it begins, when its cause changes, every five minutes for as long as it
 * lasts, and when it is over after more than one. With a pause that grows to half a minute at most,
 * each attempt of many keys would otherwise be a line.
 */
export function createFailureStreaks(clock: Clock, log: Log): FailureStreaks {
  const streaks = new Map<string, Streak>();
  return {
    failed(key, error, retryInMs) {
      const nowMs = clock.monotonic();
      const text = errorText(error);
      const before = streaks.get(key);
      const failures = (before?.failures ?? 0) + 1;
      const fields = { key, failures, retryInMs: Math.round(retryInMs) };
      const isNews = before?.text !== text || nowMs - before.loggedMs >= REPEAT_MS;
      if (isNews) log.error('reconcile failed', error, fields);
      else log.debug('reconcile failed again', { ...fields, why: text });
      streaks.set(key, { failures, text, loggedMs: isNews ? nowMs : (before?.loggedMs ?? nowMs) });
    },
    ended(key) {
      const before = streaks.get(key);
      if (before === undefined) return;
      streaks.delete(key);
      if (before.failures > 1) log.info('no longer failing', { key, failures: before.failures });
    },
  };
}
