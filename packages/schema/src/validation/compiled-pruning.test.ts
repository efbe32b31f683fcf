import { describe, expect, it } from 'vitest';
import { deepFreeze } from '@isthmus/machinery';
import { s } from '../authoring/authoring.ts';
import { compileSchema } from './compile.ts';
import type { JsonSchema } from '../json-schema.ts';

const port = s.object({ port: s.int32() });
const schema = s.object({
  spec: s
    .object({
      ports: s.array(port).optional(),
      free: s.anyObject().optional(),
      labels: s.record(s.string()).optional(),
      opaque: s.opaqueObject().optional(),
    })
    .optional(),
}).json;

describe('pruning', () => {
  it.each<[string, unknown, unknown, readonly string[]]>([
    [
      'drops what is unknown and names it',
      { spec: { ports: [{ port: 1 }, { port: 2, colour: 'red' }], size: 3 } },
      { spec: { ports: [{ port: 1 }, { port: 2 }] } },
      ['spec.ports[1].colour', 'spec.size'],
    ],
    [
      'keeps what the schema lets be',
      { spec: { free: { a: { b: 1 } }, labels: { a: 'b' } } },
      { spec: { free: { a: { b: 1 } }, labels: { a: 'b' } } },
      [],
    ],
    [
      'empties an object of which nothing is known',
      { spec: { opaque: { a: 1 } } },
      { spec: { opaque: {} } },
      ['spec.opaque.a'],
    ],
    [
      'keeps apiVersion, kind and the known part of metadata',
      { apiVersion: 'v1', kind: 'K', metadata: { name: 'a', colour: 'red' } },
      { apiVersion: 'v1', kind: 'K', metadata: { name: 'a' } },
      ['metadata.colour'],
    ],
    ['does not name members that are undefined', { spec: { size: undefined } }, { spec: { size: undefined } }, []],
    ['leaves wrong types for validation', { spec: 'x', metadata: [] }, { spec: 'x', metadata: [] }, []],
  ])('%s', (_what, value, expected, unknown) => {
    const pruned = compileSchema(schema, { isResourceRoot: true }).prune(deepFreeze(value));
    expect(pruned.value).toEqual(expected);
    expect(pruned.unknownFields).toEqual(unknown);
  });

  it('gives back the same value where nothing goes', () => {
    const value = deepFreeze({ spec: { ports: [{ port: 1 }] } });
    expect(compileSchema(schema).prune(value).value).toBe(value);
  });

  it('a field called __proto__ is unknown like any other, and reaches no prototype', () => {
    const value: unknown = JSON.parse('{"spec": {"__proto__": {"polluted": true}, "constructor": 1}}');
    const pruned = compileSchema(schema).prune(value);
    expect(pruned.unknownFields).toEqual(['spec.__proto__', 'spec.constructor']);
    expect(pruned.value).toEqual({ spec: {} });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('a kept field called __proto__ stays an own field', () => {
    const free: JsonSchema = { type: 'object', additionalProperties: port.json };
    const pruned = compileSchema(free).prune(JSON.parse('{"__proto__": {"port": 1, "colour": 2}}')).value as object;
    expect(JSON.stringify(pruned)).toBe('{"__proto__":{"port":1}}');
  });

  it('inside of what is kept, declared fields are still pruned', () => {
    const mixed: JsonSchema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: port.json },
    };
    const pruned = compileSchema(mixed).prune({ known: { port: 1, colour: 2 }, other: { colour: 3 } });
    expect(pruned).toEqual({ value: { known: { port: 1 }, other: { colour: 3 } }, unknownFields: ['known.colour'] });
  });

  it('an embedded resource keeps its own metadata', () => {
    const embedded: JsonSchema = {
      type: 'object',
      properties: { of: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: port.json } } },
    };
    const value = { of: { apiVersion: 'v1', kind: 'K', metadata: { name: 'a', odd: 1 }, spec: { port: 1 }, more: 1 } };
    expect(compileSchema(embedded).prune(value).unknownFields).toEqual(['of.metadata.odd', 'of.more']);
  });

  it('each path is named once, in order', () => {
    const value = { spec: { zeta: 1, alpha: 1, ports: [{ b: 1, a: 1 }] } };
    expect(compileSchema(schema).prune(value).unknownFields).toEqual([
      'spec.alpha',
      'spec.ports[0].a',
      'spec.ports[0].b',
      'spec.zeta',
    ]);
  });
});
