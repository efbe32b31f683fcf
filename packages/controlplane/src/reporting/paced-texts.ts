import type { Clock } from '@isthmus/machinery';

/** The pause for the first changes. Members of ours announce a change at most this often. */
const usualPauseMs = 2_000;
const usualChanges = 5;
/**
 * The longest pause: for a text that keeps changing, changes count less and less often, down to
 * this rate.
 */
const longestPauseMs = 60_000;
/** After this long without a change, the state is as at the start. */
const calmMs = 2 * longestPauseMs;

/**
 * Texts that others may change as often as they like, while each change costs many writes. A
 * restart loses this memory; then all texts count at once.
 */
export interface PacedTexts {
  /**
   * Looks at the text with this name. It counts now or as soon as its pause ends, and then
   * `changed` is called.
   */
  note(name: string, text: string): void;
  /** The text with this name that counts, if any was recorded. */
  counted(name: string): string | undefined;
}

interface Entry {
  counted: string;
  seen: string;
  /** The number of changes that have counted since the last calm time. */
  changes: number;
  countedMs: number;
  waits: boolean;
}

/** `atOnce`: how many changes of a name count without a pause. */
export function createPacedTexts(
  clock: Clock,
  changed: (before: string, after: string, name: string) => void,
  { atOnce = 0 }: { readonly atOnce?: number } = {},
): PacedTexts {
  // The names that changed last are at the end.
  const entries = new Map<string, Entry>();
  return {
    note(name, text) {
      const nowMs = clock.monotonic();
      const entry = entries.get(name) ?? { counted: '', seen: '', changes: 0, countedMs: -Infinity, waits: false };
      entry.seen = text;
      if (entry.waits || text === entry.counted) return;
      const waitMs = entry.countedMs + pauseMs(entry, nowMs) - nowMs;
      if (waitMs <= 0) return count(name, entry);
      entry.waits = true;
      clock.after(waitMs, () => {
        entry.waits = false;
        if (entry.seen !== entry.counted) count(name, entry);
      });
    },
    counted: (name) => entries.get(name)?.counted,
  };

  function count(name: string, entry: Entry): void {
    const nowMs = clock.monotonic();
    const before = entry.counted;
    entry.changes = isCalm(entry, nowMs) ? 1 : entry.changes + 1;
    entry.countedMs = nowMs;
    entry.counted = entry.seen;
    entries.delete(name);
    forgetCalm(nowMs);
    entries.set(name, entry);
    changed(before, entry.counted, name);
  }

  function pauseMs(entry: Entry, nowMs: number): number {
    if (isCalm(entry, nowMs) || entry.changes < atOnce) return 0;
    return Math.min(longestPauseMs, usualPauseMs * 2 ** Math.max(0, entry.changes - Math.max(usualChanges, atOnce)));
  }

  function forgetCalm(nowMs: number): void {
    for (const [name, entry] of entries) {
      if (!isCalm(entry, nowMs)) return;
      if (entry.counted === '' && entry.seen === '') entries.delete(name);
    }
  }
}

function isCalm({ countedMs }: Entry, nowMs: number): boolean {
  return nowMs - countedMs > calmMs;
}
