import type { Log } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';

/** How often answers that are cut are logged. Clients ask for the same name all the time. */
const againMs = 600_000;

/** Answers over TCP that lack records: no client notices, since TCP has no other transport. */
export interface CutAnswers {
  note(name: string, type: string): void;
}

/** Its only memory is when it last logged one. A restart loses it, which costs one more line. */
export function createCutAnswers({ clock, log }: { readonly clock: Clock; readonly log: Log }): CutAnswers {
  let loggedMs = Number.NEGATIVE_INFINITY;
  return {
    note(name, type) {
      const nowMs = clock.monotonic();
      if (nowMs - loggedMs < againMs) return;
      loggedMs = nowMs;
      log.warn('an answer over TCP lacks records: a DNS message has at most 65,535 bytes', { name, type });
    },
  };
}
