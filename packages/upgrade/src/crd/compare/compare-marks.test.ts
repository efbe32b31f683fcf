import { describe, expect, it } from 'vitest';
import {
  compareAlternatives,
  compareDefaults,
  compareListKeys,
  compareListTypes,
  compareMapTypes,
  compareRules,
} from './compare-marks.ts';
import type { Compare, Pair } from './schema-change.ts';

const pairOf = (old: object, next: object, field = 'spec.a'): Pair => ({
  old: old,
  next: next,
  pointer: '/p',
  field,
  inRepeated: false,
});
const saidOf = (compare: Compare, old: object, next: object, field?: string) =>
  compare(pairOf(old, next, field)).map(({ rule, message }) => `${rule}: ${message}`);

describe('how lists and maps are merged', () => {
  const listOf = (type?: string, keys?: readonly string[]) => ({
    ...(type !== undefined && { 'x-kubernetes-list-type': type }),
    ...(keys !== undefined && { 'x-kubernetes-list-map-keys': keys }),
  });

  it.each<readonly [object, object, readonly string[]]>([
    [listOf(), listOf('atomic'), []],
    [listOf(), listOf('set'), ['F26: the list spec.a changes from atomic to set']],
    [listOf('set'), listOf('map'), ['F26: the list spec.a changes from set to map']],
    [listOf('map'), listOf(), ['F28: the list spec.a changes from map to atomic']],
  ])('the type of a list: %j, then %j', (old, next, expected) => {
    expect(saidOf(compareListTypes, old, next)).toEqual(expected);
  });

  it.each<readonly [object, object, readonly string[]]>([
    [
      listOf('map', ['k']),
      listOf('map', ['k', 'l']),
      ['F27: items of spec.a are the same by ["k","l"], no longer by ["k"]'],
    ],
    [listOf('map', ['k']), listOf('map'), ['F27: items of spec.a are the same by none, no longer by ["k"]']],
    [listOf('map', ['l', 'k']), listOf('map', ['k', 'l']), []],
    [listOf('set', ['k']), listOf('map', ['l']), []],
    [listOf('map', ['k']), listOf('set', ['l']), []],
  ])('the keys of a list: %j, then %j', (old, next, expected) => {
    expect(saidOf(compareListKeys, old, next)).toEqual(expected);
  });

  it.each<readonly [string | undefined, string | undefined, readonly string[]]>([
    [undefined, 'granular', []],
    [undefined, 'atomic', ['F28: the map spec.a changes from granular to atomic']],
    ['atomic', undefined, ['F28: the map spec.a changes from atomic to granular']],
  ])('the type of a map: %s, then %s', (old, next, expected) => {
    const of = (type: string | undefined) => (type === undefined ? {} : { 'x-kubernetes-map-type': type });
    expect(saidOf(compareMapTypes, of(old), of(next))).toEqual(expected);
  });

  it('a change of the default is reported with both values', () => {
    expect(compareDefaults(pairOf({ default: false }, { default: { a: 1 } }))).toMatchObject([
      {
        rule: 'F19',
        pointer: '/p/default',
        old: false,
        new: { a: 1 },
        message: 'the default of spec.a changes from false to {"a":1}',
      },
    ]);
  });
});

describe('rules of validation', () => {
  const ruled = (...rules: readonly (string | object)[]) => ({
    'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
  });

  it.each<readonly [string, object, object, readonly string[]]>([
    ['the same in another order', ruled('a', 'b'), ruled('b', 'a'), []],
    ['the same with spaces around it', ruled('a'), ruled(' a\n'), []],
    ['the same with another message', ruled('a'), ruled({ rule: 'a', message: 'm' }), []],
    [
      'optionalOldSelf is a part of the rule',
      ruled('a'),
      ruled({ rule: 'a', optionalOldSelf: true }),
      ['F30: spec.a must meet a new rule: "a"', 'F32: spec.a no longer has the rule: "a"'],
    ],
    ['optionalOldSelf that is false', ruled('a'), ruled({ rule: 'a', optionalOldSelf: false }), []],
    ['a new one', {}, ruled('self > 1'), ['F30: spec.a must meet a new rule: "self > 1"']],
    ['one less', ruled('self > 1'), {}, ['F32: spec.a no longer has the rule: "self > 1"']],
  ])('%s', (_, old, next, expected) => {
    expect(saidOf(compareRules, old, next)).toEqual(expected);
  });

  it('are reported with the text of the rule that is new, or gone', () => {
    const found = compareRules(pairOf(ruled('old'), ruled('new', 'self == oldSelf')));
    expect(found.map(({ rule, pointer, field, old, new: next }) => [rule, pointer, field, old, next])).toEqual([
      ['F30', '/p/x-kubernetes-validations', 'spec.a', undefined, 'new'],
      ['F31', '/p/x-kubernetes-validations', 'spec.a', undefined, 'self == oldSelf'],
      ['F32', '/p/x-kubernetes-validations', 'spec.a', 'old', undefined],
    ]);
  });

  it.each([
    ['self == oldSelf', 'F31'],
    ['oldSelf.size() > self.size()', 'F31'],
    ['self.oldSelf == 1', 'F30'],
    ['self.?oldSelf.hasValue()', 'F30'],
    ['self. oldSelf == 1', 'F30'],
    ['self.myoldSelf == 1', 'F30'],
    ["self != 'oldSelf'", 'F30'],
    ['self != "oldSelf"', 'F30'],
    [String.raw`self != "a\"oldSelf"`, 'F30'],
    [String.raw`self != r"a\" && oldSelf == "b"`, 'F31'],
    [String.raw`self != r'a\' && oldSelf == 'b'`, 'F31'],
    ['self != """a " oldSelf"""', 'F30'],
    ["self != '''a ' oldSelf'''", 'F30'],
    ['self != r"""a " oldSelf"""', 'F30'],
    ['true // oldSelf', 'F30'],
    ['true // a text\n&& oldSelf == self', 'F31'],
    ["self != '//' && oldSelf == self", 'F31'],
  ])('%s is %s: whether it compares with what was before', (rule, expected) => {
    expect(compareRules(pairOf({}, ruled(rule))).map((one) => one.rule)).toEqual([expected]);
  });
});

describe('alternatives', () => {
  const requires = (...names: readonly string[]) => ({ allOf: [{ required: names }] });

  it.each<readonly [string, Parameters<typeof compareAlternatives>[0], object, object, readonly string[]]>([
    ['that are gone', 'anyOf', { anyOf: [{}] }, {}, ['F15: spec.a no longer has anyOf']],
    ['that are empty', 'anyOf', { anyOf: [{}] }, { anyOf: [] }, ['F15: spec.a no longer has anyOf']],
    ['that change', 'not', { not: {} }, { not: { required: ['x'] } }, ['F34: not of spec.a changes']],
    [
      'that require more fields, in the order of their names',
      'allOf',
      requires('x'),
      requires('x', 'z', 'y'),
      [
        'F08: spec.a.y is required by allOf and has no default',
        'F08: spec.a.z is required by allOf and has no default',
        'F34: allOf of spec.a changes',
      ],
    ],
    [
      'that require what was required beside them',
      'allOf',
      { required: ['x'] },
      requires('x'),
      ['F34: allOf of spec.a changes'],
    ],
    [
      'that require a field with a default',
      'allOf',
      {},
      { ...requires('x'), properties: { x: { default: 1 } } },
      ['F34: allOf of spec.a changes'],
    ],
    [
      'of another kind, whose requirements are not compared',
      'oneOf',
      {},
      { oneOf: [{ required: ['x'] }], ...requires('y') },
      ['F34: oneOf of spec.a changes'],
    ],
  ])('%s', (_, key, old, next, expected) => {
    expect(saidOf(compareAlternatives(key), old, next)).toEqual(expected);
  });

  it('of the whole object name its fields alone', () => {
    expect(saidOf(compareAlternatives('allOf'), {}, requires('x'), '')).toEqual([
      'F08: x is required by allOf and has no default',
      'F34: allOf of the object changes',
    ]);
  });
});
