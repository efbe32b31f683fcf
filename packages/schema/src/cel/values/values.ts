import type { Optional } from '@marcbachmann/cel-js';

/** Whether two values of CEL are equal: numbers by their value, lists and maps by their members. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' || typeof a === 'bigint') {
    // oxlint-disable-next-line eqeqeq -- an int and a double are equal where they count the same
    return (typeof b === 'number' || typeof b === 'bigint') && a == b;
  }
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, member]) => b.has(key) && sameValue(member, b.get(key)));
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  // Times, addresses and quantities are equal if their texts are equal.
  const isTold = a.constructor === b.constructor && a.toString !== Object.prototype.toString;
  return isTold && textOf(a) === textOf(b);
}

function textOf(value: { toString(): string }): string {
  return value.toString();
}

/** The order of two values of the same type: negative where `a` comes first. */
export function compareValues(a: unknown, b: unknown): number {
  const [left, right] = [a as number, b as number];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether two optional values are equal: both without a value, or both with the same. */
export function sameOptional(a: Optional, b: Optional): boolean {
  return a.hasValue() === b.hasValue() && (!a.hasValue() || sameValue(a.value(), b.value()));
}
