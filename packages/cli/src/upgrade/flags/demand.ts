import { UsageError } from '../../command/usage-error.ts';

/** The value of a required flag. Errors: {@link UsageError} that names the flag. */
export function demand(value: string | undefined, flag: string): string {
  if (value === undefined) throw new UsageError(`required option '--${flag}' not given`);
  return value;
}
