import { canonicalQuantity } from '@isthmus/machinery';
import type { ScalarNode } from './type-node.ts';
import { canonicalBase64 } from './base64.ts';
import { canonicalMicroTime, canonicalTime } from './go-time.ts';

/** A value of JSON, with the text of a number if the value alone loses information. */
export interface Literal {
  readonly value: unknown;
  readonly literal?: string | undefined;
}

export type ScalarResult =
  /** `undefined`: nothing, or the zero value; `null`: a time that is given and zero. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** The former value is kept: null where Go has no null. */
  | { readonly kind: 'unchanged' }
  /** A value of another type: `number 1.5` into `int32`. */
  | { readonly kind: 'mismatch'; readonly given: string; readonly goType: string }
  /** A value that cannot be read; decoding continues. */
  | { readonly kind: 'malformed'; readonly message: string }
  /**
   * The type decodes itself and rejects the value; decoding ends. With `goType`, `message` is the
   * given value.
   */
  | { readonly kind: 'refused'; readonly message: string; readonly goType?: string | undefined };

/** Go's name of the type of a JSON value in its errors. */
export function wordFor(value: unknown): 'string' | 'number' | 'bool' | 'array' | 'object' {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'object';
}

/**
 * The value that Go decodes for a scalar. `duration`, which no built-in kind has, is kept as
 * written.
 */
export function decodeScalar(type: ScalarNode, { value, literal }: Literal): ScalarResult {
  const mismatch = (given: string = wordFor(value)): ScalarResult => ({
    kind: 'mismatch',
    given,
    goType: type.goType ?? goTypes[type.scalar] ?? type.scalar,
  });
  switch (type.scalar) {
    case 'string':
      if (value === null) return unchanged;
      return typeof value === 'string' ? { kind: 'value', value } : mismatch();
    case 'boolean':
      if (value === null) return unchanged;
      return typeof value === 'boolean' ? { kind: 'value', value } : mismatch();
    case 'int32':
    case 'int64': {
      if (value === null) return unchanged;
      if (typeof value !== 'number') return mismatch();
      const text = literal ?? String(value);
      return isInteger(text, type.scalar)
        ? { kind: 'value', value: value === 0 ? 0 : value }
        : mismatch(`number ${text}`);
    }
    case 'float64':
      if (value === null) return unchanged;
      if (typeof value !== 'number') return mismatch();
      return Number.isFinite(value) ? { kind: 'value', value } : mismatch(`number ${literal ?? String(value)}`);
    case 'bytes':
      return bytes(value, mismatch);
    case 'quantity':
      return quantity(value, literal);
    case 'intOrString':
      if (value === null) return { kind: 'value', value: undefined };
      if (typeof value === 'string') return { kind: 'value', value };
      if (typeof value === 'number') {
        const text = literal ?? String(value);
        if (isInteger(text, 'int32')) return { kind: 'value', value: value === 0 ? 0 : value };
        return { kind: 'refused', message: `number ${text}`, goType: 'int32' };
      }
      return { kind: 'refused', message: wordFor(value), goType: 'int32' };
    case 'time':
    case 'microTime': {
      if (value === null) return { kind: 'value', value: undefined };
      if (typeof value !== 'string') return { kind: 'refused', message: wordFor(value), goType: 'string' };
      const time = type.scalar === 'time' ? canonicalTime(value) : canonicalMicroTime(value);
      return 'problem' in time ? { kind: 'refused', message: time.problem } : { kind: 'value', value: time.text };
    }
    case 'duration':
      if (value === null) return { kind: 'value', value: undefined };
      return typeof value === 'string'
        ? { kind: 'value', value }
        : { kind: 'refused', message: wordFor(value), goType: 'string' };
  }
}

/** Go's names of types, if they differ from ours. */
const goTypes: Readonly<Record<string, string>> = { boolean: 'bool', bytes: '[]uint8' };

const unchanged: ScalarResult = { kind: 'unchanged' };

function isInteger(text: string, type: 'int32' | 'int64'): boolean {
  if (!/^-?\d+$/.test(text)) return false;
  const limit = type === 'int32' ? 2n ** 31n : 2n ** 63n;
  const value = BigInt(text);
  return value >= -limit && value < limit;
}

/** Go reads bytes from base64, and from a list of numbers. */
function bytes(value: unknown, mismatch: (given?: string) => ScalarResult): ScalarResult {
  if (value === null) return { kind: 'value', value: undefined };
  if (typeof value === 'string') {
    const read = canonicalBase64(value);
    return 'problem' in read ? { kind: 'malformed', message: read.problem } : { kind: 'value', value: read.text };
  }
  if (!Array.isArray(value)) return mismatch();
  for (const one of value as readonly unknown[]) {
    if (typeof one === 'number' && isInteger(String(one), 'int32') && one >= 0 && one <= 255) continue;
    if (one === null) continue;
    const given = typeof one === 'number' ? `number ${one}` : wordFor(one);
    return { kind: 'mismatch', given, goType: 'uint8' };
  }
  return { kind: 'value', value: Buffer.from(value.map((one) => Number(one ?? 0))).toString('base64') };
}

function quantity(value: unknown, literal: string | undefined): ScalarResult {
  if (value === null) return { kind: 'value', value: undefined };
  // Any JSON is read as the text that it is.
  const text = typeof value === 'string' ? value : (literal ?? JSON.stringify(value));
  const read = canonicalQuantity(text);
  return 'problem' in read ? { kind: 'refused', message: read.problem } : { kind: 'value', value: read.text };
}
