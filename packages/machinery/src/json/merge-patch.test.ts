import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equal } from './equality.ts';
import { applyMergePatch, mergePatchOf } from './merge-patch.ts';

// RFC 7386, appendix A.
it.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j', (target, patch, result) => {
  expect(applyMergePatch(target, patch)).toEqual(result);
});

describe('the patch between two objects', () => {
  it.each<[string, object, object, object | undefined]>([
    ['nothing where they are equal', { a: { b: [1] }, c: 1 }, { c: 1, a: { b: [1] } }, undefined],
    ['only what differs', { a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1, c: 4 }, d: 3 }, { a: { c: 4 } }],
    ['null for what goes', { a: { b: 1 }, c: 2 }, { a: {} }, { a: { b: null }, c: null }],
    ['an array whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ['an empty object where there was none', {}, { a: {} }, { a: {} }],
    ['an object in place of a text', { a: 'x' }, { a: { b: 1, c: undefined } }, { a: { b: 1 } }],
    ['a text in place of an object', { a: { b: 1 } }, { a: 'x' }, { a: 'x' }],
    ['nothing for null, which is absent', { a: null }, { b: null, c: undefined }, undefined],
    ['no null within what is new', {}, { a: { b: null, c: [{ d: null }] } }, { a: { c: [{ d: null }] } }],
  ])('is %s', (_title, before, after, patch) => {
    expect(mergePatchOf(before, after)).toEqual(patch);
  });

  const text = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString');
  const { object } = fc.letrec<{ readonly object: Record<string, unknown>; readonly value: unknown }>((tie) => ({
    object: fc
      .array(fc.tuple(text, tie('value')), { maxLength: 4 })
      .map((members) => Object.fromEntries(members) as Record<string, unknown>),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, undefined, 0, 1, ''),
      fc.array(fc.constantFrom(null, 1, { d: null }), { maxLength: 2 }),
      tie('object'),
    ),
  }));

  /** As a merge patch sees a value: null members are absent. */
  const visible = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .filter(([, member]) => member !== null)
            .map(([key, member]) => [key, visible(member)]),
        );

  it('turns the one into the other, whatever they are', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = mergePatchOf(before, after);
        const patched = patch === undefined ? before : applyMergePatch(before, patch);
        expect(equal(visible(patched), visible(after))).toBe(true);
        expect(mergePatchOf(patched as object, after)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('changes neither object', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const texts = [JSON.stringify(before), JSON.stringify(after)];
        applyMergePatch(before, mergePatchOf(before, after) ?? {});
        expect([JSON.stringify(before), JSON.stringify(after)]).toEqual(texts);
      }),
    );
  });
});

it('never touches a prototype', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
  const result = applyMergePatch({ a: 1 }, hostile) as Record<string, unknown>;
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  expect(Object.keys(result)).toEqual(['a', '__proto__', 'constructor']);
  expect(mergePatchOf({}, hostile as object)).toEqual(hostile);
});
