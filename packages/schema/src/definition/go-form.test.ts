import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import type { Version } from './definition.ts';
import { shownSchema, shownVersions } from './go-form.ts';

const read = (schema: JsonSchema) => JSON.parse(shownSchema(schema)) as Readonly<Record<string, unknown>>;
/** The fields of an empty schema, as the server shows them. */
const empty = read({});

describe('versions as the server shows them', () => {
  const absent = {
    Served: false,
    Storage: false,
    Deprecated: false,
    DeprecationWarning: null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };

  it.each<readonly [string, readonly object[] | null | undefined, unknown]>([
    ['none', undefined, null],
    ['null', null, null],
    ['an empty list', [], []],
    ['a name alone', [{ name: 'v1' }], [{ Name: 'v1', ...absent }]],
    [
      'all fields, of which parts are not shown',
      [
        {
          name: 'v1',
          served: true,
          storage: true,
          deprecated: true,
          deprecationWarning: 'old',
          schema: {},
          subresources: {},
        },
      ],
      [{ Name: 'v1', ...absent, Served: true, Storage: true, Deprecated: true, DeprecationWarning: 'old' }],
    ],
  ])('%s', (_, versions, expected) => {
    expect(JSON.parse(shownVersions(versions as readonly Version[] | null | undefined))).toEqual(expected);
  });

  it('have the marks of HTML in the way of Go', () => {
    const versions = [{ name: 'v1', deprecationWarning: '<a> & b' }] as unknown as readonly Version[];
    expect(shownVersions(versions)).toContain(String.raw`"DeprecationWarning":"\u003ca\u003e \u0026 b"`);
  });
});

describe('a schema as the server shows it', () => {
  it('has every field, in the order of the struct', () => {
    const keys = Object.keys(empty);
    expect([keys.length, keys[0], keys.at(-1)]).toEqual([44, 'ID', 'XValidations']);
    expect(empty).toMatchObject({ Type: '', Nullable: false, Default: null, Properties: null, XIntOrString: false });
  });

  const text = { ...empty, Type: 'string' };
  it.each<readonly [string, JsonSchema, object]>([
    ['a value', { type: 'string', minLength: 0, default: '' }, { Type: 'string', MinLength: 0, Default: '' }],
    ['a list', { items: { type: 'string' } }, { Items: { Schema: text, JSONSchemas: null } }],
    ['a map of any values', { additionalProperties: true }, { AdditionalProperties: { Allows: true, Schema: null } }],
    ['no map', { additionalProperties: false }, { AdditionalProperties: { Allows: false, Schema: null } }],
    ['a map', { additionalProperties: { type: 'string' } }, { AdditionalProperties: { Allows: true, Schema: text } }],
    ['what it is not', { not: { type: 'string' } }, { Not: text }],
    ...(['allOf', 'anyOf', 'oneOf'] as const).map(
      (key) =>
        [
          key,
          { [key]: [{ type: 'string' }, {}] },
          { [`${key.charAt(0).toUpperCase()}${key.slice(1)}`]: [text, empty] },
        ] as const,
    ),
    [
      'a rule alone',
      { 'x-kubernetes-validations': [{ rule: 'self > 1' }] },
      {
        XValidations: [
          { Rule: 'self > 1', Message: '', MessageExpression: '', Reason: null, FieldPath: '', OptionalOldSelf: null },
        ],
      },
    ],
    [
      'a rule with all fields',
      {
        'x-kubernetes-validations': [
          {
            rule: 'r',
            message: 'm',
            messageExpression: 'e',
            reason: 'FieldValueInvalid',
            fieldPath: '.a',
            optionalOldSelf: false,
          },
        ],
      },
      {
        XValidations: [
          {
            Rule: 'r',
            Message: 'm',
            MessageExpression: 'e',
            Reason: 'FieldValueInvalid',
            FieldPath: '.a',
            OptionalOldSelf: false,
          },
        ],
      },
    ],
    ['a mark', { 'x-kubernetes-preserve-unknown-fields': true }, { XPreserveUnknownFields: true }],
  ])('with %s', (_, schema, expected) => {
    expect(read(schema)).toEqual({ ...empty, ...expected });
  });

  it('has its properties sorted by name', () => {
    const { Properties } = read({ properties: { b: { type: 'string' }, a: {} } }) as {
      readonly Properties: Readonly<Record<string, unknown>>;
    };
    expect(Object.entries(Properties)).toEqual([
      ['a', empty],
      ['b', text],
    ]);
  });
});
