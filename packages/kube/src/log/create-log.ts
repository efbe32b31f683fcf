// The one module that knows pino.
import { rfc3339 } from '@isthmus/machinery';
import type { Clock } from '@isthmus/machinery';
import { pino } from 'pino';
import type { Log } from './log.ts';
import { errorFields, safeFields } from './safe-fields.ts';
import { textLine } from './text-line.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogOptions {
  /** Takes whole lines with their line end; standard error in a process. */
  readonly destination: { write(line: string): void };
  /** The least level that is written. Default `info`. */
  readonly level?: LogLevel | undefined;
  /** One JSON object per line, or text for a terminal. Default `json`. */
  readonly format?: 'json' | 'text' | undefined;
  readonly clock: Clock;
}

/** The level of klog's `--v`: 4 and more is debug, everything below info. */
export function levelOfVerbosity(verbosity: number): LogLevel {
  return verbosity >= 4 ? 'debug' : 'info';
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A log that writes lines at once, in the caller's turn: nothing is lost when the process ends
 * after a line.
 *
 * Guarantees: each line has `time` (RFC 3339 of `clock`, in milliseconds), `level`, `message`, then
 * the fields. Fields of these names are written with an underscore behind them. {@link safeFields}
 * hides and cuts values. Never throws, unless the destination does.
 */
export function createLog(options: LogOptions): Log {
  const { destination, clock, level = 'info', format = 'json' } = options;
  const stream = format === 'json' ? destination : { write: (line: string) => destination.write(textLine(line)) };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${stamp(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const over = (base: Fields): Log => {
    const write = (at: LogLevel, message: string, fields: Fields | undefined) => {
      if (logger.isLevelEnabled(at)) logger[at](safeFields({ ...base, ...fields }), message);
    };
    return {
      debug: (message, fields) => write('debug', message, fields),
      info: (message, fields) => write('info', message, fields),
      warn: (message, fields) => write('warn', message, fields),
      error: (message, error, fields) => write('error', message, { ...fields, ...errorFields(error) }),
      with: (fields) => over({ ...base, ...fields }),
    };
  };
  return over({});
}

function stamp(epochMs: number): string {
  const millis = String(Math.floor(epochMs) % 1_000).padStart(3, '0');
  return rfc3339(epochMs).replace('Z', `.${millis}Z`);
}
