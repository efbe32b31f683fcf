import { jsonFailure, readJson } from './read-json.ts';

/** A JSON text as data, with what plain data can't say. Keys are data, whatever they are called. */
export interface ParsedJson {
  readonly value: unknown;
  readonly oddities: Oddities;
  /** What is told of keys that YAML gave twice. */
  readonly repeatedKeys?: readonly string[] | undefined;
}

/** What JSON says beyond the value; empty for nearly all texts. */
export interface Oddities {
  /** Objects in which a key stands more than once, with all their entries as they were written. */
  readonly entries: ReadonlyMap<object, readonly Entry[]>;
  /** Numbers as they were written, by object or list and key, where they are no integers that a double holds (`1.0`, `1e3`, `-0`). */
  readonly literals: ReadonlyMap<object, ReadonlyMap<string, string>>;
}

export interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly literal?: string | undefined;
}

export type JsonResult =
  | { readonly kind: 'parsed'; readonly json: ParsedJson }
  /** `message`: what Go says, without the place: `invalid character '}' looking for beginning of value`. */
  | { readonly kind: 'malformed'; readonly message: string };

/** Nothing odd: for values that come from elsewhere. */
export const noOddities: Oddities = { entries: new Map(), literals: new Map() };

/**
 * Reads a JSON text as the API server does: the language of Go's encoding/json (RFC 8259, at most 10,000 levels, lone surrogates become
 * U+FFFD), its error texts, and what its strict decoder finds about keys that are given twice.
 *
 * Guarantees: never throws; `__proto__` is an ordinary key. Integers beyond 2^53 are rounded, as JSON numbers are in JavaScript; their
 * literals are kept beside. Cost: a text without oddities is read by JSON.parse and looked over twice.
 */
export function parseJson(text: string): JsonResult {
  const shape = shapeOf(text);
  if (shape !== undefined) {
    const parsed = tryParse(text);
    if (parsed !== undefined && keyCount(parsed.value) === shape.keys) {
      return { kind: 'parsed', json: { value: parsed.value, oddities: noOddities } };
    }
  }
  const read = readJson(text);
  return typeof read === 'string' ? { kind: 'malformed', message: read } : { kind: 'parsed', json: read };
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * Counts the keys of a text that is well-formed; undefined where JSON.parse would not do: too deep, numbers to be kept as written,
 * escaped surrogates.
 */
function shapeOf(text: string): { readonly keys: number } | undefined {
  if (/\\u[dD][89a-fA-F]/.test(text) || !text.isWellFormed()) return undefined;
  let keys = 0;
  let depth = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= zero && c <= nine) {
      // 15 digits are always exact.
      if (++digits > 15) return undefined;
      continue;
    }
    switch (c) {
      case quote:
        i = endOfString(text, i);
        break;
      case colon:
        keys++;
        break;
      case openBrace:
      case openBracket:
        if (++depth > jsonFailure.maxDepth) return undefined;
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
      case dot:
        return undefined;
      case upperE:
      case lowerE:
        if (digits > 0) return undefined;
        break;
      case minus:
        if (text.charCodeAt(i + 1) === zero) return undefined;
        break;
    }
    digits = 0;
  }
  return { keys };
}

/** The place of the quote that ends the string; the length of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

function keyCount(value: unknown): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== 'object' || one === null) continue;
    if (Array.isArray(one)) {
      for (const item of one as readonly unknown[]) if (typeof item === 'object') open.push(item);
      continue;
    }
    const record = one as Readonly<Record<string, unknown>>;
    const keys = Object.keys(record);
    count += keys.length;
    for (const key of keys) {
      const item = record[key];
      if (typeof item === 'object') open.push(item);
    }
  }
  return count;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const dot = 0x2e;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const upperE = 0x45;
const lowerE = 0x65;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
