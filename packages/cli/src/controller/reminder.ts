import type { Clock } from '@isthmus/machinery';

/** Decides when something that lasts is worth a line in the log again. */
export interface Reminder {
  /** Whether `text` is to be told now: it is another one than the last time, or a minute has passed since it was told. */
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
