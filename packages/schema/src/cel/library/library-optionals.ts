import { Optional } from '@marcbachmann/cel-js';
import type { Library } from './library.ts';

/** Functions of optional values that the CEL library lacks (cel-go's optional types). */
export const optionalLibrary: Library = {
  functions: {
    'OptionalNamespace.ofNonZeroValue(A): optional<A>': (_: unknown, value: unknown) =>
      isZero(value) ? Optional.none() : Optional.of(value),
  },
};

/** Times, addresses and the like are never zero here. */
function isZero(value: unknown): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  return value === null || value === '' || value === false || value === 0 || value === 0n;
}
