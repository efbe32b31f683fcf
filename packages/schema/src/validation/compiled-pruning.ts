import { objectMetaFields } from '@isthmus/machinery';
import { maxPrintedDepth } from '../go-text.ts';
import type { JsonSchema } from '../json-schema.ts';

/**
 * Drops the fields that the schema does not know and adds their paths to `unknown`. Returns the
 * same value if nothing is dropped, and never modifies its argument.
 */
export type Prune = (value: unknown, path: string, unknown: string[]) => unknown;

/**
 * Pruning as the API server does it (apiextensions.k8s.io/v1:
 * `x-kubernetes-preserve-unknown-fields`, embedded resources).
 */
export function compilePruning(schema: JsonSchema, isResourceRoot = false): Prune {
  const embedded = isResourceRoot || schema['x-kubernetes-embedded-resource'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const fields = new Map(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, compilePruning(field)]));
  const more = schema.additionalProperties;
  // Both true and false let free fields through here: false is a verdict of validation.
  const pruneMore = typeof more === 'object' ? compilePruning(more) : more === undefined ? undefined : pruneAll;
  const pruneItem = compileItem(schema, preserves);
  if (embedded) fields.set('metadata', pruneMetadata);

  return function prune(value, path, unknown) {
    if (Array.isArray(value)) return pruneItem === undefined ? value : prunedList(value, path, unknown, pruneItem);
    if (typeof value !== 'object' || value === null) return value;
    const record = value as Readonly<Record<string, unknown>>;
    const below = path === '' ? '' : `${path}.`;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(record)) {
      const before = record[name];
      if (before === undefined || (embedded && (name === 'apiVersion' || name === 'kind'))) continue;
      const pruneField = fields.get(name) ?? pruneMore;
      if (pruneField !== undefined) {
        const after = pruneField(before, below + name, unknown);
        if (after === before) continue;
        copy ??= { ...record };
        Object.defineProperty(copy, name, { value: after, enumerable: true, writable: true, configurable: true });
      } else if (!preserves) {
        unknown.push(below + name);
        copy ??= { ...record };
        delete copy[name];
      }
    }
    return copy ?? record;
  };
}

/** Items of a list that preserves unknown fields are pruned with the same leniency. */
function compileItem(schema: JsonSchema, preserves: boolean): Prune | undefined {
  if (schema.items === undefined) return preserves ? undefined : pruneAll;
  return compilePruning(preserves ? { ...schema.items, 'x-kubernetes-preserve-unknown-fields': true } : schema.items);
}

function prunedList(list: readonly unknown[], path: string, unknown: string[], pruneItem: Prune): readonly unknown[] {
  let copy: unknown[] | undefined;
  list.forEach((before, index) => {
    const after = pruneItem(before, `${path}[${index}]`, unknown);
    if (after === before) return;
    copy ??= [...list];
    copy[index] = after;
  });
  return copy ?? list;
}

/**
 * Prunes a value without a schema: objects lose every field, lists keep their items, and lists at
 * the depth limit become empty.
 */
function pruneAll(value: unknown, path: string, unknown: string[], depth = 0): unknown {
  if (Array.isArray(value)) {
    if (depth >= maxPrintedDepth) return [];
    return prunedList(value, path, unknown, (item, at, list) => pruneAll(item, at, list, depth + 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).filter((name) => (value as Readonly<Record<string, unknown>>)[name] !== undefined);
  if (names.length === 0) return value;
  for (const name of names) unknown.push(`${path}.${name}`);
  return {};
}

const metadataFields: ReadonlySet<string> = new Set(objectMetaFields);

function pruneMetadata(value: unknown, path: string, unknown: string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).filter((name) => !metadataFields.has(name));
  if (names.length === 0) return value;
  for (const name of names) unknown.push(`${path}.${name}`);
  return Object.fromEntries(Object.entries(value).filter(([name]) => metadataFields.has(name)));
}
