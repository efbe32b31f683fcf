import type { ResourceExport } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';

/**
 * Since when exports have been incomplete, by key and uid. A restart loses it, which costs the wait
 * once more.
 */
export interface IncompleteSince {
  /** For how many milliseconds each recorded export of `key` has been incomplete. */
  forMs(key: string): ReadonlyMap<string, number>;
  /** Records the incomplete exports of `key`, and forgets its other exports. */
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
        // If a complete export loses its other half, its time begins again.
        if (incomplete.includes(uid)) noted.set(uid, before.get(uid) ?? nowMs);
      }
      if (noted.size > 0) sinceMs.set(key, noted);
      else sinceMs.delete(key);
    },
  };
}
