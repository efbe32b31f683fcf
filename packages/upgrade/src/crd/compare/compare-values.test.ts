import { describe, expect, it } from 'vitest';
import {
  compareEnums,
  compareExclusive,
  compareFormats,
  compareLimit,
  compareMultiples,
  compareNullable,
  comparePatterns,
  compareTypes,
  keepsType,
  named,
} from './compare-values.ts';
import type { Compare, Pair } from './schema-change.ts';

const pairOf = (old: object, next: object): Pair => ({
  old: old,
  next: next,
  pointer: '/p',
  field: 'spec.a',
  inRepeated: false,
});
/** What users see first of each change: the rule, its severity where it is lowered, the message. */
const saidOf = (compare: Compare, old: object, next: object) =>
  compare(pairOf(old, next)).map(
    ({ rule, severity, message }) => `${rule}${severity === undefined ? '' : ` ${severity}`}: ${message}`,
  );

const either = { 'x-kubernetes-int-or-string': true };
const preserving = { type: undefined, 'x-kubernetes-preserve-unknown-fields': true };

describe('a change of the type', () => {
  it.each<readonly [object, object, string | undefined, boolean]>([
    [{ type: 'string' }, { type: 'string' }, undefined, true],
    [{ type: 'string' }, { type: 'boolean' }, 'F03', false],
    [{ type: 'integer' }, { type: 'number' }, 'F04', true],
    [{ type: 'number' }, { type: 'integer' }, 'F03', false],
    [{ type: 'integer' }, either, 'F04', true],
    [{ type: 'string' }, either, 'F04', true],
    [{ type: 'boolean' }, either, 'F03', false],
    [either, { type: 'integer' }, 'F24', true],
    [either, { type: 'string' }, 'F24', true],
    [either, { type: 'boolean' }, 'F03', true],
    [either, { type: 'object' }, 'F03', false],
    [either, { type: 'array' }, 'F03', false],
    [{ type: 'string' }, {}, 'F04', true],
    [{ type: 'object' }, {}, 'F03', false],
    [{ type: 'object' }, preserving, 'F04', true],
    [{}, { type: 'object' }, 'F03', false],
  ])('from %j to %j is %s, and the rules of values apply: %s', (old, next, rule, keeps) => {
    expect(compareTypes(pairOf(old, next)).map((one) => one.rule)).toEqual(rule === undefined ? [] : [rule]);
    expect(keepsType(pairOf(old, next))).toBe(keeps);
  });

  it('is reported once, at the place and with both types', () => {
    expect(compareTypes(pairOf({ type: 'string' }, either))).toEqual([
      {
        rule: 'F04',
        pointer: '/p',
        field: 'spec.a',
        old: 'string',
        new: 'int-or-string',
        message: 'the type of spec.a changes from string to int-or-string',
        hint: 'Check that clients with generated types can read both.',
      },
    ]);
  });
});

describe('a change of the format', () => {
  const from = (old: string, next: string) => `the format of spec.a changes from ${old} to ${next}`;
  const text = (format?: string) => ({ type: 'string', ...(format !== undefined && { format }) });

  it.each<readonly [object, object, readonly string[]]>([
    [text(), text('ipv4'), [`F16: ${from('none', '"ipv4"')}`]],
    [text('ipv4'), text('ipv6'), [`F16: ${from('"ipv4"', '"ipv6"')}`]],
    [text('date-time'), text('datetime'), []],
    [text('ipv4'), text(), [`F15 I: ${from('"ipv4"', 'none')}`]],
    [text(), text('odd'), [`F16 I: ${from('none', '"odd"')}, which the API server does not check`]],
    [text('odd'), text(), [`F16 I: ${from('"odd"', 'none')}, which the API server does not check`]],
    [{ type: 'integer' }, { type: 'integer', format: 'int32' }, [`F16: ${from('none', '"int32"')}`]],
    [
      { type: 'integer' },
      { type: 'integer', format: 'int64' },
      [`F16 I: ${from('none', '"int64"')}, which the API server does not check`],
    ],
    [{ type: 'number' }, { type: 'number', format: 'float' }, [`F16: ${from('none', '"float"')}`]],
    [
      { type: 'number' },
      { type: 'number', format: 'double' },
      [`F16 I: ${from('none', '"double"')}, which the API server does not check`],
    ],
  ])('from %j to %j', (old, next, expected) => {
    expect(saidOf(compareFormats, old, next)).toEqual(expected);
  });
});

describe('a change of null and of the values', () => {
  it.each<readonly [object, object, readonly string[]]>([
    [{}, { nullable: true }, ['F18: spec.a may be null']],
    [{ nullable: true }, { nullable: false }, ['F17: spec.a may no longer be null']],
    [{}, { nullable: false }, []],
  ])('from %j to %j', (old, next, expected) => {
    expect(saidOf(compareNullable, old, next)).toEqual(expected);
  });

  it.each<readonly [object, object, readonly string[]]>([
    [{ enum: ['a'] }, {}, ['F15: spec.a may have any value']],
    [{}, { enum: ['a'] }, ['F09: spec.a may only be one of ["a"]']],
    [{ enum: ['a', 'b', 'c'] }, { enum: ['b'] }, ['F09: spec.a may no longer be "a", "c"']],
    [{ enum: ['a'] }, { enum: ['a', 'b'] }, ['F10: spec.a may now be "b"']],
    [{ enum: ['a'] }, { enum: [{ b: 1 }] }, ['F09: spec.a may no longer be "a"', 'F10: spec.a may now be {"b":1}']],
    [{ enum: ['a', { b: 1, c: 2 }] }, { enum: [{ c: 2, b: 1 }, 'a'] }, []],
  ])('from %j to %j', (old, next, expected) => {
    expect(saidOf(compareEnums, old, next)).toEqual(expected);
  });
});

describe('a change of a limit', () => {
  it.each<readonly [Parameters<typeof compareLimit>[0], number | undefined, number | undefined, string | undefined]>([
    ['minimum', 1, 2, 'F11'],
    ['minimum', 2, 1, 'F15'],
    ['minimum', undefined, 0, 'F11'],
    ['minimum', 0, undefined, 'F15'],
    ['minimum', 1, 1, undefined],
    ['minLength', undefined, 0, undefined],
    ['minLength', 0, undefined, undefined],
    ['minItems', undefined, 1, 'F11'],
    ['minItems', 0, 1, 'F11'],
    ['minItems', 1, 0, 'F15'],
    ['minProperties', 1, undefined, 'F15'],
    ['maximum', 2, 1, 'F12'],
    ['maximum', 1, 2, 'F15'],
    ['maxItems', undefined, 0, 'F12'],
    ['maxItems', 0, undefined, 'F15'],
    ['maxItems', 0, 5, 'F15'],
    ['maxLength', undefined, -1, 'F12'],
    ['maxProperties', undefined, 3, 'F12'],
  ])('%s from %s to %s is %s', (key, old, next, rule) => {
    const found = compareLimit(key)(pairOf({ [key]: old }, { [key]: next }));
    expect(found.map((one) => one.rule)).toEqual(rule === undefined ? [] : [rule]);
    for (const { pointer, message } of found) {
      expect(pointer).toBe(`/p/${key}`);
      expect(message).toBe(`${key} of spec.a changes from ${old ?? 'none'} to ${next ?? 'none'}`);
    }
  });

  it.each<readonly [Parameters<typeof compareExclusive>[0], object, object, readonly string[]]>([
    [
      'exclusiveMinimum',
      { minimum: 1 },
      { minimum: 1, exclusiveMinimum: true },
      ['F13: the minimum of spec.a is no longer an allowed value'],
    ],
    [
      'exclusiveMaximum',
      { maximum: 1, exclusiveMaximum: true },
      { maximum: 1, exclusiveMaximum: false },
      ['F15: the maximum of spec.a is now an allowed value'],
    ],
    ['exclusiveMaximum', {}, { exclusiveMaximum: true }, []],
    ['exclusiveMaximum', { minimum: 1 }, { minimum: 1, exclusiveMaximum: true }, []],
    ['exclusiveMinimum', { maximum: 1 }, { maximum: 1, exclusiveMinimum: true }, []],
  ])('%s from %j to %j', (key, old, next, expected) => {
    expect(saidOf(compareExclusive(key), old, next)).toEqual(expected);
  });

  it.each<readonly [number | undefined, number | undefined, string]>([
    [6, undefined, 'F15'],
    [6, 3, 'F15'],
    [3, 6, 'F13'],
    [undefined, 3, 'F13'],
  ])('multipleOf from %s to %s is %s', (old, next, rule) => {
    expect(saidOf(compareMultiples, { multipleOf: old }, { multipleOf: next })).toEqual([
      `${rule}: multipleOf of spec.a changes from ${old ?? 'none'} to ${next ?? 'none'}`,
    ]);
  });
});

describe('a change of the pattern', () => {
  it.each<readonly [string | undefined, string | undefined, string]>([
    ['^a$', undefined, 'F15'],
    [undefined, '^a$', 'F14'],
    ['^a$', '^b$', 'F14'],
    ['^a$', '^(a)$', 'F15'],
    ['^a$', '^(?:a)$', 'F15'],
    ['^a$', String.raw`\Aa\z`, 'F15'],
    ['^a$', String.raw`^a\\z`, 'F14'],
    ['^a|b$', '^(a|b)$', 'F14'],
    [String.raw`^\d$`, String.raw`^(\d)$`, 'F14'],
    ['^a$', 'a', 'F14'],
  ])('from %s to %s is %s', (old, next, rule) => {
    expect(comparePatterns(pairOf({ pattern: old }, { pattern: next })).map((one) => one.rule)).toEqual([rule]);
  });
});

it('a sentence names the field, or the object where the place is the whole', () => {
  expect(named(pairOf({}, {}))).toBe('spec.a');
  expect(named({ ...pairOf({}, {}), field: '' })).toBe('the object');
});
