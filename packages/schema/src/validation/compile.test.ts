import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { s } from '../authoring/authoring.ts';
import { compileSchema } from './compile.ts';
import { formatFieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import { junctorCases, limitCases, listCases, typeCases } from '../testing/validation-cases.ts';

const texts = (schema: JsonSchema, value: unknown) =>
  compileSchema({ type: 'object', properties: { x: schema } })
    .validate({ x: value })
    .map(formatFieldError);

describe('a value of the wrong type', () => {
  it.each(typeCases)('%s', (_what, schema, value, errors) => {
    expect(texts(schema, value)).toEqual(errors);
  });
});

describe('limits of values', () => {
  it.each(limitCases)('%s', (_what, schema, value, errors) => {
    expect(texts(schema, value)).toEqual(errors);
  });
});

describe('what is inside', () => {
  const inner = s.object({ name: s.string(), port: s.int32().max(9).optional() });

  it('is named by its path, through lists, objects and maps', () => {
    const schema = s.object({ ports: s.array(inner), byName: s.record(inner).optional() });
    const value = { ports: [{ name: 'a' }, { port: 10 }], byName: { b: { name: 3 } } };
    expect(compileSchema(schema.json).validate(value).map(formatFieldError)).toEqual([
      'ports[1].port: Invalid value: 10: ports[1].port in body should be less than or equal to 9',
      'ports[1].name: Required value',
      'byName.b.name: Invalid value: "integer": byName.b.name in body must be of type string: "integer"',
    ]);
  });

  it('a member that is undefined is absent', () => {
    expect(compileSchema(inner.json).validate({ name: 'a', port: undefined })).toEqual([]);
    expect(compileSchema(inner.json).validate({ name: undefined }).map(formatFieldError)).toEqual([
      'name: Required value',
    ]);
  });

  it('fields called as members of every object are fields like others', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: Object.fromEntries([['constructor', { type: 'string' } as const]]),
      required: ['constructor', 'toString'],
    };
    expect(compileSchema(schema).validate({}).map(formatFieldError)).toEqual([
      'constructor: Required value',
      'toString: Required value',
    ]);
    const hostile: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
    expect(compileSchema(schema).validate(hostile).map(formatFieldError)).toEqual([
      'constructor: Invalid value: "integer": constructor in body must be of type string: "integer"',
      'toString: Required value',
    ]);
  });
});

describe('alternatives', () => {
  it.each(junctorCases)('%s', (_what, schema, value, errors) => {
    expect(texts(schema, value)).toEqual(errors);
  });
});

describe('sets and maps', () => {
  it.each(listCases)('%s', (_what, schema, value, errors) => {
    expect(texts(schema, value)).toEqual(errors);
  });
});

describe('hostile input', () => {
  it('a schema nested too deep is refused, a value nested deep is not followed', () => {
    let schema: JsonSchema = { type: 'string' };
    for (let i = 0; i < 100_000; i++) schema = { type: 'object', properties: { a: schema } };
    expect(() => compileSchema(schema)).toThrow('nested deeper than 200 levels');
    let value: unknown = 'x';
    for (let i = 0; i < 100_000; i++) value = { a: value };
    const compiled = compileSchema(
      s.object({ a: s.object({ a: s.string() }), set: s.setOf(s.anyObject()).optional() }).json,
    );
    expect(compiled.validate(value).map(formatFieldError)).toEqual([
      'a.a: Invalid value: "object": a.a in body must be of type string: "object"',
    ]);
    expect(compiled.prune(value)).toEqual({ value: { a: { a: {} } }, unknownFields: ['a.a.a'] });
    const free = { a: { a: '' }, set: [value] };
    expect(compiled.prune(free).value === free).toBe(true);
    expect(compiled.applyDefaults(value) === value).toBe(true);
    expect(compiled.validate({ a: { a: '' }, set: [value, value] })).toHaveLength(1);
  });

  it('no JSON value whatever makes validation, defaulting or pruning throw', () => {
    const schema = s.object({
      a: s.string().pattern('^a+$').optional(),
      b: s.mapBy(['k'], s.object({ k: s.int32().default(1), v: s.setOf(s.string()).optional() })).optional(),
      c: s.record(s.intOrString()).optional(),
      d: s.oneOf('x').default('x'),
    });
    const compiled = compileSchema(schema.json);
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('a', 'b', 'c', 'd', '__proto__'), (value, key) => {
        for (const whole of [value, { [key]: value }]) {
          compiled.validate(whole);
          const pruned = compiled.prune(whole);
          const filled = compiled.applyDefaults(pruned.value);
          expect(compiled.prune(filled).unknownFields).toEqual([]);
          expect(compiled.prune(filled).value).toBe(filled);
          expect(compiled.applyDefaults(filled)).toBe(filled);
        }
      }),
      { numRuns: 500 },
    );
  });
});
