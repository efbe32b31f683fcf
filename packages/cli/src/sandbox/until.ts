import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';

export interface UntilOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Default 20 s. */
  readonly limitMs?: number | undefined;
}

const pollMs = 20;

/**
 * Asks again and again until `look` gives something that is not undefined or false. An error of `look` is an answer that was not it. Errors:
 * the signal's reason; after the limit, `what` was waited for, with the last error.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  { clock, signal, limitMs = 20_000 }: UntilOptions,
): Promise<T> {
  const limit = clock.monotonic() + limitMs;
  let last: unknown;
  for (;;) {
    signal.throwIfAborted();
    const found = await look().catch((error: unknown) => {
      last = error;
      return undefined;
    });
    if (found !== undefined && found !== false) return found;
    if (clock.monotonic() > limit) {
      const why = last instanceof Error ? `; last error: ${last.message}` : '';
      throw new Error(`timed out after ${limitMs} ms, waiting for: ${what}${why}`, { cause: last });
    }
    await sleep(clock, pollMs, signal);
  }
}
