import { equal } from '@isthmus/machinery';
import type { CompiledSchema } from '../validation/compile-with.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';

/**
 * The errors of an update that count: those of parts that are as they were are forgiven (KEP-4008).
 * A part is a field, a value of a map or an item of a list of type `map`; other lists are parts as
 * a whole. Limit: an error below `allOf` of a changed part is forgiven where its own field is
 * unchanged; the real server keeps it. Errors without a path (`anyOf`, …) count unless their quoted
 * path is unchanged.
 */
export function unforgiven(
  errors: readonly FieldError[],
  { schema, value, before }: Part,
  { isRoot = true }: { readonly isRoot?: boolean } = {},
): readonly FieldError[] {
  if (errors.length === 0) return errors;
  return errors.filter(({ path, detail }) => {
    const at =
      path === '<nil>'
        ? (/^"((?:[^"\\]|\\.)*)" must/.exec(detail)?.[1] ?? /in ([^ ]+)$/.exec(detail)?.[1] ?? '')
        : path;
    return !isUnchanged({ schema, value, before }, at, isRoot);
  });
}

/**
 * The errors of an API server for an update, by a compiled schema. A server that ratchets (from
 * 1.30 on) leaves out errors that {@link unforgiven} forgives. All versions forgive duplicate items
 * if the object already had some, in any list.
 */
export function updateErrors(
  compiled: CompiledSchema,
  part: Part,
  { isRoot = true, isRatcheting = true }: { readonly isRoot?: boolean; readonly isRatcheting?: boolean } = {},
): readonly FieldError[] {
  const all = compiled.validate(part.value);
  if (part.before === undefined) return all;
  const isDuplicate = ({ type }: FieldError) => type === 'Duplicate';
  // Duplicates are checked on whole lists, before and now: an unchanged duplicate item is not
  // forgiven by itself.
  const others = all.filter((error) => !isDuplicate(error));
  const kept = new Set(isRatcheting ? unforgiven(others, part, { isRoot }) : others);
  const isForgiven = all.some(isDuplicate) && compiled.validate(part.before).some(isDuplicate);
  return all.filter((error) => (isDuplicate(error) ? !isForgiven : kept.has(error)));
}

interface Part {
  readonly schema: JsonSchema | undefined;
  readonly value: unknown;
  readonly before: unknown;
}

/**
 * Whether a part is as it was for a real API server, which compares values by their schema: items
 * of a list of type `map` may have moved, and a map with keys of which the schema knows nothing
 * (`x-kubernetes-preserve-unknown-fields`), or a list of type `map` with an item that lacks a key,
 * never is (measured on 1.36.3).
 */
export function isAsItWas(part: Part): boolean {
  const { schema, value, before } = part;
  if (Array.isArray(value)) {
    if (!Array.isArray(before) || value.length !== before.length) return false;
    if (schema?.['x-kubernetes-list-type'] !== 'map' || schema.items === undefined) return equal(value, before);
    return value.every((_, index) => isAsItWas(itemOf(part, index)));
  }
  if (typeof value !== 'object' || value === null) return equal(value, before);
  if (typeof before !== 'object' || before === null || Array.isArray(before)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(before).length) return false;
  return keys.every((key) => {
    const child = childOf(part, key);
    return child.schema !== undefined && Object.hasOwn(before, key) && isAsItWas(child);
  });
}

/** Whether the part at the path, or one that it lies in, is as it was. */
function isUnchanged(part: Part, path: string, isRoot: boolean): boolean {
  if (part.value === undefined || part.before === undefined) return false;
  if (isAsItWas(part)) return true;
  if (path === '') return false;
  const index = /^\[(\d+)\]/.exec(path);
  if (Array.isArray(part.value) && index !== null) {
    return isUnchanged(itemOf(part, Number(index[1])), path.slice(index[0].length).replace(/^\./, ''), false);
  }
  if (typeof part.value !== 'object' || part.value === null || Array.isArray(part.value)) return false;
  const key = keyAt(part.value, path);
  if (key === undefined || (isRoot && (key === 'apiVersion' || key === 'kind'))) return false;
  const rest = path.startsWith('[') ? path.slice(key.length + 2) : path.slice(key.length);
  return isUnchanged(childOf(part, key), rest.replace(/^\./, ''), false);
}

/** The longest key that the path begins with: keys may have dots. */
function keyAt(value: object, path: string): string | undefined {
  const fits = Object.keys(value).filter((key) => {
    if (path.startsWith(`[${key}]`)) return true;
    return path.startsWith(key) && ['', '.', '['].includes(path.charAt(key.length));
  });
  return fits.sort((a, b) => b.length - a.length)[0];
}

/** A member with its earlier value. */
export function childOf({ schema, value, before }: Part, key: string): Part {
  const more = schema?.additionalProperties;
  const field = Object.hasOwn(schema?.properties ?? {}, key) ? schema?.properties?.[key] : undefined;
  return {
    schema: field ?? (typeof more === 'object' ? more : undefined),
    value: memberOf(value, key),
    before: memberOf(before, key),
  };
}

/** An item with its earlier value; items of lists that are not maps have none. */
export function itemOf({ schema, value, before }: Part, index: number): Part {
  const item: unknown = Array.isArray(value) ? value[index] : undefined;
  return { schema: schema?.items, value: item, before: formerItem(schema, item, before) };
}

/**
 * The item of a former list of type `map` that has the same keys. One that lacks a key, or has an
 * object or a list there, has no former item.
 */
function formerItem(schema: JsonSchema | undefined, item: unknown, before: unknown): unknown {
  if (schema?.['x-kubernetes-list-type'] !== 'map' || !Array.isArray(before)) return undefined;
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => [key, memberOf(item, key)] as const);
  if (!keys.every(([, value]) => isScalar(value))) return undefined;
  return before.find((one: unknown) => keys.every(([key, value]) => equal(memberOf(one, key), value)));
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}
