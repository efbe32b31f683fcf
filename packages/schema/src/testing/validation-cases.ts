import { s } from '../authoring/authoring.ts';
import type { JsonSchema } from '../json-schema.ts';

/**
 * A schema of one field `x`, a value for it, and the errors in the API server's words. Judged by us
 * and by a real API server.
 */
export type ValidationCase = readonly [what: string, schema: JsonSchema, value: unknown, errors: readonly string[]];

const nil = '<nil>: Invalid value: "": ';

/** Types, nullability and the range of numbers. */
export const typeCases: readonly ValidationCase[] = [
  [
    'a text for a number',
    { type: 'integer' },
    'a',
    ['x: Invalid value: "string": x in body must be of type integer: "string"'],
  ],
  ['null', { type: 'string' }, null, ['x: Invalid value: "null": x in body must be of type string: "null"']],
  ['null where it is a value', { type: 'string', nullable: true }, null, []],
  [
    'a list for an object',
    { type: 'object' },
    [],
    ['x: Invalid value: "array": x in body must be of type object: "array"'],
  ],
  [
    'an object for a list',
    { type: 'array', items: { type: 'string' } },
    {},
    ['x: Invalid value: "object": x in body must be of type array: "object"'],
  ],
  [
    'a boolean with a format',
    { type: 'integer', format: 'int32' },
    true,
    ['x: Invalid value: "": x in body must be of type int32: ""'],
  ],
  [
    'a fraction for an integer',
    { type: 'integer', format: 'int32' },
    1.5,
    [
      'x: Invalid value: "float64": x in body must be of type int32: "float64"',
      `${nil}Checked value must be of type integer with format int32 in x`,
    ],
  ],
  [
    'a fraction for an integer without format',
    { type: 'integer' },
    1.5,
    [
      'x: Invalid value: "number": x in body must be of type integer: "number"',
      `${nil}Checked value must be of type integer (default format) in x`,
    ],
  ],
  [
    'an integer beyond 32 bits',
    { type: 'integer', format: 'int32' },
    2 ** 31,
    [`${nil}Checked value must be of type integer with format int32 in x`],
  ],
  ['an integer where a number is wanted', { type: 'number' }, 3, []],
  [
    'a number too large for a float',
    { type: 'number', format: 'float' },
    1e300,
    [`${nil}Checked value must be of type number with format float in x`],
  ],
  ['an integer for a number or text', { 'x-kubernetes-int-or-string': true }, 80, []],
  ['a text for a number or text', { 'x-kubernetes-int-or-string': true }, '80%', []],
  [
    'a boolean for a number or text',
    { 'x-kubernetes-int-or-string': true },
    true,
    ['x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"'],
  ],
  [
    'a number for a moment',
    { type: 'string', format: 'date-time' },
    3,
    ['x: Invalid value: "int64": x in body must be of type date-time: "int64"'],
  ],
  ['a list for a moment, which the API server lets pass', { type: 'string', format: 'date-time' }, [], []],
  ['anything where nothing is said', { 'x-kubernetes-preserve-unknown-fields': true }, [1, { a: null }], []],
];

/** Limits of texts, numbers, lists and objects. */
export const limitCases: readonly ValidationCase[] = [
  ['too long, in code points', { type: 'string', maxLength: 2 }, '😀😀', []],
  ['too long', { type: 'string', maxLength: 2 }, 'abc', ['x: Too long: may not be more than 2 bytes']],
  [
    'too long by far',
    { type: 'string', maxLength: 2 },
    'a'.repeat(1000),
    ['x: Too long: may not be more than 2 bytes'],
  ],
  [
    'too short',
    { type: 'string', minLength: 1 },
    '',
    ['x: Invalid value: "": x in body should be at least 1 chars long'],
  ],
  [
    'too short and not matching: only the first is told',
    { type: 'string', minLength: 2, pattern: 'b' },
    'a',
    ['x: Invalid value: "a": x in body should be at least 2 chars long'],
  ],
  ['not matching', { type: 'string', pattern: '^a$' }, 'b', ['x: Invalid value: "b": x in body should match \'^a$\'']],
  [
    'no base64',
    { type: 'string', format: 'byte' },
    '***',
    ['x: Invalid value: "***": x in body must be of type byte: "***"'],
  ],
  [
    'no moment',
    { type: 'string', format: 'date-time' },
    'yesterday',
    ['x: Invalid value: "yesterday": x in body must be of type date-time: "yesterday"'],
  ],
  ['an unknown format says nothing', { type: 'string', format: 'colour' }, 'x', []],
  [
    'too small',
    { type: 'integer', minimum: 1 },
    0,
    ['x: Invalid value: 0: x in body should be greater than or equal to 1'],
  ],
  [
    'too small, the limit excluded',
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    1,
    ['x: Invalid value: 1: x in body should be greater than 1'],
  ],
  [
    'too large',
    { type: 'integer', maximum: 65535 },
    70000,
    ['x: Invalid value: 70000: x in body should be less than or equal to 65535'],
  ],
  [
    'too large, the limit excluded',
    { type: 'number', maximum: 1.5, exclusiveMaximum: true },
    1.5,
    ['x: Invalid value: 1.5: x in body should be less than 1.5'],
  ],
  [
    'a fractional limit is no limit of integers',
    { type: 'integer', maximum: 1.5 },
    2,
    [
      `${nil}Maximum boundary value must be of type integer (default format) in x`,
      'x: Invalid value: 2: x in body should be less than or equal to 1.5',
    ],
  ],
  [
    'a fractional limit is cut where the value is an integer',
    { type: 'number', maximum: 1.5 },
    2,
    ['x: Invalid value: 2: x in body should be less than or equal to 1'],
  ],
  [
    'a fractional factor for an integer',
    { type: 'integer', multipleOf: 1.5 },
    4,
    [
      `${nil}MultipleOf value must be of type integer (default format) in x`,
      'x: Invalid value: 4: x in body should be a multiple of 1.5',
    ],
  ],
  [
    'a large number',
    { type: 'number', maximum: 1e6 },
    1.5e21,
    ['x: Invalid value: 1.5e+21: x in body should be less than or equal to 1e+06'],
  ],
  [
    'an integer beyond 64 bits',
    { type: 'integer' },
    1e20,
    [
      'x: Invalid value: "number": x in body must be of type integer: "number"',
      `${nil}Checked value must be of type integer (default format) in x`,
    ],
  ],
  [
    'a quoted value',
    { type: 'string', enum: ['a"b'] },
    'tab\t<é>\u0001',
    ['x: Unsupported value: "tab\\t<é>\\x01": supported values: "a\\"b"'],
  ],
  [
    'a list that is none of those allowed',
    { type: 'array', items: { type: 'string' }, enum: [['a']] },
    ['<b>', 'é'],
    ['x: Unsupported value: ["\\u003cb\\u003e","é"]: supported values: "[\\"a\\"]"'],
  ],
  ['no multiple', { type: 'integer', multipleOf: 5 }, 7, ['x: Invalid value: 7: x in body should be a multiple of 5']],
  ['a multiple of a fraction', { type: 'number', multipleOf: 0.5 }, 1.5, []],
  [
    'none of those allowed',
    { type: 'string', enum: ['A', 'B'] },
    'C',
    ['x: Unsupported value: "C": supported values: "A", "B"'],
  ],
  [
    'an object among those allowed',
    { type: 'object', enum: [{ a: 1, b: 2 }], 'x-kubernetes-preserve-unknown-fields': true },
    { b: 2, a: 1 },
    [],
  ],
  [
    'null is never among them',
    { type: 'string', nullable: true, enum: ['A', null] },
    null,
    ['x: Unsupported value: null: supported values: "A", "null"'],
  ],
  [
    'wrong type and none of those allowed',
    { type: 'string', enum: ['A'] },
    5,
    [
      'x: Invalid value: "integer": x in body must be of type string: "integer"',
      'x: Unsupported value: 5: supported values: "A"',
    ],
  ],
  [
    'too few items',
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    [],
    ['x: Invalid value: 0: x in body should have at least 1 items'],
  ],
  [
    'too many items',
    { type: 'array', items: { type: 'string' }, maxItems: 1 },
    ['a', 'b'],
    ['x: Too many: 2: must have at most 1 item'],
  ],
  [
    'too few properties',
    { type: 'object', minProperties: 1 },
    {},
    ['x: Invalid value: 0: x in body should have at least 1 properties'],
  ],
  [
    'too many properties',
    { type: 'object', maxProperties: 0, 'x-kubernetes-preserve-unknown-fields': true },
    { a: 1 },
    ['x: Too many: 1: must have at most 0 items'],
  ],
  [
    'a forbidden property',
    { type: 'object', additionalProperties: false },
    { a: 1 },
    ['x: Invalid value: "a": x.a in body is a forbidden property'],
  ],
];

const either: JsonSchema = {
  'x-kubernetes-preserve-unknown-fields': true,
  oneOf: [{ required: ['a'] }, { required: ['b'] }],
};

/** allOf, anyOf, oneOf and not. */
export const junctorCases: readonly ValidationCase[] = [
  ['exactly one holds', either, { a: 1 }, []],
  [
    'none of oneOf holds',
    either,
    {},
    [`${nil}"x" must validate one and only one schema (oneOf). Found none valid`, 'x.a: Required value'],
  ],
  [
    'two of oneOf hold',
    either,
    { a: 1, b: 1 },
    [`${nil}"x" must validate one and only one schema (oneOf). Found 2 valid alternatives`],
  ],
  [
    'none of anyOf holds',
    { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    3,
    [
      `${nil}"x" must validate at least one schema (anyOf)`,
      'x: Invalid value: 3: x in body should be greater than or equal to 5',
    ],
  ],
  [
    'one of allOf does not hold',
    { type: 'integer', allOf: [{ minimum: 5 }, { maximum: 9 }] },
    3,
    [
      'x: Invalid value: 3: x in body should be greater than or equal to 5',
      `${nil}"x" must validate all the schemas (allOf)`,
    ],
  ],
  [
    'none of allOf holds',
    { type: 'integer', allOf: [{ minimum: 5 }] },
    3,
    [
      'x: Invalid value: 3: x in body should be greater than or equal to 5',
      `${nil}"x" must validate all the schemas (allOf). None validated`,
    ],
  ],
  ['not holds', { type: 'integer', not: { minimum: 5 } }, 7, [`${nil}"x" must not validate the schema (not)`]],
];

const set = s.setOf(s.string()).json;
const map = s.mapBy(['port', 'protocol'], s.object({ port: s.int32(), protocol: s.string().default('TCP') })).json;
const byName = s.mapBy(['name'], s.object({ name: s.string() })).json;

/** Uniqueness in sets and maps. */
export const listCases: readonly ValidationCase[] = [
  ['a set without repetition', set, ['a', 'b'], []],
  ['a value that comes three times is told once', set, ['a', 'b', 'a', 'a'], ['x[2]: Duplicate value: "a"']],
  [
    'a set of compounds',
    {
      ...set,
      items: { type: 'object', 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-preserve-unknown-fields': true },
    },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    ['x[1]: Duplicate value: {"a":1,"b":2}'],
  ],
  [
    'a map of two keys',
    map,
    [
      { port: 80, protocol: 'TCP' },
      { port: 80, protocol: 'UDP' },
    ],
    [],
  ],
  [
    'a map of two keys, both given twice',
    map,
    [
      { port: 80, protocol: 'TCP' },
      { port: 80, protocol: 'TCP' },
    ],
    ['x[1]: Duplicate value: {"port":80,"protocol":"TCP"}'],
  ],
  ['a map of one key', byName, [{ name: 'a' }, { name: 'a', more: 1 }], ['x[1]: Duplicate value: {"name":"a"}']],
  [
    'a map with an item that is no object',
    byName,
    ['a'],
    [
      'x[0]: Invalid value: "string": x[0] in body must be of type object: "string"',
      'x[0]: Invalid value: "a": must be an object for an array of list-type map',
    ],
  ],
  [
    'a set inside of a map with free keys',
    { type: 'object', additionalProperties: set },
    { k: ['a', 'a'] },
    ['x[k][1]: Duplicate value: "a"'],
  ],
];
