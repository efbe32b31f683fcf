import { failureMessage } from '../render/failure-message.ts';

/** The signals by which a user ends the demo. */
export const endingSignals = { SIGINT: 2, SIGTERM: 15 } as const;
export type EndingSignal = keyof typeof endingSignals;

/** The reason of a story without its end: the user interrupted it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: EndingSignal;
  constructor(signal: EndingSignal) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

/** The end of a play: the fields of its report, and the exit code. */
export interface Ending {
  readonly ok: boolean;
  readonly error?: string | undefined;
  readonly exitCode: number;
}

/**
 * The ending of a play that failed with `failure`, or succeeded (undefined). An interruption ends
 * with 128 plus the number of its signal, as in a shell. If the clusters could not be removed after
 * it, that is a failure like others.
 */
export function endingOf(failure: unknown): Ending {
  if (failure === undefined) return { ok: true, exitCode: 0 };
  const exitCode = failure instanceof Interrupted ? 128 + endingSignals[failure.signal] : 1;
  return { ok: false, error: failureMessage(failure), exitCode };
}
