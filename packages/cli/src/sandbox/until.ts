import type { Clock } from '@isthmus/machinery';
import { errorMessage, sleep } from '@isthmus/machinery';

export interface UntilOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * The visible progress, as lines for users. While it changes, the wait goes on; where the wait
   * ends in vain, its error prints them. Rejects where it cannot be read.
   */
  readonly observe: () => Promise<string>;
}

const pollMs = 20;
/**
 * Longer than one step takes on a machine that others use, a lost and regained Lease of
 * kube-controller-manager included.
 */
const quietMs = 60_000;
/** Turns and answers that take longer than this show that the machine is busy. */
const lateTurnMs = 2 * pollMs;
const slowAnswerMs = 2_000;

/** A wait without its own progress. */
export type Wait = Omit<UntilOptions, 'observe'>;

/** One period of a wait, from the last change that was seen. */
interface Quiet {
  readonly sinceMs: number;
  /** How often this process had its turn, which is due every {@link pollMs}. */
  turns: number;
  looks: number;
  failedLooks: number;
  slowestMs: number;
}

/**
 * Asks again and again until `look` returns something other than undefined or false, while there is
 * progress. An error of `look` counts as no result. The patience is a minute of turns of this
 * process: the longer it waits for the processor, or is suspended, the longer it looks. Errors: the
 * signal's reason; if nothing has changed for a minute, what was waited for, the last error, what
 * was last seen, and whether the machine is busy. If the progress cannot be read after that minute,
 * it is tried for another one.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  { clock, signal, observe }: UntilOptions,
): Promise<T> {
  const begin = (): Quiet => ({ sinceMs: clock.monotonic(), turns: 0, looks: 0, failedLooks: 0, slowestMs: 0 });
  let quiet = begin();
  // Observed once a minute only: to observe takes more requests than to look.
  let seen: string | undefined;
  let lookError: unknown;
  const end = new AbortController();
  const turns = AbortSignal.any([signal, end.signal]);
  const takeTurns = async () => {
    for (;;) {
      await sleep(clock, pollMs, turns);
      quiet.turns++;
    }
  };
  takeTurns().catch(() => {});
  try {
    for (;;) {
      signal.throwIfAborted();
      const fromMs = clock.monotonic();
      const found = await look().catch((error: unknown) => {
        lookError = error;
        quiet.failedLooks++;
        return undefined;
      });
      if (found !== undefined && found !== false) return found;
      quiet.looks++;
      quiet.slowestMs = Math.max(quiet.slowestMs, clock.monotonic() - fromMs);
      const patienceMs = quiet.turns * pollMs;
      if (patienceMs > quietMs) {
        // Others than undefined: it cannot be read.
        let blind: string | undefined;
        const sight = await observe().catch((error: unknown) => void (blind = errorMessage(error)));
        const isOver = sight === undefined ? patienceMs > 2 * quietMs : sight === seen;
        if (isOver) throw gaveUp(what, { quiet, lookError, seen, blind, waitedMs: clock.monotonic() - quiet.sinceMs });
        if (sight !== undefined) {
          seen = sight;
          quiet = begin();
        }
      }
      await sleep(clock, pollMs, signal);
    }
  } finally {
    end.abort();
  }
}

interface InVain {
  readonly quiet: Quiet;
  readonly lookError: unknown;
  readonly seen: string | undefined;
  readonly blind: string | undefined;
  readonly waitedMs: number;
}

function gaveUp(what: string, { quiet, lookError, seen, blind, waitedMs }: InVain): Error {
  const { turns, looks, failedLooks, slowestMs } = quiet;
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
  const first =
    blind === undefined
      ? `nothing has changed for ${seconds(waitedMs)} while waiting for: ${what}`
      : `no progress could be read for ${seconds(waitedMs)} while waiting for: ${what}`;
  const turnMs = waitedMs / Math.max(1, turns);
  const busy = [
    ...(turnMs > lateTurnMs ? [`timers of ${pollMs} ms took ${Math.round(turnMs)} ms on average`] : []),
    ...(slowestMs > slowAnswerMs ? [`the slowest answer took ${seconds(slowestMs)}`] : []),
  ];
  const lines = [
    first,
    ...(failedLooks > 0 ? [`last error, of ${failedLooks} in ${looks} looks: ${errorMessage(lookError)}`] : []),
    ...(blind === undefined ? [] : [`why it could not be read: ${blind}`]),
    ...(seen === undefined || seen === '' ? [] : ['last seen:', ...seen.split('\n').map((line) => `  ${line}`)]),
    ...(busy.length === 0
      ? []
      : [`this machine may be too busy: ${busy.join(', ')}. Try again when it has less to do.`]),
  ];
  return new Error(lines.join('\n  '), { cause: lookError });
}
