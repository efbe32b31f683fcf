import type { FieldNode, ScalarNode, StructNode, TypeNode } from './type-node.ts';
import { setKey } from './set-key.ts';

type Decoded = Readonly<Record<string, unknown>>;

/**
 * The JSON that Go writes for a struct with these field values: fields in Go's order, keys of maps
 * sorted, zero values written or left out by the fields' tags. `undefined` is the zero value of any
 * type.
 */
export function encodeStruct(type: StructNode, value: unknown): Decoded {
  const fields = (value ?? {}) as Decoded;
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(type.fields)) {
    const one = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (!isOmitted(field, one)) result[key] = field.pointer && one === undefined ? null : encode(field.type, one);
  }
  if (type.unknownFields !== undefined) {
    for (const [key, one] of Object.entries(fields)) {
      if (!Object.hasOwn(type.fields, key)) setKey(result, key, encode(type.unknownFields, one));
    }
  }
  return result;
}

function encode(type: TypeNode, value: unknown): unknown {
  switch (type.kind) {
    case 'scalar':
      return value ?? zeroOf(type);
    case 'list':
      return Array.isArray(value) ? value.map((item: unknown) => encode(type.items, item)) : null;
    case 'map': {
      if (value === undefined) return null;
      const result: Record<string, unknown> = {};
      const entries = Object.entries(value as Decoded).toSorted(([a], [b]) => (a < b ? -1 : 1));
      for (const [key, one] of entries) setKey(result, key, encode(type.values, one));
      return result;
    }
    case 'struct':
      return encodeStruct(type, value);
    case 'any': {
      if (value === undefined) return null;
      const form = Array.isArray(value) ? type.forms?.list : type.forms?.object;
      return form === undefined || typeof value !== 'object' ? value : encode(form, value);
    }
  }
}

function isOmitted({ omit, pointer, type }: FieldNode, value: unknown): boolean {
  if (omit === 'never') return false;
  if (pointer) return value === undefined;
  if (omit === 'zero') return isZero(type, value);
  switch (type.kind) {
    case 'scalar':
      // For Go, the others are structs, which are never empty.
      return hasEmpty(type) && (value === undefined || value === zeroOf(type) || value === '');
    case 'list':
      return !Array.isArray(value) || value.length === 0;
    case 'map':
      return value === undefined || Object.keys(value as Decoded).length === 0;
    case 'struct':
    case 'any':
      return false;
  }
}

function isZero(type: TypeNode, value: unknown): boolean {
  if (value === undefined) return true;
  if (type.kind === 'scalar') return value === zeroOf(type);
  if (type.kind !== 'struct') return false;
  return Object.entries(type.fields).every(([key, field]) => {
    const one = (value as Decoded)[key];
    return field.pointer ? one === undefined : isZero(field.type, one);
  });
}

function hasEmpty({ scalar }: ScalarNode): boolean {
  return ['string', 'boolean', 'int32', 'int64', 'float64', 'bytes'].includes(scalar);
}

function zeroOf({ scalar }: ScalarNode): unknown {
  switch (scalar) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'bytes':
    case 'time':
    case 'microTime':
      return null;
  }
}
