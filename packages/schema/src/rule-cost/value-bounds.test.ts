import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import { sizeAt, valueBounds } from './value-bounds.ts';

const text: JsonSchema = { type: 'string' };
const request = 3 * 1024 * 1024;

describe('how large the values of a schema can be', () => {
  it.each<readonly [string, JsonSchema, most: number, fewestBytes: number]>([
    ['a text', text, request - 2, 2],
    ['a bounded text, in bytes', { ...text, maxLength: 5 }, 20, 2],
    ['a text with a bound below nothing', { ...text, maxLength: -1 }, 0, 2],
    ['one of some texts', { ...text, enum: ['a', 'bcd'] }, 3, 2],
    ['bytes', { ...text, format: 'byte', maxLength: 5 }, 5, 2],
    ['bytes with a bound below nothing', { ...text, format: 'byte', maxLength: -1 }, 0, 2],
    ['bytes without a bound', { ...text, format: 'byte' }, request - 2, 2],
    ['a duration, whatever its bound', { ...text, format: 'duration', maxLength: 5 }, 32, 3],
    ['a day', { ...text, format: 'date' }, 12, 12],
    ['a time', { ...text, format: 'date-time' }, 32, 21],
    ['a text of another format', { ...text, format: 'uuid' }, request - 2, 2],
    ['a bool', { type: 'boolean' }, 0, 4],
    ['a number', { type: 'number' }, 0, 1],
    ['an int-or-string', { 'x-kubernetes-int-or-string': true }, request - 2, 1],
    ['a bounded int-or-string', { 'x-kubernetes-int-or-string': true, maxLength: 2 }, 8, 1],
    ['a bounded list', { type: 'array', items: text, maxItems: 7 }, 7, 2],
    ['a list with a bound below nothing', { type: 'array', items: text, maxItems: -1 }, 0, 2],
    ['a map with a bound below nothing', { type: 'object', additionalProperties: text, maxProperties: -1 }, 0, 2],
    ['a list', { type: 'array', items: text }, Math.floor((request - 2) / 3), 2],
    ['a list of bools', { type: 'array', items: { type: 'boolean' } }, Math.floor((request - 2) / 5), 2],
    ['a bounded map', { type: 'object', additionalProperties: text, maxProperties: 7 }, 7, 2],
    ['a map', { type: 'object', additionalProperties: text }, Math.floor((request - 2) / 8), 2],
    ['an object', { type: 'object', properties: { a: text } }, 0, 2],
    ['an object that needs a field', { type: 'object', required: ['a'], properties: { a: text } }, 0, 9],
    [
      'an object whose field is filled in',
      { type: 'object', required: ['a'], properties: { a: { ...text, default: '' } } },
      0,
      2,
    ],
  ])('%s', (_, schema, most, fewestBytes) => {
    expect(valueBounds(schema, false)).toMatchObject({ most, fewestBytes });
  });

  it.each<readonly [string, JsonSchema]>([
    ['what has no type', { 'x-kubernetes-preserve-unknown-fields': true }],
    ['a list of such', { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } }],
    ['a map of such', { type: 'object', additionalProperties: {} }],
  ])('are not known of %s', (_, schema) => {
    expect(valueBounds(schema, false)).toBeUndefined();
  });

  it('are found by the way to them, in the words of CEL', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        'a-b': {
          type: 'array',
          maxItems: 3,
          items: { type: 'object', properties: { for: { ...text, maxLength: 1 } } },
        },
        map: { type: 'object', maxProperties: 2, additionalProperties: text },
        '9': text,
      },
    };
    const bounds = valueBounds(schema, false);
    if (bounds === undefined) throw new Error('no bounds');
    const at = (path: string) => sizeAt(bounds, path.split('/'))?.max;
    expect(at('self')).toBe(0);
    expect(at('self/a__dash__b')).toBe(3);
    expect(at('self/a__dash__b/@items/__for__')).toBe(4);
    expect(at('self/map/@keys')).toBe(0);
    expect(at('self/map/@values')).toBe(request - 2);
    expect(at('self/9')).toBeUndefined();
    expect(at('self/none/@items')).toBeUndefined();
  });

  it('are those of the names that a whole object has', () => {
    const metadata: JsonSchema = { type: 'object', properties: { name: { ...text, maxLength: 63 } } };
    const nameOf = (properties: Readonly<Record<string, JsonSchema>>) => {
      const bounds = valueBounds({ type: 'object', properties }, true);
      return bounds && sizeAt(bounds, ['self', 'metadata', 'name'])?.max;
    };
    expect(nameOf({})).toBe(request - 2);
    expect(nameOf({ metadata })).toBe(request - 2);
    const all = { ...metadata, properties: { ...metadata.properties, generateName: text } };
    expect(nameOf({ metadata: all, kind: text, apiVersion: text })).toBe(252);
  });
});
