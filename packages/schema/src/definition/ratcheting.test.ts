import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../validation/compile.ts';
import type { JsonSchema } from '../json-schema.ts';
import { unforgiven, updateErrors } from './ratcheting.ts';

const short: JsonSchema = { type: 'string', maxLength: 2 };
const schema: JsonSchema = {
  type: 'object',
  properties: {
    a: short,
    inner: { type: 'object', required: ['k'], properties: { k: short, n: { type: 'integer', minimum: 0 } } },
    map: { type: 'object', additionalProperties: short },
    plain: { type: 'array', items: short },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: short } },
    },
  },
};
const compiled = compileSchema(schema);

const text = fc.constantFrom('x', 'xx', 'too long', 'longer still');
const keyed = fc.uniqueArray(fc.record({ k: fc.constantFrom('one', 'two', 'three'), v: text }), {
  selector: ({ k }) => k,
});
const value = fc.record(
  {
    a: text,
    inner: fc.record({ k: text, n: fc.integer({ min: -2, max: 2 }) }, { requiredKeys: [] }),
    map: fc.dictionary(fc.constantFrom('x', 'a.b', 'c'), text, { noNullPrototype: true }),
    plain: fc.array(text, { maxLength: 2 }),
    keyed,
  },
  { requiredKeys: [] },
);

const kept = (after: unknown, before: unknown) =>
  unforgiven(compiled.validate(after), { schema, value: after, before }).map(({ path }) => path);

describe('the errors of an update that count', () => {
  it('do not exist where nothing changed, whatever is wrong', () => {
    fc.assert(
      fc.property(value, (same) => {
        expect(kept(same, structuredClone(same))).toEqual([]);
      }),
    );
  });

  it('are all of them where nothing was there before', () => {
    fc.assert(
      fc.property(value, (after) => {
        expect(kept(after, undefined)).toEqual(compiled.validate(after).map(({ path }) => path));
      }),
    );
  });

  it('lie in the fields that changed, and are those that the field has by itself', () => {
    fc.assert(
      fc.property(value, value, (after, before) => {
        for (const field of ['a', 'map', 'plain'] as const) {
          const alone = { ...before, [field]: after[field] };
          const expected = compiled
            .validate(alone)
            .map(({ path }) => path)
            .filter((path) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`));
          // In a map, unchanged values are forgiven; a plain list counts as a whole.
          const isNew = (path: string) =>
            field !== 'map' || after.map?.[path.slice('map.'.length)] !== before.map?.[path.slice('map.'.length)];
          const changed = JSON.stringify(after[field]) !== JSON.stringify(before[field]);
          expect(kept(alone, before)).toEqual(changed ? expected.filter(isNew) : []);
        }
      }),
    );
  });

  it('forgive an item of a keyed list that stayed, wherever it is now', () => {
    fc.assert(
      fc.property(keyed, (items) => {
        const reversed = items.toReversed();
        expect(kept({ keyed: reversed }, { keyed: items })).toEqual([]);
      }),
    );
  });

  // KubeRay 1.2, of hostAliases that was a plain list in 1.1: an API server 1.36.3 rejects every
  // update of the object.
  it.each([
    ['lacks its key', {}],
    ['has no scalar as its key', { k: { deep: true } }],
  ])('count in a keyed list as it was of which an item %s, and not in the fields beside it', (_, item) => {
    const object = { keyed: [item], a: 'too long' };
    expect(kept(object, structuredClone(object))).toEqual(['keyed[0].k']);
  });

  it('count in an item of a keyed list that changed', () => {
    const before = {
      keyed: [
        { k: 'one', v: 'too long' },
        { k: 'two', v: 'x' },
      ],
    };
    const after = {
      keyed: [
        { k: 'two', v: 'longer still' },
        { k: 'one', v: 'too long' },
      ],
    };
    expect(kept(after, before)).toEqual(['keyed[0].v']);
  });

  it.each([
    [
      'a map with keys that the schema does not have',
      { open: { x: 1 }, a: 'too long' },
      { open: { x: 1 }, a: 'too long' },
      1,
    ],
    ['such a map that is empty', { open: {}, a: 'too long' }, { open: {}, a: 'too long' }, 0],
    [
      'a list of type map with its items in another order',
      { keyed: ['a', 'b'], a: 'too long' },
      { keyed: ['b', 'a'], a: 'too long' },
      0,
    ],
    [
      'another list with its items in another order',
      { plain: ['a', 'b'], a: 'too long' },
      { plain: ['b', 'a'], a: 'too long' },
      1,
    ],
  ] as const)('compare a part as a real API server does: %s', (_, after, before, count) => {
    const item: JsonSchema = { type: 'object', properties: { k: { type: 'string' } } };
    const keyed: JsonSchema = {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    };
    const one: JsonSchema = {
      type: 'object',
      properties: {
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        keyed,
        plain: { type: 'array', items: item },
        a: { type: 'string' },
      },
      // An error of the whole: nothing smaller is as it was.
      not: { properties: { a: { enum: ['too long'] } } },
    };
    const schema: JsonSchema = { type: 'object', properties: { one } };
    const objectOf = (value: object) => ({
      one: Object.fromEntries(
        Object.entries(value).map(([name, part]) => [
          name,
          Array.isArray(part) ? part.map((k) => ({ k: String(k) })) : part,
        ]),
      ),
    });
    const [value, was] = [objectOf(after), objectOf(before)];
    const errors = compileSchema(schema).validate(value);
    expect(errors).toHaveLength(1);
    expect(unforgiven(errors, { schema, value, before: was })).toHaveLength(count);
  });

  it('count apiVersion and kind of the whole, and not of a part', () => {
    const typed: JsonSchema = { type: 'object', properties: { kind: short } };
    const [before, after] = [{ kind: 'too long' }, { kind: 'too long', a: 1 }];
    const errors = compileSchema(typed).validate(after);
    const part = { schema: typed, value: after, before };
    expect(unforgiven(errors, part)).toHaveLength(1);
    expect(unforgiven(errors, part, { isRoot: false })).toEqual([]);
  });

  it('of an object that had items twice in a list are all that are there twice, in any list, on every server', () => {
    const set: JsonSchema = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    const both: JsonSchema = { type: 'object', properties: { s: set, t: set, n: { type: 'integer', minimum: 0 } } };
    const sets = compileSchema(both);
    const types = (before: object, value: object, isRatcheting: boolean) =>
      updateErrors(sets, { schema: both, value, before }, { isRatcheting }).map(({ type }) => type);
    expect(types({ s: ['a', 'a'] }, { s: ['b', 'b'], t: ['c', 'c'] }, true)).toEqual([]);
    expect(types({ s: ['a', 'a'], n: -1 }, { s: ['b', 'b'], n: -1 }, false)).toEqual(['Invalid']);
    expect(types({ s: ['a'] }, { s: ['a', 'a'] }, true)).toEqual(['Duplicate']);
  });

  it('keep an item of a keyed list that is there twice now, though it is equal to the one that was there', () => {
    const item = { k: 'one', v: 'x' };
    const part = { schema, value: { keyed: [item, item] }, before: { keyed: [item] } };
    expect(updateErrors(compiled, part).map(({ type, path }) => `${type} ${path}`)).toEqual(['Duplicate keyed[1]']);
  });
});
