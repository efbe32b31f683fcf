import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { invalid } from '../field-rules.ts';

/** A path that leads nowhere above. */
export function noBackstepsErrors(path: string, target: string): Errors {
  return when(target.split('/').includes('..'), invalid(path, target, "must not contain '..'"));
}

/** A path below something. */
export function descendingPathErrors(path: string, target: string): Errors {
  return [
    ...when(target.startsWith('/'), invalid(path, target, 'must be a relative path')),
    ...noBackstepsErrors(path, target),
  ];
}

/** A path below a volume, whose own names begin with two dots. */
export function pathInVolumeErrors(path: string, target: string): Errors {
  const reserved = target.startsWith('..') && !target.startsWith('../');
  return [...descendingPathErrors(path, target), ...when(reserved, invalid(path, target, "must not start with '..'"))];
}
