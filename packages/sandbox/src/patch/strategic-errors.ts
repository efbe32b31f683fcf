import { goText } from '../ownership/go-value.ts';
import { PatchError } from './patch-error.ts';
import { toJson } from './working-value.ts';
import type { Working } from './working-value.ts';

/** An error of a strategic merge patch, in the API server's words. */
export function failed(message: string): PatchError {
  return new PatchError({ code: 500, message });
}

export function badRetainKeys(): PatchError {
  return new PatchError({ reason: 'BadRequest', message: 'invalid patch format of retainKeys' });
}

export function badElementOrder(): PatchError {
  return new PatchError({ reason: 'BadRequest', message: 'invalid patch format of setElementOrder list' });
}

export function badPrimitiveList(): PatchError {
  return new PatchError({ reason: 'BadRequest', message: 'invalid patch format of primitive list' });
}

/** The API server keeps the text to itself. */
export function unprocessableLists(): PatchError {
  const message = 'the server rejected our request due to an error in our request';
  return new PatchError({ reason: 'Invalid', message, details: {} }, 'lists of lists are not supported');
}

export function noMergeKey(item: Working, mergeKey: string): PatchError {
  return failed(`map: ${goText(toJson(item))} does not contain declared merge key: ${mergeKey}`);
}

export function badArgument(expected: string, found: Working): PatchError {
  return failed(`expected a ${expected}, but received a ${goTypeName(found)}`);
}

export function unknownDirective(directive: Working, patch: Working): PatchError {
  return failed(`unknown patch type: ${asText(directive)} in map: ${goText(toJson(patch))}`);
}

/** The type to which the API server decodes a JSON value. */
export function goTypeName(value: Working): string {
  if (value === null) return '%!s(<nil>)';
  if (value instanceof Map) return 'map[string]interface {}';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** A value as Go's %s writes it, which is made for strings. */
function asText(value: Working): string {
  if (typeof value === 'string') return value;
  if (value === null) return '%!s(<nil>)';
  return `%!s(${goTypeName(value)}=${goText(toJson(value))})`;
}
