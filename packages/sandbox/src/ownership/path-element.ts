import type { Json } from '@isthmus/schema';
import { goJson, goNumber, goQuote } from '@isthmus/schema';

/**
 * One step from a value into one of its parts: a field or key of a map, an item of a list by its
 * keys, an item of a set by its value, or an item by its index. `text` is its serialised form in
 * `fieldsV1`; two steps are equal if their texts are.
 */
export type PathElement = FieldElement | KeyElement | ValueElement | IndexElement;

export interface FieldElement {
  readonly kind: 'field';
  readonly text: string;
  readonly name: string;
}

export interface KeyElement {
  readonly kind: 'key';
  readonly text: string;
  /** Names and values, sorted by name. */
  readonly keys: readonly (readonly [string, Json])[];
}

export interface ValueElement {
  readonly kind: 'value';
  readonly text: string;
  readonly value: Json;
}

export interface IndexElement {
  readonly kind: 'index';
  readonly text: string;
  readonly index: number;
}

/** A path from the outermost step to the innermost. */
export type FieldPath = readonly PathElement[];

/** The step to a field of an object, or to a key of a map. */
export function fieldElement(name: string): FieldElement {
  return { kind: 'field', text: `f:${name}`, name };
}

/** The step to the item of a list whose fields have these values. Their order does not matter. */
export function keyElement(keys: readonly (readonly [string, Json])[]): KeyElement {
  const sorted = keys.toSorted(([a], [b]) => compareText(a, b));
  const members = sorted.map(([name, value]) => `${jsonText(name)}:${jsonText(value)}`);
  return { kind: 'key', text: `k:{${members.join(',')}}`, keys: sorted };
}

/** The step to a value of a set. */
export function valueElement(value: Json): ValueElement {
  return { kind: 'value', text: `v:${jsonText(value)}`, value };
}

/** The step to a place in a list. */
export function indexElement(index: number): IndexElement {
  return { kind: 'index', text: `i:${index}`, index };
}

/**
 * Reads a serialised step. Returns undefined for an unknown kind, which the API server ignores.
 *
 * Errors: a text without a kind, invalid JSON, an index that is not an integer.
 */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2)
    throw new Error(`reading the field path element ${goQuote(text)}: it must be at least 2 characters long`);
  if (text[1] !== ':')
    throw new Error(`reading the field path element ${goQuote(text)}: its second character must be a colon`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return fieldElement(rest);
    case 'v':
      return valueElement(parseJson(text, rest));
    case 'k': {
      const keys = parseJson(text, rest);
      if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) {
        throw new Error(`reading the field path element ${goQuote(text)}: a JSON object must follow "k:"`);
      }
      return keyElement(Object.entries(keys));
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(rest)) throw new Error(`reading the field path element ${goQuote(text)}: not an index`);
      return indexElement(Number(rest));
    default:
      return undefined;
  }
}

/** The order of steps: fields, keys, values, places; within a kind by content, numbers by size. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareText(a.name, b.name);
  if (a.kind === 'key' && b.kind === 'key') return compareKeys(a.keys, b.keys);
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value);
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index;
  return kindOrder[a.kind] - kindOrder[b.kind];
}

/**
 * A path as messages of the API server print it: `.spec.ports[port=80,protocol="TCP"].name`,
 * `.metadata.finalizers[="x"]`.
 */
export function printFieldPath(path: FieldPath): string {
  return path.map(printPathElement).join('');
}

/** One step of {@link printFieldPath}. */
export function printPathElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.keys.map(([name, value]) => `${name}=${printValue(value)}`).join(',')}]`;
    case 'value':
      return `[=${printValue(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}

const kindOrder: Readonly<Record<PathElement['kind'], number>> = { field: 0, key: 1, value: 2, index: 3 };

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareKeys(a: KeyElement['keys'], b: KeyElement['keys']): number {
  for (let i = 0; ; i++) {
    const left = a[i];
    const right = b[i];
    if (left === undefined || right === undefined) return a.length - b.length;
    const order = compareText(left[0], right[0]) || compareValues(left[1], right[1]);
    if (order !== 0) return order;
  }
}

/** Numbers, strings, booleans, lists, maps, null, in this order; within a kind by content. */
function compareValues(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const order = rank(a) - rank(b);
  return order === 0 ? compareText(goJson(a), goJson(b)) : order;
}

function rank(value: Json): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (value === null) return 5;
  return Array.isArray(value) ? 3 : 4;
}

function printValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(printValue).join(',')}]`;
  return Object.entries(value)
    .map(([name, member]) => `${name}=${printValue(member)}`)
    .join('');
}

/** The same as `goJson`; most keys and values need no escaping. */
function jsonText(value: Json): string {
  return typeof value === 'string' && plain.test(value) ? `"${value}"` : goJson(value);
}

const plain = /^[\w ./:-]*$/;

function parseJson(text: string, rest: string): Json {
  try {
    return JSON.parse(rest) as Json;
  } catch (cause) {
    throw new Error(`reading the field path element ${goQuote(text)}: not JSON after its kind`, { cause });
  }
}
