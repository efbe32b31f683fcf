import type { JsonSchema } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import {
  compareEmbedding,
  compareFreeKeys,
  comparePreserving,
  compareProperties,
  compareRequired,
  propertyOf,
} from './compare-fields.ts';
import type { Compare, Pair, SchemaChange } from './schema-change.ts';

const text: JsonSchema = { type: 'string' };
const preserving: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

const pairOf = (old: JsonSchema, next: JsonSchema, more: Partial<Pair> = {}): Pair => ({
  old,
  next,
  pointer: '/p',
  field: 'spec',
  inRepeated: false,
  ...more,
});
/** What of each change users see first: rule, severity where it is lowered, and message. */
const said = (changes: readonly SchemaChange[]) =>
  changes.map(({ rule, severity, message }) => `${rule}${severity === undefined ? '' : ` ${severity}`}: ${message}`);
const saidOf = (compare: Compare, old: JsonSchema, next: JsonSchema, more: Partial<Pair> = {}) =>
  said(compare(pairOf(old, next, more)));

describe('the pair of a property', () => {
  it('is at its place below the pair', () => {
    const pair = pairOf({ properties: { 'a/b': text } }, { properties: { 'a/b': { type: 'integer' } } });
    expect(propertyOf(pair, 'a/b')).toEqual({
      old: text,
      next: { type: 'integer' },
      pointer: '/p/properties/a~1b',
      field: 'spec.a/b',
      inRepeated: false,
    });
    expect(propertyOf({ ...pair, field: '', inRepeated: true }, 'a/b')).toMatchObject({
      field: 'a/b',
      inRepeated: true,
    });
  });

  it.each<readonly [string, JsonSchema, JsonSchema, string]>([
    ['only the old schema has it', { properties: { a: text } }, {}, 'a'],
    ['only the new schema has it', {}, { properties: { a: text } }, 'a'],
    ['it is a name of all JavaScript objects', { properties: {} }, { properties: {} }, 'constructor'],
  ])('does not exist where %s', (_, old, next, name) => {
    expect(propertyOf(pairOf(old, next), name)).toBeUndefined();
  });
});

describe('properties that are gone', () => {
  const gone = { properties: { a: text } };
  const kept = 'F01 R: spec.a is no longer listed; its values are kept, as all unknown fields there';
  const removed = 'F01: spec.a is removed: stored values are pruned on the next write';

  it.each<readonly [string, JsonSchema, string]>([
    ['unknown fields are pruned', {}, removed],
    ['unknown fields are kept', preserving, kept],
    ['other keys have a schema', { additionalProperties: text }, kept],
    ['other keys are allowed', { additionalProperties: true }, kept],
    ['other keys are not allowed', { additionalProperties: false }, removed],
  ])('where %s', (_, next, expected) => {
    expect(saidOf(compareProperties, gone, next)).toEqual([expected]);
  });

  it.each<readonly [string, JsonSchema, string, JsonSchema, readonly string[]]>([
    [
      'is renamed where only its case, hyphens and underscores differ',
      text,
      'FOO_b-ar',
      text,
      ['F02: spec.foo-bar is now called FOO_b-ar: stored values under the old name are pruned'],
    ],
    [
      'is another one where the type differs',
      text,
      'fooBar',
      { type: 'integer' },
      ['F01: spec.foo-bar is removed: stored values are pruned on the next write', 'F37: spec.fooBar is new'],
    ],
    [
      'is another one where the letters differ',
      text,
      'fooBaz',
      text,
      ['F01: spec.foo-bar is removed: stored values are pruned on the next write', 'F37: spec.fooBaz is new'],
    ],
  ])('a property %s', (_, had, name, has, expected) => {
    expect(saidOf(compareProperties, { properties: { 'foo-bar': had } }, { properties: { [name]: has } })).toEqual(
      expected,
    );
  });

  it.each<readonly [JsonSchema, object]>([
    [
      { type: 'integer', format: 'int32', default: 5 },
      { type: 'integer', format: 'int32', default: '5' },
    ],
    [{ 'x-kubernetes-int-or-string': true }, { type: 'int-or-string' }],
    [{}, { type: 'any' }],
  ])('%j are shown as a summary', (schema, old) => {
    expect(compareProperties(pairOf({ properties: { a: schema } }, {}))).toEqual([
      {
        rule: 'F01',
        pointer: '/p/properties/a',
        field: 'spec.a',
        old,
        message: 'spec.a is removed: stored values are pruned on the next write',
        hint: 'Keep it, deprecated, until no stored object holds it; or add a new version without it and a conversion.',
      },
    ]);
  });
});

describe('properties that are new', () => {
  const anyValue =
    'F37 R: spec.a gets a schema; stored objects may contain any value there, which is pruned or invalid from now on';
  const counted = (what: string) =>
    `F37 R: spec.a is new with a default, which every object has from now on: ${what} of spec may then reject it`;
  const group: JsonSchema = { type: 'object', required: ['x', 'y'], properties: { x: text, y: text } };
  const defaulted: JsonSchema = { type: 'string', default: 'x' };

  it.each<readonly [string, JsonSchema, JsonSchema, readonly string[]]>([
    ['of a plain object', {}, { properties: { a: text } }, ['F37: spec.a is new']],
    ['with a default', {}, { properties: { a: defaulted } }, ['F37: spec.a is new']],
    [
      'with a default where fields are counted',
      {},
      { properties: { a: defaulted }, maxProperties: 3, not: {} },
      [counted('maxProperties and not')],
    ],
    [
      'without a default where fields are counted',
      {},
      { properties: { a: text }, maxProperties: 3 },
      ['F37: spec.a is new'],
    ],
    [
      'that requires fields inside',
      {},
      { properties: { a: group } },
      ['F37: spec.a is new', 'F07: the new spec.a requires x, y; no stored object has spec.a'],
    ],
    ['that requires no fields inside', {}, { properties: { a: { ...group, required: [] } } }, ['F37: spec.a is new']],
    ['where any field was kept', preserving, { properties: { a: group } }, [anyValue]],
    ['where other keys had a schema', { additionalProperties: text }, { properties: { a: group } }, [anyValue]],
  ])('%s', (_, old, next, expected) => {
    expect(saidOf(compareProperties, old, next)).toEqual(expected);
  });

  it.each<readonly [string, JsonSchema, string]>([
    ['an object', group, '/p/properties/a/required'],
    ['a list', { type: 'array', items: group }, '/p/properties/a/items/required'],
  ])('the requirement inside %s is reported at its place', (_, schema, pointer) => {
    expect(compareProperties(pairOf({}, { properties: { a: schema } })).at(-1)).toMatchObject({
      rule: 'F07',
      pointer,
      field: 'spec.a',
      new: ['x', 'y'],
    });
  });

  it('are reported by name, after those that are gone', () => {
    const found = compareProperties(
      pairOf({ properties: { d: text, c: text, same: text } }, { properties: { b: text, a: text, same: text } }),
    );
    expect(found.map(({ rule, field }) => `${rule} ${field}`)).toEqual([
      'F01 spec.c',
      'F01 spec.d',
      'F37 spec.a',
      'F37 spec.b',
    ]);
  });
});

describe('required fields', () => {
  const asked = (a: JsonSchema): JsonSchema => ({ required: ['a'], properties: { a } });
  const free = (a: JsonSchema): JsonSchema => ({ properties: { a } });
  const defaulted: JsonSchema = { type: 'string', default: 'x' };
  const nullable: JsonSchema = { type: 'string', nullable: true };

  it.each<readonly [string, JsonSchema, JsonSchema, readonly string[]]>([
    ['that were required before', asked(text), asked(text), []],
    ['without a default', free(text), asked(text), ['F05: spec.a is required and has no default']],
    ['without a schema', {}, { required: ['a'] }, ['F05: spec.a is required and has no default']],
    ['with a default', free(text), asked(defaulted), ['F06: spec.a is required, and has the default "x"']],
    ['that lose their default', asked(defaulted), asked(text), ['F05: spec.a is required and loses its default "x"']],
    [
      'that may no longer be null',
      asked(nullable),
      asked(text),
      ['F05: spec.a is required and may no longer be null: a stored null counts as missing'],
    ],
    ['that may still be null', asked(nullable), asked(nullable), []],
    ['that may no longer be null, and have a default', asked(nullable), asked(defaulted), []],
    ['that keep their default', asked(defaulted), asked({ type: 'string', default: 'y' }), []],
    ['that are no longer required', asked(text), free(text), ['F15: spec.a is no longer required']],
    [
      'in the order of their names',
      { required: ['d', 'c'] },
      { required: ['b', 'a'] },
      [
        'F05: spec.a is required and has no default',
        'F05: spec.b is required and has no default',
        'F15: spec.c is no longer required',
        'F15: spec.d is no longer required',
      ],
    ],
  ])('%s', (_, old, next, expected) => {
    expect(saidOf(compareRequired, old, next)).toEqual(expected);
  });

  it('inside a list or map affect only the objects that have an entry', () => {
    expect(compareRequired(pairOf(free(text), asked(text), { inRepeated: true }))).toEqual([
      {
        rule: 'F08',
        pointer: '/p/required',
        field: 'spec.a',
        message: 'spec.a is required and has no default',
        hint: 'Give spec.a a default, or set it in all stored objects first.',
      },
    ]);
  });
});

describe('keys of any name', () => {
  const values = 'F22: the values of spec get a schema, under every key';

  it.each<readonly [string, JsonSchema, JsonSchema, readonly string[]]>([
    ['that are no longer accepted', { additionalProperties: text }, {}, ['F21: spec no longer accepts any key']],
    [
      'that are no longer accepted, in so many words',
      { additionalProperties: true },
      { additionalProperties: false },
      ['F21: spec no longer accepts any key'],
    ],
    [
      'that are kept without a schema',
      { additionalProperties: text },
      preserving,
      ['F15: the keys of spec are kept without a schema'],
    ],
    ['that get a schema', { additionalProperties: true }, { additionalProperties: text }, [values]],
    ['that get an empty schema', { additionalProperties: true }, { additionalProperties: {} }, []],
    ['that were kept, and get a schema', preserving, { additionalProperties: text }, [values]],
    ['that were kept, and are allowed', preserving, { additionalProperties: true }, ['F15: spec accepts any key']],
    ['that are allowed', {}, { additionalProperties: text }, ['F15: spec accepts any key']],
    ['that were not accepted and are not', {}, { additionalProperties: false }, []],
  ])('%s', (_, old, next, expected) => {
    expect(saidOf(compareFreeKeys, old, next)).toEqual(expected);
  });
});

describe('marks of an object', () => {
  const embedded: JsonSchema = { 'x-kubernetes-embedded-resource': true };

  it.each<readonly [string, Compare, JsonSchema, JsonSchema, readonly string[]]>([
    ['keeps unknown fields', comparePreserving, {}, preserving, ['F15: spec keeps fields that it does not list']],
    [
      'no longer keeps them',
      comparePreserving,
      preserving,
      {},
      ['F23: spec no longer keeps fields that it does not list'],
    ],
    ['keeps them as before', comparePreserving, preserving, preserving, []],
    [
      'is a whole object',
      compareEmbedding,
      {},
      embedded,
      ['F25: spec must be a whole object, with apiVersion, kind and metadata'],
    ],
    [
      'is no longer one',
      compareEmbedding,
      embedded,
      {},
      ['F36: spec is no longer a whole object: apiVersion, kind and metadata are pruned unless it lists them'],
    ],
    ['is one as before', compareEmbedding, embedded, embedded, []],
  ])('it %s', (_, compare, old, next, expected) => {
    expect(saidOf(compare, old, next)).toEqual(expected);
  });

  it('name the object as a whole where the pair is the root', () => {
    expect(saidOf(comparePreserving, {}, preserving, { field: '' })).toEqual([
      'F15: the object keeps fields that it does not list',
    ]);
  });
});
