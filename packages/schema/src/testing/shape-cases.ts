import type { JsonSchema } from '../json-schema.ts';

/**
 * A schema of one field `x`, and a value that the API server prunes and defaults. What comes out is
 * asked of a real one.
 */
export type ShapeCase = readonly [what: string, schema: JsonSchema, value: unknown];

const port: JsonSchema = {
  type: 'object',
  properties: { protocol: { type: 'string', default: 'TCP' }, name: { type: 'string' } },
};
const preserving: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const shapeCases: readonly ShapeCase[] = [
  [
    'unknown fields at two depths',
    { type: 'object', properties: { a: port } },
    { a: { name: 'n', b: 1 }, c: { d: 1 } },
  ],
  ['unknown fields in a list', { type: 'array', items: port }, [{ name: 'a' }, { colour: 'red', size: 1 }]],
  ['unknown fields in a map', { type: 'object', additionalProperties: port }, { k: { colour: 'red' } }],
  ['an object of which nothing is known', { type: 'object' }, { a: 1, b: { c: 1 } }],
  ['a text where an object is unknown', { type: 'object', properties: {} }, { a: 'b' }],
  ['an object that is kept', preserving, { a: { b: [1, null] } }],
  [
    'a known field in an object that is kept',
    { ...preserving, properties: { a: port } },
    { a: { colour: 1 }, b: { c: 1 } },
  ],
  ['objects kept in a list', { type: 'array', items: preserving }, [{ a: 1 }, {}]],
  ['a field of any type', { 'x-kubernetes-preserve-unknown-fields': true }, [{ a: 1 }, 'b']],
  [
    'a list in a field of any type, its items known',
    { 'x-kubernetes-preserve-unknown-fields': true, type: 'array', items: port },
    [{ colour: 1 }],
  ],
  [
    'free fields without a schema',
    { type: 'object', additionalProperties: true },
    { a: 'b', c: { d: 1 }, e: [{ f: 1 }] },
  ],
  [
    'an embedded resource',
    { ...preserving, 'x-kubernetes-embedded-resource': true },
    { apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, more: 1 },
  ],
  [
    'an embedded resource of which more is known',
    { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: port } },
    { apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, spec: { colour: 1 }, more: 1 },
  ],
  ['defaults in a list', { type: 'array', items: port }, [{}, { protocol: 'UDP' }]],
  ['defaults in a map', { type: 'object', additionalProperties: port }, { a: {} }],
  ['defaults inside of a default', { type: 'object', properties: { a: { ...port, default: {} } } }, {}],
  ['a null that is defaulted', port, { protocol: null }],
  ['a null that goes', port, { name: null, protocol: 'UDP' }],
  [
    'a null that is a value',
    { type: 'object', properties: { a: { type: 'string', nullable: true, default: 'b' } } },
    { a: null },
  ],
  ['a null in a map', { type: 'object', additionalProperties: { type: 'string' } }, { a: null, b: 'c' }],
  ['a null in what is kept', preserving, { a: null }],
  ['a null in a list of nullables', { type: 'array', items: { type: 'string', nullable: true } }, ['a', null]],
  ['a null item that is defaulted', { type: 'array', items: { type: 'string', default: 'd' } }, ['a', null]],
  [
    'a field called __proto__',
    { type: 'object', properties: { a: port } },
    JSON.parse('{"__proto__": {"b": 1}, "a": {}}'),
  ],
  ['a kept field called __proto__', preserving, JSON.parse('{"__proto__": {"b": 1}, "constructor": 2}')],
];
