import type { Stored } from '../store/stored.ts';

/**
 * Field selectors by the paths of plain values. An absent value is the empty string, as Go's zero
 * value.
 */
export function selectableFields(...paths: readonly string[]): Readonly<Record<string, (object: Stored) => string>> {
  return Object.fromEntries(paths.map((path) => [path, (object: Stored) => textAt(object, path)]));
}

/** The value at a path of plain names as text; empty if it is absent. */
export function textAt(object: Stored, path: string): string {
  const value = valueAt(object, path);
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The value at a path of plain names; undefined if the path leads nowhere. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const key of path.split('.')) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  return value;
}

/** The number of items of the list at a path; 0 if it is absent. */
export function lengthAt(object: Stored, path: string): number {
  return ((valueAt(object, path) ?? []) as readonly unknown[]).length;
}
