import type { Check } from './compiled-validation.ts';
import { duplicate, invalid } from '../field-error.ts';
import { goJson } from '../go-text.ts';
import type { JsonSchema } from '../json-schema.ts';

/**
 * The uniqueness that `x-kubernetes-list-type` set and map demand, as one function; undefined where
 * no list in the schema demands it. The first repetition of a value is reported, further ones of
 * the same value are not. Compound values are compared by their JSON text, down to the depth to
 * which it is written.
 */
export function compileLists(schema: JsonSchema): Check | undefined {
  const checkThis = compileListType(schema);
  const checkItem = schema.items === undefined ? undefined : compileLists(schema.items);
  const fields = new Map<string, Check>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const check = compileLists(field);
    if (check !== undefined) fields.set(name, check);
  }
  const more = typeof schema.additionalProperties === 'object' ? compileLists(schema.additionalProperties) : undefined;
  if (checkThis === undefined && checkItem === undefined && fields.size === 0 && more === undefined) return undefined;

  return function checkLists(value, path, errors) {
    if (Array.isArray(value)) {
      checkThis?.(value, path, errors);
      if (checkItem !== undefined) value.forEach((item, index) => checkItem(item, `${path}[${index}]`, errors));
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const below = path === '' ? '' : `${path}.`;
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      fields.get(name)?.(member, below + name, errors);
      more?.(member, `${path}[${name}]`, errors);
    }
  };
}

function compileListType(
  schema: JsonSchema,
): ((list: readonly unknown[], path: string, errors: Parameters<Check>[2]) => void) | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return (list, path, errors) => {
        for (const index of repetitions(list)) errors.push(duplicate(`${path}[${index}]`, list[index]));
      };
    case 'map': {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      return (list, path, errors) => {
        const odd = list.findIndex((item) => item !== null && (typeof item !== 'object' || Array.isArray(item)));
        if (odd >= 0) {
          errors.push(invalid(`${path}[${odd}]`, list[odd], 'must be an object for an array of list-type map'));
          return;
        }
        const parts = list.map((item) => keysOf(item as Readonly<Record<string, unknown>> | null, keys));
        for (const index of repetitions(parts)) errors.push(duplicate(`${path}[${index}]`, parts[index]));
      };
    }
    default:
      return undefined;
  }
}

/** The part of an item that names it. */
function keysOf(
  item: Readonly<Record<string, unknown>> | null,
  keys: readonly string[],
): Readonly<Record<string, unknown>> {
  if (item === null) return {};
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(item, key) && item[key] !== undefined).map((key) => [key, item[key]]),
  );
}

/** The indexes at which a value comes for the second time. */
function repetitions(list: readonly unknown[]): readonly number[] {
  if (list.length < 2) return [];
  const times = new Map<string, number>();
  const found: number[] = [];
  list.forEach((item, index) => {
    const text = goJson(item);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before === 1) found.push(index);
  });
  return found;
}
