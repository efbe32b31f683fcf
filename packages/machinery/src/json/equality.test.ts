import { anyCharacter } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, deepFreeze, equal } from './equality.ts';

const json = fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter() });

/**
 * The same value, written with the keys of every object in another order and `undefined` members
 * strewn in.
 */
function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, rewritten(member)] as const);
  return Object.fromEntries([...members.toReversed(), ['\u0000absent', undefined]]);
}

describe('equality', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [{ a: {} }, {}, false],
    [{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[], {}, false],
    [{ 0: 'a' }, ['a'], false],
    [null, {}, false],
    [null, undefined, false],
    [0, -0, true],
    ['1', 1, false],
    [{}, { toString: undefined }, true],
    [{ constructor: 1 }, {}, false],
    [{}, { constructor: 1 }, false],
    [JSON.parse('{"__proto__":{}}'), {}, false],
  ])('of %j and %j is %j', (a, b, expected) => {
    expect(equal(a, b)).toBe(expected);
    expect(equal(b, a)).toBe(expected);
  });

  it('does not depend on the order of keys, nor on absent members', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(equal(value, rewritten(value))).toBe(true);
      }),
    );
  });

  it('holds exactly where the canonical texts are the same', () => {
    // Few values, so that two of them are often the same.
    const scalar = fc.constantFrom<unknown>(null, 0, '', {}, []);
    const few = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(fc.constantFrom('a', 'b'), scalar));
    fc.assert(
      fc.property(few, few, (a, b) => {
        expect(equal(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('canonical JSON', () => {
  it('is the same for equal values and reads back as the value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(rewritten(value))).toBe(canonicalJson(value));
        expect(equal(JSON.parse(canonicalJson(value)), value)).toBe(true);
      }),
    );
  });

  it('sorts keys and leaves out what is absent', () => {
    expect(canonicalJson({ b: [1, { d: 'ü', c: undefined }], a: null })).toBe('{"a":null,"b":[1,{"d":"ü"}]}');
  });
});

describe('deep freezing', () => {
  it('freezes everything that a value holds and returns the value', () => {
    const value = { a: [{ b: { c: 1 } }] };
    expect(deepFreeze(value)).toBe(value);
    for (const part of [value, value.a, value.a[0], value.a[0]?.b]) expect(Object.isFrozen(part)).toBe(true);
    expect(() => Object.assign(value.a[0]?.b ?? {}, { c: 2 })).toThrow(TypeError);
  });

  it('takes any depth and any plain value', () => {
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(Object.isFrozen(deepFreeze(deep))).toBe(true);
    for (const value of [undefined, null, 5, 'a']) expect(deepFreeze(value)).toBe(value);
  });
});
