import { equal, isRecord } from '@isthmus/machinery';

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The operations that make `after` of `before`, both plain JSON; undefined members count as absent.
 * Objects are compared member by member; lists that differ are replaced whole, so that no operation
 * depends on the place of an item.
 */
export function jsonPatch(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, '', operations);
  return operations;
}

function compare(before: unknown, after: unknown, path: string, operations: JsonPatchOperation[]): void {
  if (!isRecord(before) || !isRecord(after)) {
    if (!equal(before, after)) operations.push({ op: 'replace', path, value: after });
    return;
  }
  for (const name of Object.keys(before)) {
    if (member(before, name) !== undefined && member(after, name) === undefined)
      operations.push({ op: 'remove', path: `${path}/${escaped(name)}` });
  }
  for (const name of Object.keys(after)) {
    const [old, value] = [member(before, name), member(after, name)];
    const place = `${path}/${escaped(name)}`;
    if (value === undefined) continue;
    if (old === undefined) operations.push({ op: 'add', path: place, value });
    else compare(old, value, place, operations);
  }
}

/** RFC 6901 §3. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Own members only: `__proto__` and `constructor` are ordinary names in JSON. */
function member(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
