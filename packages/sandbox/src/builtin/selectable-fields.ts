import type { Stored } from '../store/stored.ts';

/**
 * Field selectors by the paths of plain values. An absent value is the empty string, as Go's zero
 * value.
 */
export function selectableFields(...paths: readonly string[]): Readonly<Record<string, (object: Stored) => string>> {
  return Object.fromEntries(paths.map((path) => [path, (object: Stored) => textAt(object, path.split('.'))]));
}

/** The value of a path as text; empty if it is absent. */
export function textAt(object: Stored, path: readonly string[]): string {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
