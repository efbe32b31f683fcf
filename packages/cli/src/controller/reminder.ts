import type { Clock } from '@isthmus/machinery';

/** Decides when a lasting problem is logged again. */
export interface Reminder {
  /** Whether `text` is due: it differs from the last one, or the last one was due a minute ago. */
  isDue(text: string): boolean;
}

const AGAIN_MS = 60_000;

export function createReminder(clock: Clock): Reminder {
  let told: { readonly text: string; readonly atMs: number } | undefined;
  return {
    isDue(text) {
      const now = clock.monotonic();
      if (told?.text === text && now - told.atMs < AGAIN_MS) return false;
      told = { text, atMs: now };
      return true;
    },
  };
}
