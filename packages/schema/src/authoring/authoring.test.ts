import { describe, expect, expectTypeOf, it } from 'vitest';
import { s } from './authoring.ts';
import type { Infer, InferRead, StandardCondition } from './authoring.ts';

const port = s.object({
  name: s.string().optional(),
  port: s.int32().min(1).max(65535),
  protocol: s.oneOf('TCP', 'UDP').default('TCP'),
});

describe('the authoring vocabulary emits structural schemas', () => {
  it.each([
    [
      'a text with limits',
      s.string().minLength(1).maxLength(3).pattern('^a'),
      { type: 'string', minLength: 1, maxLength: 3, pattern: '^a' },
    ],
    ['one of several texts', s.oneOf('A', 'B'), { type: 'string', enum: ['A', 'B'] }],
    [
      'an integer of 32 bits',
      s.int32().min(1).max(9).multipleOf(2),
      { type: 'integer', format: 'int32', minimum: 1, maximum: 9, multipleOf: 2 },
    ],
    ['an integer of 64 bits', s.int64(), { type: 'integer', format: 'int64' }],
    ['a number', s.number(), { type: 'number' }],
    ['a boolean that may be null', s.boolean().nullable(), { type: 'boolean', nullable: true }],
    ['a number or a text', s.intOrString(), { 'x-kubernetes-int-or-string': true }],
    ['a moment', s.dateTime(), { type: 'string', format: 'date-time' }],
    ['bytes', s.base64(), { type: 'string', format: 'byte' }],
    [
      'a list',
      s.array(s.string()).minItems(1).maxItems(2),
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    ],
    ['a set', s.setOf(s.string()), { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }],
    [
      'a list that is one value',
      s.atomicArray(s.string()),
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
    ],
    [
      'a map with free keys',
      s.record(s.int32()).maxProperties(3),
      { type: 'object', additionalProperties: { type: 'integer', format: 'int32' }, maxProperties: 3 },
    ],
    [
      'an object that is kept as it is',
      s.anyObject(),
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    ['an object that nothing is known of', s.opaqueObject(), { type: 'object' }],
    ['a description', s.string().doc('What it is.'), { type: 'string', description: 'What it is.' }],
    [
      'a rule',
      s.string().rule('self != ""', 'must not be empty'),
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != ""', message: 'must not be empty' }] },
    ],
  ])('%s', (_what, schema, json) => {
    expect(schema.json).toEqual(json);
  });

  it('an object requires exactly the fields that are neither optional nor defaulted', () => {
    expect(port.json).toEqual({
      type: 'object',
      required: ['port'],
      properties: {
        name: { type: 'string' },
        port: { type: 'integer', format: 'int32', minimum: 1, maximum: 65535 },
        protocol: { type: 'string', enum: ['TCP', 'UDP'], default: 'TCP' },
      },
    });
  });

  it('a list of objects that keys name is a map', () => {
    expect(s.mapBy(['port', 'protocol'], port).json).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    });
  });

  it('a schema never changes: each method gives a new one', () => {
    const text = s.string();
    text.maxLength(3);
    expect(text.json).toEqual({ type: 'string' });
    expect(Object.isFrozen(text.json)).toBe(true);
  });
});

describe('the types of values', () => {
  const schema = s.object({
    name: s.string(),
    kind: s.oneOf('A', 'B'),
    count: s.int32().optional(),
    sessions: s.int32().default(3),
    ports: s.mapBy(['port'], port).optional(),
    labels: s.record(s.string()).optional(),
    target: s.intOrString(),
    nothing: s.string().nullable(),
    conditions: s.conditions().optional(),
  });
  type Value = Infer<typeof schema>;

  it('are readonly, with optional fields as such', () => {
    expectTypeOf<Value>().toEqualTypeOf<{
      readonly name: string;
      readonly kind: 'A' | 'B';
      readonly target: number | string;
      readonly nothing: string | null;
      readonly count?: number | undefined;
      readonly sessions?: number | undefined;
      readonly ports?:
        | readonly {
            readonly port: number;
            readonly name?: string | undefined;
            readonly protocol?: 'TCP' | 'UDP' | undefined;
          }[]
        | undefined;
      readonly labels?: Readonly<Record<string, string>> | undefined;
      readonly conditions?: readonly StandardCondition[] | undefined;
    }>();
  });

  it('have every field with a default once they are read, at any depth', () => {
    const tree = s.object({
      ports: s.mapBy(['port'], port).default([]),
      byName: s.record(port).default({}),
      first: port.optional(),
      note: s.string().optional(),
    });
    interface ReadPort {
      readonly port: number;
      readonly name?: string | undefined;
      readonly protocol: 'TCP' | 'UDP';
    }
    expectTypeOf<InferRead<typeof tree>>().toEqualTypeOf<{
      readonly ports: readonly ReadPort[];
      readonly byName: Readonly<Record<string, ReadPort>>;
      readonly first?: ReadPort | undefined;
      readonly note?: string | undefined;
    }>();
  });

  it('refuse what the schema refuses', () => {
    const right: Value = { name: 'a', kind: 'A', target: 80, nothing: null };
    // @ts-expect-error a required field is missing
    const incomplete: Value = { name: 'a', kind: 'A', target: 80 };
    // @ts-expect-error the text is not one of those allowed
    const other: Value = { ...right, kind: 'C' };
    // @ts-expect-error fields are readonly
    right.name = 'b';
    // @ts-expect-error the field does not exist
    const more: Value = { ...right, colour: 'red' };
    // @ts-expect-error only fields of the item can be keys
    const odd = s.mapBy(['colour'], port);
    // @ts-expect-error numbers have no length
    const long = () => s.int32().maxLength(3);
    expect([right, incomplete, other, more, odd, long]).toHaveLength(6);
  });
});
