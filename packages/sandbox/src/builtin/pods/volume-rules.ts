import type { Errors } from '../field-checks.ts';
import { inRange, when } from '../field-checks.ts';
import { forbidden, invalid } from '../field-rules.ts';
import type { Volume } from './pod-spec.ts';

/**
 * A volume has one source. Which of two is one too many is the real server's: an empty directory
 * comes first, the others as in their type.
 */
export function sourceErrors(path: string, volume: Volume): Errors {
  const given = Object.keys(volume).filter((key) => key !== 'name' && key !== 'emptyDir');
  const tooMany = volume.emptyDir === undefined ? given.slice(1) : given;
  return tooMany.map((source) => forbidden(`${path}.${source}`, 'may not specify more than 1 volume type'));
}

/** The mode of files: 0 to 0777. */
export function modeErrors(path: string, mode: number | undefined): Errors {
  const wrong = inRange(path, mode, [0, 0o777]).length > 0;
  return when(wrong, invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive'));
}

/** A path below a volume. */
export function pathBelowErrors(path: string, target: string): Errors {
  return [
    ...when(target.startsWith('/'), invalid(path, target, 'must be a relative path')),
    ...when(target.split('/').includes('..'), invalid(path, target, "must not contain '..'")),
  ];
}
