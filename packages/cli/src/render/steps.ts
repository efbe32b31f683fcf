import type { Clock } from '@isthmus/machinery';
import type { Output } from './output.ts';

/**
 * Runs a step of a long command under its name: what is done, in the present tense. Gives the
 * result of the work, or its error.
 */
export type RunStep = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** The steps of a long command as a person sees them, one after the other. */
export interface Steps {
  /**
   * Prints the name when the step begins, and on the same line how it ended and after what time.
   */
  readonly run: RunStep;
  /**
   * An output whose text starts on a line of its own while a step runs. The line of the step is
   * repeated when the step ends.
   */
  beside(output: Output): Output;
}

export interface StepsOptions {
  readonly output: Output;
  readonly clock: Clock;
  /** Once it has aborted, a step that rejects was stopped: it has not failed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Steps as lines of text, the same in a terminal and in a pipe: nothing is moved or overwritten.
 */
export function showSteps({ output, clock, signal }: StepsOptions): Steps {
  let isLineOpen = false;
  return {
    async run(name, work) {
      const from = clock.monotonic();
      const begin = () => output.write({ style: 'strong', text: name }, ' ... ');
      const end = (verdict: 'ok' | 'failed' | 'stopped') => {
        if (!isLineOpen) begin();
        isLineOpen = false;
        const style = verdict === 'ok' ? 'good' : verdict === 'failed' ? 'bad' : 'faint';
        const time = durationText(clock.monotonic() - from);
        output.write({ style, text: verdict }, '  ', { style: 'faint', text: time }, '\n');
      };
      begin();
      isLineOpen = true;
      try {
        const result = await work();
        end('ok');
        return result;
      } catch (error) {
        end(signal?.aborted === true ? 'stopped' : 'failed');
        throw error;
      }
    },
    beside: (other) => ({
      isTTY: other.isTTY,
      write(...pieces) {
        if (isLineOpen) output.write('\n');
        isLineOpen = false;
        other.write(...pieces);
      },
    }),
  };
}

/**
 * Steps of a command whose result goes to standard output: on standard error, and only where that
 * is a terminal, so that a pipeline sees results and warnings alone.
 */
export function stepsOnTerminal({ stderr, clock }: { readonly stderr: Output; readonly clock: Clock }): RunStep {
  return stderr.isTTY ? showSteps({ output: stderr, clock }).run : (_name, work) => work();
}

/** `369 ms`, `12.3 s`. */
function durationText(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
