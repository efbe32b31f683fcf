import { equal } from './equality.ts';

/**
 * The result of a JSON merge patch (RFC 7386 §2): members of `patch` replace those of `target`,
 * `null` removes one, objects are merged, everything else (arrays too) is replaced whole. Neither
 * argument is changed; parts may be shared with the result.
 *
 * A member named `__proto__` or `constructor` is data like any other: only own members are read,
 * and they are written as own members.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (value !== undefined) merged.set(key, applyMergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/**
 * The smallest merge patch that turns `before` into `after`, or undefined where they are equal.
 *
 * A merge patch cannot write `null` (RFC 7386 §1), and for the API server a null member is an
 * absent one; so null members count as absent on both sides. Arrays that differ are sent whole.
 */
export function mergePatchOf(before: object, after: object): Readonly<Record<string, unknown>> | undefined {
  const old = before as Readonly<Record<string, unknown>>;
  const wanted = after as Readonly<Record<string, unknown>>;
  const patch: [string, unknown][] = [];
  for (const key of Object.keys(old)) {
    if (present(old, key) && !present(wanted, key)) patch.push([key, null]);
  }
  for (const key of Object.keys(wanted)) {
    if (!present(wanted, key)) continue;
    const value = wanted[key];
    const current = present(old, key) ? old[key] : undefined;
    if (isObject(value) && isObject(current)) {
      const inner = mergePatchOf(current, value);
      if (inner !== undefined) patch.push([key, inner]);
    } else if (!equal(current, value)) {
      patch.push([key, isObject(value) ? withoutNulls(value) : value]);
    }
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}

/**
 * Drops null members on the way that a merge patch walks; arrays are values of their own and stay
 * as they are.
 */
function withoutNulls(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      if (member === null || member === undefined) return [];
      return [[key, isObject(member) ? withoutNulls(member) : member]];
    }),
  );
}

function present(record: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(record, key) && record[key] !== null && record[key] !== undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
