import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';

export interface UntilOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The visible progress, as text. While it changes, the wait goes on. Default: there is none. */
  readonly observe?: (() => Promise<string>) | undefined;
}

const pollMs = 20;
/**
 * Longer than one step takes on a machine that others use, a lost and regained Lease of
 * kube-controller-manager included.
 */
const quietMs = 60_000;
/**
 * A machine that was stopped meanwhile did not look, so the time without progress does not count.
 */
const leastLooks = 20;

/**
 * Asks again and again until `look` returns something other than undefined or false, while there is
 * progress. An error of `look` counts as no result. Errors: the signal's reason; what was waited
 * for, with the last error, if nothing has changed for a minute.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  { clock, signal, observe }: UntilOptions,
): Promise<T> {
  // Observed once a minute only: to observe takes more requests than to look.
  let seen: string | undefined;
  let quiet = { sinceMs: clock.monotonic(), looks: 0 };
  let last: unknown;
  for (;;) {
    signal.throwIfAborted();
    const found = await look().catch((error: unknown) => {
      last = error;
      return undefined;
    });
    if (found !== undefined && found !== false) return found;
    quiet.looks++;
    if (clock.monotonic() - quiet.sinceMs > quietMs && quiet.looks >= leastLooks) {
      const sight = await observe?.().catch(() => seen);
      if (sight === seen) throw gaveUp(what, last);
      seen = sight;
      quiet = { sinceMs: clock.monotonic(), looks: 0 };
    }
    await sleep(clock, pollMs, signal);
  }
}

function gaveUp(what: string, last: unknown): Error {
  const why = last instanceof Error ? `; last error: ${last.message}` : '';
  return new Error(`nothing has changed for ${quietMs / 1_000} s while waiting for: ${what}${why}`, { cause: last });
}
