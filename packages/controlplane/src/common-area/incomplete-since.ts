import type { ResourceExport } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';

/**
 * Since when exports have been incomplete, by key and uid. Only a matter of patience: lost with the process, which costs the wait once more.
 */
export interface IncompleteSince {
  /** For how many milliseconds each noted export of `key` has been incomplete. */
  forMs(key: string): ReadonlyMap<string, number>;
  /** Notes the exports of `key` that are incomplete now, and forgets the others. */
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
        // One that is complete begins anew when it loses its other half.
        if (incomplete.includes(uid)) noted.set(uid, before.get(uid) ?? nowMs);
      }
      if (noted.size > 0) sinceMs.set(key, noted);
      else sinceMs.delete(key);
    },
  };
}
