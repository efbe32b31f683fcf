/**
 * Structured logging: a constant message, variable data as fields. Objects are logged as `{ kind, namespace, name }`. Never a secret,
 * never a whole body.
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
