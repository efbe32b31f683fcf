import { isRecord } from '@isthmus/machinery';

/**
 * A schema, or a value that contains schemas, without descriptions. A property that is called
 * `description` stays.
 */
export function withoutDescriptions(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutDescriptions(one));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (!isProperties && key === 'description' && typeof member === 'string') return [];
      if (verbatim.has(key) && !isProperties) return [[key, member]];
      return [[key, withoutDescriptions(member, key === 'properties' && !isProperties)]];
    }),
  );
}

/** Values of users, in which `description` may be a field. */
const verbatim: ReadonlySet<string> = new Set(['default', 'enum', 'example']);
