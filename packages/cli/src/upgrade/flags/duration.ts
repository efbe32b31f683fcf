import { UsageError } from '../../command/usage-error.ts';

/** The seconds of `1h30m`, `90s` or `0s`. Errors: {@link UsageError} that names the flag. */
export function durationSeconds(text: string, flag: string): number {
  const [, hours = '0', minutes = '0', seconds = '0'] =
    /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?$/.exec(text) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (total === 0 && !/^0[hms]$/.test(text))
    throw new UsageError(`${flag} ${text}: expected a duration such as 30m, 1h30m or 90s`);
  return total;
}
