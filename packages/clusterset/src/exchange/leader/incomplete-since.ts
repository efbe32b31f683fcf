import type { ResourceExport } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';

/**
 * Since when exports have been incomplete, by key and uid. Only a matter of patience: lost with the process, which costs the wait once more.
 */
export interface IncompleteSince {
  /** For how many milliseconds each noted export of `key` has been incomplete. */
  forMs(key: string): ReadonlyMap<string, number>;
  /** Notes the exports of `key` that are incomplete now, and forgets those that are gone. */
  note(key: string, exports: readonly ResourceExport[], incomplete: readonly string[]): void;
}

export function createIncompleteSince(clock: Clock): IncompleteSince {
  const sinceMs = new Map<string, ReadonlyMap<string, number>>();
  return {
    forMs(key) {
      const nowMs = clock.monotonic();
      return new Map([...(sinceMs.get(key) ?? [])].map(([uid, since]) => [uid, nowMs - since]));
    },
    note(key, exports, incomplete) {
      const nowMs = clock.monotonic();
      const before = sinceMs.get(key) ?? new Map<string, number>();
      const noted = new Map<string, number>();
      for (const { metadata } of exports) {
        const { uid = '' } = metadata;
        const since = before.get(uid) ?? (incomplete.includes(uid) ? nowMs : undefined);
        if (since !== undefined) noted.set(uid, since);
      }
      if (noted.size > 0) sinceMs.set(key, noted);
      else sinceMs.delete(key);
    },
  };
}
