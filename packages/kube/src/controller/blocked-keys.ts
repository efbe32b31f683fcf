import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Blocked, Outcome } from './outcome.ts';

export interface BlockedKeysOptions {
  /** The name of the controller: the label of the metric. */
  readonly name: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The keys of one controller for which a person must act. */
export interface BlockedKeys {
  /** The last run of `key` ended so. A run that threw proves nothing and is not noted. */
  ended(key: string, outcome: Outcome<string>): void;
  /** Forgets all: nothing is counted by a controller that does not run. */
  close(): void;
}

/**
 * Counts the blocked keys by reason in a gauge, and logs each change of a key once: when it becomes
 * blocked, when reason or message change, and when it is no longer blocked (its next run ended
 * otherwise, be it that the object is gone).
 */
export function createBlockedKeys({ name, log, metrics }: BlockedKeysOptions): BlockedKeys {
  const blocked = new Map<string, Blocked>();
  const counts = new Map<string, number>();
  const count = (reason: string, by: 1 | -1): void => {
    const keys = (counts.get(reason) ?? 0) + by;
    counts.set(reason, keys);
    metrics.blockedKeys.set({ controller: name, reason }, keys);
  };
  return {
    ended(key, outcome) {
      const before = blocked.get(key);
      if (outcome.kind !== 'blocked') {
        if (before === undefined) return;
        blocked.delete(key);
        count(before.reason, -1);
        log.info('no longer blocked', { key, reason: before.reason });
        return;
      }
      const { reason, message } = outcome;
      if (before?.reason === reason && before.message === message) return;
      blocked.set(key, outcome);
      if (before?.reason !== reason) {
        if (before !== undefined) count(before.reason, -1);
        count(reason, 1);
      }
      log.info('blocked until the reported problem is fixed', { key, reason, message });
    },
    close() {
      blocked.clear();
      for (const reason of counts.keys()) metrics.blockedKeys.set({ controller: name, reason }, 0);
      counts.clear();
    },
  };
}
