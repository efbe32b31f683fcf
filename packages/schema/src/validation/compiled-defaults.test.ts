import { describe, expect, it } from 'vitest';
import { deepFreeze } from '@isthmus/machinery';
import { compileDefaults } from './compiled-defaults.ts';
import type { JsonSchema } from '../json-schema.ts';

const port: JsonSchema = {
  type: 'object',
  properties: { protocol: { type: 'string', default: 'TCP' }, name: { type: 'string' } },
};
const schema: JsonSchema = {
  type: 'object',
  properties: {
    ports: { type: 'array', items: port },
    byName: { type: 'object', additionalProperties: port },
    nested: { type: 'object', default: {}, properties: { on: { type: 'boolean', default: true } } },
    free: { type: 'string', nullable: true, default: 'x' },
    plain: { type: 'string' },
    numbers: { type: 'array', items: { type: 'integer', default: 7 } },
  },
};
const filled = { nested: { on: true }, free: 'x' };

describe('defaulting', () => {
  it.each<[string, unknown, unknown]>([
    ['fills what is absent, and what is inside of what it filled', {}, filled],
    ['treats undefined as absent', { free: undefined }, filled],
    ['keeps what is there', { nested: { on: false }, free: 'y' }, { nested: { on: false }, free: 'y' }],
    [
      'reaches into lists and maps',
      { ports: [{}, { protocol: 'UDP' }], byName: { a: {} } },
      { ports: [{ protocol: 'TCP' }, { protocol: 'UDP' }], byName: { a: { protocol: 'TCP' } }, ...filled },
    ],
    ['puts the default in the place of a null that is no value', { nested: null }, filled],
    ['keeps a null that is a value', { free: null }, { free: null, nested: { on: true } }],
    [
      'drops a null that is neither a value nor defaulted',
      { plain: null, ports: [{ name: null }] },
      { ports: [{ protocol: 'TCP' }], ...filled },
    ],
    [
      'keeps a null in a list, or defaults it',
      { ports: [null], numbers: [null, 1] },
      { ports: [null], numbers: [7, 1], ...filled },
    ],
    ['leaves alone what the schema does not know', { other: null }, { other: null, ...filled }],
    ['leaves alone what is no object', 'text', 'text'],
  ])('%s', (_what, value, expected) => {
    expect(compileDefaults(schema)(deepFreeze(value))).toEqual(expected);
  });

  it('gives back the same value where nothing changes', () => {
    const complete = deepFreeze({ ports: [{ protocol: 'TCP' }], nested: { on: true }, free: null });
    expect(compileDefaults(schema)(complete)).toBe(complete);
  });

  it('shares no default that a caller could change', () => {
    const [one, other] = [compileDefaults(schema)({}), compileDefaults(schema)({})] as { nested: object }[];
    expect(Object.isFrozen(one?.nested) || one?.nested !== other?.nested).toBe(true);
  });

  it('a field called __proto__ is a field', () => {
    const odd: JsonSchema = {
      type: 'object',
      properties: JSON.parse('{"__proto__": {"type": "string", "default": "x"}}') as Record<string, JsonSchema>,
    };
    const value = compileDefaults(odd)({}) as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
