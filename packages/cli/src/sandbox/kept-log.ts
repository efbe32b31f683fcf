import type { Log } from '@isthmus/kube';
import { createLog } from '@isthmus/kube';
import { UsageError } from '../command/usage-error.ts';
import { failureMessage } from '../render/failure-message.ts';
import { logSummary } from '../render/log-summary.ts';
import type { Io } from '../world/io.ts';

type Files = Pick<Io, 'clock' | 'env' | 'privateFiles'>;

/** Keeps a text in a file of its own, in the folder for temporary files; gives the path. */
export async function keepLogs(what: string, text: string, { clock, env, privateFiles }: Files): Promise<string> {
  const path = `${env['TMPDIR'] ?? '/tmp'}/isthmus-${what}-${clock.now()}.log`;
  await privateFiles.write(path, text);
  return path;
}

/** The log of the controllers of a fleet, which is kept while the fleet starts. */
export interface KeptLog {
  readonly log: Log;
  /** The lines so far. */
  readonly lines: readonly string[];
  /**
   * Runs the start. Its failure gets a summary of the log and the path of a file with all of it,
   * unless `signal` is the reason.
   */
  explain<T>(start: Promise<T>, signal: AbortSignal): Promise<T>;
  /**
   * The summary of the lines, with the path of a file with all of them; empty without warnings.
   */
  summary(): Promise<readonly string[]>;
}

/** A log that keeps its lines, from `level` on; `onLine` gets each, too. */
export function keptLog(
  what: string,
  {
    level,
    onLine = () => {},
    io,
  }: { readonly level: 'info' | 'warn'; onLine?(line: string): void; readonly io: Files },
): KeptLog {
  const lines: string[] = [];
  const destination = {
    write(line: string) {
      lines.push(line.trimEnd());
      onLine(line);
    },
  };
  const summary = async () => {
    const found = logSummary(lines);
    return found.length === 0 ? [] : [...found, `all logs: ${await keepLogs(what, `${lines.join('\n')}\n`, io)}`];
  };
  return {
    log: createLog({ destination, level, format: 'text', clock: io.clock }),
    lines,
    summary,
    async explain(start, signal) {
      try {
        return await start;
      } catch (error) {
        if (signal.aborted || error instanceof UsageError) throw error;
        throw new Error([failureMessage(error), ...(await summary())].join('\n  '), { cause: error });
      }
    },
  };
}
