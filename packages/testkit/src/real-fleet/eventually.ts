import { canonicalJson, equal, errorMessage } from '@isthmus/machinery';
import { waitLimitMs } from '../wait-limit.ts';
import { after, nowMs } from './world.ts';

/**
 * The first polls are close together, for results that come at once. Later ones are not, because
 * each makes an API server work that others wait for, too.
 */
const pollMs = { first: 25, last: 200 } as const;
const pollGrowth = 1.25;

/** Waits for results, in real time. */
export interface Waits {
  /**
   * Polls until `predicate` returns a value that is neither undefined nor false; fails after
   * `limitMs`, default that of {@link waitLimitMs}, with its last error.
   */
  until<T>(what: string, predicate: () => Promise<T | undefined | false>, limitMs?: number): Promise<T>;
  /**
   * Polls until `read` returns the `expected` value; fails after `limitMs`, default the same, with
   * the last value.
   */
  eventually<T>(what: string, read: () => Promise<T>, expected: T, limitMs?: number): Promise<void>;
  /** Waits `ms`, and fails as soon as `read` returns a value other than `expected`. */
  steadily<T>(what: string, read: () => Promise<T>, expected: T, ms: number): Promise<void>;
}

/** Waits that also end when `signal` aborts, at the next poll: they reject with its reason. */
export function waitsUnless(signal: AbortSignal): Waits {
  const usualLimitMs = waitLimitMs();
  return { until, eventually, steadily };

  async function until<T>(
    what: string,
    predicate: () => Promise<T | undefined | false>,
    limitMs = usualLimitMs,
  ): Promise<T> {
    const limit = nowMs() + limitMs;
    let last: unknown;
    for (let pause: number = pollMs.first; ; pause = Math.min(pause * pollGrowth, pollMs.last)) {
      signal.throwIfAborted();
      const found = await predicate().catch((error: unknown) => {
        last = error;
        return undefined;
      });
      if (found !== undefined && found !== false) return found;
      signal.throwIfAborted();
      if (nowMs() > limit) {
        const why = last instanceof Error ? `; last error: ${last.message}` : '';
        throw new Error(`timed out after ${limitMs} ms, waiting for: ${what}${why}`, { cause: last });
      }
      await after(pause);
    }
  }

  async function eventually<T>(
    what: string,
    read: () => Promise<T>,
    expected: T,
    limitMs = usualLimitMs,
  ): Promise<void> {
    let last: string | undefined;
    try {
      await until(
        what,
        async () => {
          const found = await read();
          last = canonicalJson(found ?? null);
          return equal(found, expected);
        },
        limitMs,
      );
    } catch (error) {
      signal.throwIfAborted();
      const why = errorMessage(error);
      throw new Error(`${why}; expected ${canonicalJson(expected ?? null)}; last was ${last ?? 'nothing'}`, {
        cause: error,
      });
    }
  }

  async function steadily<T>(what: string, read: () => Promise<T>, expected: T, ms: number): Promise<void> {
    const end = nowMs() + ms;
    while (nowMs() < end) {
      signal.throwIfAborted();
      const found = await read();
      if (!equal(found, expected)) {
        throw new Error(
          `${what}: expected ${canonicalJson(expected ?? null)} to last, found ${canonicalJson(found ?? null)}`,
        );
      }
      await after(pollMs.first);
    }
  }
}
