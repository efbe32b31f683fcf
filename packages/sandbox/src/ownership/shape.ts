import type { Json } from '@isthmus/schema';
import { goQuote } from '@isthmus/schema';
import type { PathElement } from './path-element.ts';
import { keyElement, valueElement } from './path-element.ts';
import type { AnyNode, ListNode, ScalarType, TypeNode } from '../typed/type-node.ts';

/**
 * How field ownership walks a value: by its type, or, if the type allows anything, by the value
 * itself.
 */
export type Shape = ScalarShape | ListShape | MapShape;

export interface ScalarShape {
  readonly kind: 'scalar';
  readonly expects: 'string' | 'numeric' | 'boolean' | 'any';
}

export interface ListShape {
  readonly kind: 'list';
  readonly list: ListNode;
}

export interface MapShape {
  readonly kind: 'map';
  readonly atomic: boolean;
  /** The type of the value of a key; undefined for a field that the type does not have. */
  readonly typeOf: (key: string) => TypeNode | undefined;
  /** Whether the key is a field of the type, and not data. */
  readonly isNamed: (key: string) => boolean;
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>;

/**
 * The shape of a value. `undefined` is absence and fits every type; with a type that allows
 * anything, absence and `null` count as a map.
 */
export function shapeOf(type: TypeNode, value: Json | undefined): Shape {
  switch (type.kind) {
    case 'scalar':
      return { kind: 'scalar', expects: expectations[type.scalar] };
    case 'list':
      return { kind: 'list', list: type };
    case 'map':
      return { kind: 'map', atomic: type.atomic, typeOf: () => type.values, isNamed: () => false };
    case 'struct':
      return {
        kind: 'map',
        atomic: type.atomic,
        typeOf: (key) => (Object.hasOwn(type.fields, key) ? type.fields[key]?.type : type.unknownFields),
        isNamed: (key) => Object.hasOwn(type.fields, key),
      };
    case 'any':
      return shapeOfAny(type, value);
  }
}

/** The value as a JSON object; undefined if it is not one. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value as a list; undefined if it is not one. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value of a key of a JSON object. Inherited members do not count. */
export function memberOf(object: JsonObject | undefined, key: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The keys of a JSON object whose members are present. */
export function keysOf(object: JsonObject | undefined): readonly string[] {
  return object === undefined ? [] : Object.keys(object).filter((key) => object[key] !== undefined);
}

/**
 * The step to an item of a list of type `set` or `map`, or the error in the API server's words.
 * Keys that the item lacks have their default; keys without one are left out of the step.
 */
export function elementOfItem(list: ListNode, item: Json): PathElement | string {
  if (list.listType === 'map') return elementByKeys(list, item);
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (typeof item === 'object') return "associative list without keys has an element that's a map type";
  return valueElement(item);
}

function elementByKeys(list: ListNode, item: Json): PathElement | string {
  if (item === null) return 'associative list with keys may not have a null element';
  const object = asObject(item);
  if (object === undefined) return 'associative list with keys may not have non-map elements';
  const keys: [string, Json][] = [];
  for (const key of list.keys) {
    const own = memberOf(object, key.name);
    // A null stands for itself, not for the default.
    const value = own === undefined ? key.default : own;
    if (value !== undefined) keys.push([key.name, value]);
  }
  if (keys.length === 0) {
    const names = list.keys.map((key) => goQuote(key.name)).join(' ');
    return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
  }
  return keyElement(keys);
}

function shapeOfAny(type: AnyNode, value: Json | undefined): Shape {
  const atomic = type.atomic;
  if (Array.isArray(value)) return { kind: 'list', list: atomicList };
  if (value !== undefined && value !== null && typeof value !== 'object') return { kind: 'scalar', expects: 'any' };
  return { kind: 'map', atomic, typeOf: () => type, isNamed: () => false };
}

const atomicList: ListNode = { kind: 'list', items: { kind: 'any', atomic: true }, listType: 'atomic', keys: [] };

const expectations: Readonly<Record<ScalarType, ScalarShape['expects']>> = {
  string: 'string',
  boolean: 'boolean',
  int32: 'numeric',
  int64: 'numeric',
  float64: 'numeric',
  bytes: 'string',
  quantity: 'any',
  intOrString: 'any',
  time: 'string',
  microTime: 'string',
  duration: 'string',
};
