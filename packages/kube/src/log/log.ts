/**
 * Structured logging: a constant message, variable data as fields. Objects are logged as
 * `{ kind, namespace, name }`. Never a secret, never a whole body.
 */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Only where the error is finally handled, once. */
  error(message: string, error: unknown, fields?: Readonly<Record<string, unknown>>): void;
  /** The same log with these fields on every line. */
  with(fields: Readonly<Record<string, unknown>>): Log;
}

/** Discards every line. */
export const noLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with() {
    return noLog;
  },
};

/** One line of a {@link MemoryLog}. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly error?: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * A log that keeps its lines, for tests that compare them. It shares `entries` with the logs made
 * by `with`.
 */
export interface MemoryLog extends Log {
  readonly entries: readonly LogEntry[];
}

/** A log that keeps every line for as long as it lives; not for a process. */
export function memoryLog(): MemoryLog {
  const entries: LogEntry[] = [];
  const over = (base: Readonly<Record<string, unknown>>): Log => ({
    debug: (message, fields) => void entries.push({ level: 'debug', message, fields: { ...base, ...fields } }),
    info: (message, fields) => void entries.push({ level: 'info', message, fields: { ...base, ...fields } }),
    warn: (message, fields) => void entries.push({ level: 'warn', message, fields: { ...base, ...fields } }),
    error: (message, error, fields) =>
      void entries.push({ level: 'error', message, error, fields: { ...base, ...fields } }),
    with: (fields) => over({ ...base, ...fields }),
  });
  return { ...over({}), entries };
}
