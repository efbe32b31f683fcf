/**
 * Whether two JSON values mean the same: the order of keys does not matter, a key whose value is
 * `undefined` is absent. `null` is a value of its own; an empty object or array is not the same as
 * an absent one. Like `JSON.stringify`, it throws a RangeError on values nested several thousand
 * levels deep.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i])) return false;
    return true;
  }
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  let present = 0;
  for (const key of Object.keys(left)) {
    const value = left[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(right, key) || !equal(value, right[key])) return false;
    present++;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined && --present < 0) return false;
  return true;
}

/**
 * The JSON text of a value with the keys of every object sorted and absent ones left out: equal
 * values have equal texts, so it serves for hashes and request logs. Takes plain JSON values only;
 * `toJSON` is not honoured.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const record = value as Readonly<Record<string, unknown>>;
  const members: string[] = [];
  for (const key of Object.keys(record).toSorted()) {
    const member = record[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/**
 * Freezes a JSON value and all that it holds, and returns it. What is frozen already is taken to be
 * frozen throughout. Keeps its own stack: no depth of nesting overflows it.
 */
export function deepFreeze<T>(value: T): T {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else for (const key of Object.keys(next)) waiting.push((next as Record<string, unknown>)[key]);
  }
  return value;
}
