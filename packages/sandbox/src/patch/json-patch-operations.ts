import type { Json } from '@isthmus/schema';
import { PatchError } from './patch-error.ts';
import { toWorking } from './working-value.ts';
import type { Working } from './working-value.ts';

/**
 * One operation as it was read. A missing or null field is undefined; so is an ill-typed one if
 * fields are not checked.
 */
export interface JsonPatchOperation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: Working | undefined;
}

/**
 * Reads a JSON patch; null is a patch without operations.
 *
 * Errors: {@link PatchError} 400 with the API server's text for a value that is not a list of
 * objects. Also for an `op`, `path` or `from` that is not a string, unless `ignoresFields`.
 */
export function jsonPatchOperations(patch: unknown, ignoresFields: boolean): readonly JsonPatchOperation[] {
  const names = ignoresFields
    ? { prefix: '', list: 'jsonpatch.Patch', operation: 'jsonpatch.Operation' }
    : { prefix: 'error decoding patch: ', list: '[]handlers.jsonPatchOp', operation: 'handlers.jsonPatchOp' };
  const refuse = (value: unknown, into: string): never => {
    const message = `${names.prefix}json: cannot unmarshal ${jsonKind(value)} into Go ${into}`;
    throw new PatchError({ reason: 'BadRequest', message });
  };
  if (patch === null) return [];
  if (!Array.isArray(patch)) return refuse(patch, `value of type ${names.list}`);
  return patch.map((item: unknown): JsonPatchOperation => {
    if (item === null) return { op: undefined, path: undefined, from: undefined, value: undefined };
    if (typeof item !== 'object' || Array.isArray(item)) return refuse(item, `value of type ${names.operation}`);
    const members = item as Readonly<Record<string, unknown>>;
    const text = (key: string): string | undefined => {
      const value = Object.hasOwn(members, key) ? members[key] : undefined;
      if (typeof value === 'string') return value;
      if (value !== undefined && value !== null && !ignoresFields) {
        refuse(value, `struct field jsonPatchOp.${key} of type string`);
      }
      return undefined;
    };
    const value = Object.hasOwn(members, 'value') ? members['value'] : undefined;
    return {
      op: text('op'),
      path: text('path'),
      from: text('from'),
      value: value === undefined ? undefined : toWorking(value as Json),
    };
  });
}

/**
 * The unknown fields of operations, for which the API server warns or rejects the patch
 * (`fieldValidation`): texts such as `json patch unknown field "[0].note"`, in the order of the
 * patch.
 */
export function jsonPatchUnknownFields(patch: unknown): readonly string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation: unknown, i) => {
    if (typeof operation !== 'object' || operation === null) return [];
    const unknown = Object.keys(operation).filter((key) => !knownFields.has(key));
    return unknown.map((key) => `json patch unknown field "[${i}].${key}"`);
  });
}

const knownFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
