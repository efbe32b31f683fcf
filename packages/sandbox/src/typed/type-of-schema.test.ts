import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '@isthmus/schema';
import { objectMetaType } from './object-meta-type.ts';
import type { TypeNode } from './type-node.ts';
import { typeOfSchema } from './type-of-schema.ts';

const partOf = (schema: JsonSchema): TypeNode => typeOfSchema(schema, { isResourceRoot: false });
const text: TypeNode = { kind: 'scalar', scalar: 'string' };
const anything: TypeNode = { kind: 'any', atomic: false };
const field = (type: TypeNode, more: object = {}) => ({ type, pointer: true, omit: 'empty', ...more });

describe('the type of a value by its schema', () => {
  it.each<readonly [string, JsonSchema, TypeNode]>([
    ['a string', { type: 'string', format: 'date-time' }, text],
    ['an integer', { type: 'integer' }, { kind: 'scalar', scalar: 'int64' }],
    ['an int32', { type: 'integer', format: 'int32' }, { kind: 'scalar', scalar: 'int32' }],
    ['a number', { type: 'number' }, { kind: 'scalar', scalar: 'float64' }],
    ['a boolean', { type: 'boolean' }, { kind: 'scalar', scalar: 'boolean' }],
    ['an int-or-string, of any form', { 'x-kubernetes-int-or-string': true }, anything],
    ['unknown fields without a type', { 'x-kubernetes-preserve-unknown-fields': true }, anything],
    [
      'a list, atomic unless it says otherwise',
      { type: 'array', items: { type: 'string' } },
      { kind: 'list', items: text, listType: 'atomic', keys: [] },
    ],
    [
      'a set',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      { kind: 'list', items: text, listType: 'set', keys: [] },
    ],
    [
      'a keyed list, with the defaults of its keys',
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string', default: 'x' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'b'],
      },
      {
        kind: 'list',
        items: {
          kind: 'struct',
          goName: '',
          fields: { a: field(text), b: field(text, { default: 'x' }) } as never,
          atomic: false,
        },
        listType: 'map',
        keys: [{ name: 'a' }, { name: 'b', default: 'x' }],
      },
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      { kind: 'map', values: text, atomic: false },
    ],
    [
      'an atomic map',
      { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
      { kind: 'map', values: text, atomic: true },
    ],
    [
      'an atomic object',
      { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' },
      { kind: 'struct', goName: '', fields: { a: field(text) } as never, atomic: true },
    ],
    ['an object without properties', { type: 'object' }, { kind: 'map', values: anything, atomic: false }],
    [
      'an object with any additional properties',
      { type: 'object', additionalProperties: true },
      { kind: 'map', values: anything, atomic: false },
    ],
    [
      'an object that may only be empty',
      { type: 'object', additionalProperties: false },
      { kind: 'struct', goName: '', fields: {}, atomic: false },
    ],
    [
      'an object with properties, and any additional ones',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
      { kind: 'struct', goName: '', fields: { a: field(text) } as never, atomic: false, unknownFields: anything },
    ],
    [
      'an object with properties, and no other ones',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      { kind: 'struct', goName: '', fields: { a: field(text) } as never, atomic: false },
    ],
    [
      'an object with properties that keeps unknown fields',
      { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
      { kind: 'struct', goName: '', fields: { a: field(text) } as never, atomic: false, unknownFields: anything },
    ],
    [
      'properties without a type',
      { properties: { a: { type: 'string' } } },
      { kind: 'struct', goName: '', fields: { a: field(text) } as never, atomic: false },
    ],
    [
      'additional properties without a type',
      { additionalProperties: { type: 'string' } },
      { kind: 'map', values: text, atomic: false },
    ],
    [
      'anything that is atomic',
      { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' },
      { kind: 'any', atomic: true },
    ],
    [
      'a list without a type for its items',
      { type: 'array' },
      { kind: 'list', items: { kind: 'any', atomic: true }, listType: 'atomic', keys: [] },
    ],
    [
      'an object with a default for a field',
      { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
      { kind: 'struct', goName: '', fields: { a: field(text, { default: 'x' }) } as never, atomic: false },
    ],
  ])('%s', (_, schema, type) => {
    expect(partOf(schema)).toEqual(type);
  });

  it('keeps unknown fields below the level that asks for it', () => {
    const inner: JsonSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const type = partOf({ type: 'object', properties: { inner }, 'x-kubernetes-preserve-unknown-fields': true });
    expect(type).toMatchObject({ unknownFields: anything, fields: { inner: { type: { unknownFields: anything } } } });
    expect(partOf(inner)).not.toHaveProperty('unknownFields');
  });

  it('keeps unknown fields below a list and a map of the level that asks for it', () => {
    const inner: JsonSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const preserves = { 'x-kubernetes-preserve-unknown-fields': true } as const;
    expect(partOf({ type: 'array', items: inner, ...preserves })).toHaveProperty('items.unknownFields', anything);
    expect(partOf({ type: 'object', additionalProperties: inner, ...preserves })).toHaveProperty(
      'values.unknownFields',
      anything,
    );
    // Additional properties are those of their own level.
    const open = partOf({ type: 'object', properties: { inner }, additionalProperties: true });
    expect(open).not.toHaveProperty('fields.inner.type.unknownFields');
  });

  it('gives whole objects, embedded ones too, the metadata of every object, whatever the schema has for it', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } },
        spec: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    const metadata = { type: objectMetaType };
    expect(typeOfSchema(schema, { isResourceRoot: true })).toMatchObject({
      fields: { apiVersion: { type: text }, kind: { type: text }, metadata, spec: { type: { fields: { metadata } } } },
    });
    expect(partOf(schema)).not.toMatchObject({ fields: { metadata } });
  });

  it('takes names of fields such as __proto__ for names', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonSchema;
    const type = partOf(schema);
    expect(type.kind === 'struct' && Object.entries(type.fields)).toEqual([['__proto__', field(text)]]);
  });
});
