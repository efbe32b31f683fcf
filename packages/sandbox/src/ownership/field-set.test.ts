import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@isthmus/schema';
import { compareTyped } from './compare-typed.ts';
import type { FieldSet } from './field-set.ts';
import {
  differenceOfFieldSets,
  emptyFieldSet,
  equalFieldSets,
  exceptFields,
  fieldSetOfPaths,
  hasField,
  intersectionOfFieldSets,
  isEmptyFieldSet,
  pathsOfFieldSet,
  unionOfFieldSets,
} from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';
import { mergeTyped } from './merge-typed.ts';
import type { FieldPath } from './path-element.ts';
import {
  fieldElement,
  indexElement,
  keyElement,
  parsePathElement,
  printFieldPath,
  valueElement,
} from './path-element.ts';
import { removeFields, withNamedFields } from './remove-fields.ts';
import { thingSchema } from './testing/ownership-cases.ts';
import { typeOfSchema } from '../typed/type-of-schema.ts';

const element = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', '.', '').map(fieldElement),
  fc.constantFrom(1, 2, 10, 'x', true).map((value) => valueElement(value)),
  fc.constantFrom('x', 'y').map((name) =>
    keyElement([
      ['name', name],
      ['id', 1],
    ]),
  ),
  fc.nat({ max: 3 }).map(indexElement),
);
const path: fc.Arbitrary<FieldPath> = fc.array(element, { minLength: 1, maxLength: 4 });
const set: fc.Arbitrary<FieldSet> = fc.array(path, { maxLength: 8 }).map(fieldSetOfPaths);

describe('sets of fields', () => {
  it('are what their paths describe', () => {
    fc.assert(
      fc.property(set, set, path, (a, b, one) => {
        const [inA, inB] = [hasField(a, one), hasField(b, one)];
        expect(hasField(unionOfFieldSets(a, b), one)).toBe(inA || inB);
        expect(hasField(intersectionOfFieldSets(a, b), one)).toBe(inA && inB);
        expect(hasField(differenceOfFieldSets(a, b), one)).toBe(inA && !inB);
      }),
    );
  });

  it('obey the laws of sets', () => {
    const equal = (a: FieldSet, b: FieldSet) => expect(equalFieldSets(a, b)).toBe(true);
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        equal(unionOfFieldSets(a, b), unionOfFieldSets(b, a));
        equal(unionOfFieldSets(unionOfFieldSets(a, b), c), unionOfFieldSets(a, unionOfFieldSets(b, c)));
        equal(intersectionOfFieldSets(a, b), differenceOfFieldSets(a, differenceOfFieldSets(a, b)));
        equal(unionOfFieldSets(differenceOfFieldSets(a, b), intersectionOfFieldSets(a, b)), a);
        equal(differenceOfFieldSets(a, a), emptyFieldSet);
        equal(fieldSetOfPaths(pathsOfFieldSet(a)), a);
        expect(isEmptyFieldSet(intersectionOfFieldSets(differenceOfFieldSets(a, b), b))).toBe(true);
      }),
    );
  });

  it('survive being written as fieldsV1, as JSON text too', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const text = JSON.stringify(printFieldsV1(fields));
        expect(equalFieldSets(parseFieldsV1(JSON.parse(text)), fields)).toBe(true);
      }),
    );
  });

  it('are filtered by what lies at or below some paths', () => {
    const metadata = [fieldElement('metadata')];
    const labels = [fieldElement('metadata'), fieldElement('labels')];
    const fields = fieldSetOfPaths([[fieldElement('spec')], metadata, labels, [...labels, fieldElement('a')]]);
    const texts = (filtered: FieldSet) => pathsOfFieldSet(filtered).map(printFieldPath);
    expect(texts(exceptFields([labels])(fields))).toEqual(['.metadata', '.spec']);
    expect(texts(exceptFields([metadata])(fields))).toEqual(['.spec']);
  });
});

describe('steps of paths', () => {
  it.each([
    ['f:spec', '.spec'],
    ['f:a.b/c', '.a.b/c'],
    ['f:', '.'],
    ['v:"x"', '[="x"]'],
    ['v:80', '[=80]'],
    ['v:1.5', '[=1.5]'],
    ['v:true', '[=true]'],
    ['v:null', '[=null]'],
    ['v:["a",1]', '[=["a",1]]'],
    ['i:3', '[3]'],
    ['k:{"port":80,"protocol":"TCP"}', '[port=80,protocol="TCP"]'],
    ['k:{"name":"a\\"b"}', '[name="a\\"b"]'],
  ])('%s is read, written back and shown as %s', (text, shown) => {
    const element = parsePathElement(text);
    expect(element?.text).toBe(text);
    expect(element && printFieldPath([element])).toBe(shown);
  });

  it('are distinguished by their keys whatever the order', () => {
    expect(parsePathElement('k:{"b":1,"a":2}')?.text).toBe('k:{"a":2,"b":1}');
  });

  it.each(['x', 'fspec', 'v:{', 'k:3', 'k:[]', 'i:x', ''])('refuse the text %j', (text) => {
    expect(() => parsePathElement(text)).toThrow('reading the field path element');
  });

  it('of kinds that nobody knows are passed over with what lies below', () => {
    expect(parsePathElement('x:a')).toBeUndefined();
    const fields = parseFieldsV1({ 'f:a': { 'x:b': { 'f:c': {} } }, 'x:d': 1 });
    expect(pathsOfFieldSet(fields).map(printFieldPath)).toEqual(['.a']);
    expect(() => parseFieldsV1({ 'f:a': 1 })).toThrow('reading managed fields at "/f:a": an object is expected');
  });

  it('are ordered by kind, then by content, numbers by size', () => {
    const steps = [
      'i:2',
      'v:"b"',
      'v:10',
      'v:9',
      'f:b',
      'k:{"n":"z"}',
      'k:{"n":10}',
      'k:{"n":9}',
      'f:a',
      'v:true',
      'i:1',
    ];
    const printed = Object.keys(printFieldsV1(parseFieldsV1(Object.fromEntries(steps.map((step) => [step, {}])))));
    expect(printed).toEqual([
      'f:a',
      'f:b',
      'k:{"n":9}',
      'k:{"n":10}',
      'k:{"n":"z"}',
      'v:9',
      'v:10',
      'v:"b"',
      'v:true',
      'i:1',
      'i:2',
    ]);
  });
});

describe('values and their fields', () => {
  const type = typeOfSchema(thingSchema, { isResourceRoot: true });
  const text = fc.constantFrom('a', 'b', 'c');
  const texts = fc.dictionary(text, text, { maxKeys: 3 });
  const port = fc.record({ port: fc.constantFrom(1, 2, 3), protocol: fc.constantFrom('TCP', 'UDP'), name: text });
  const keyed = fc.uniqueArray(port, { selector: ({ port, protocol }) => `${port}/${protocol}`, maxLength: 4 });
  const value: fc.Arbitrary<Json> = fc
    .record(
      {
        replicas: fc.nat({ max: 2 }),
        tags: fc.uniqueArray(text),
        ports: keyed,
        args: fc.array(text, { maxLength: 3 }),
        words: texts,
        limits: texts,
        anything: fc.oneof(text, texts, fc.array(text, { maxLength: 2 })),
      },
      { requiredKeys: [] },
    )
    .map((spec) => JSON.parse(JSON.stringify({ spec })) as Json);

  it('what is applied twice is as applied once, and holds all that was applied', () => {
    fc.assert(
      fc.property(value, value, (live, applied) => {
        const merged = mergeTyped(type, live, applied);
        expect(mergeTyped(type, merged, applied)).toEqual(merged);
        const { modified, removed } = compareTyped(type, applied, merged);
        expect(isEmptyFieldSet(unionOfFieldSets(modified, removed))).toBe(true);
      }),
    );
  });

  it('removing what a value owns leaves nothing that someone could own', () => {
    fc.assert(
      fc.property(value, (held) => {
        const owned = withNamedFields(type, fieldSetOf(type, held));
        const left = fieldSetOf(type, removeFields(type, held, owned));
        expect(pathsOfFieldSet(left).map(printFieldPath)).toEqual([]);
      }),
    );
  });

  it('a value compared with itself has no difference, and what one side adds the other removes', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const same = compareTyped(type, a, structuredClone(a));
        expect([same.added, same.modified, same.removed].every(isEmptyFieldSet)).toBe(true);
        const [there, back] = [compareTyped(type, a, b), compareTyped(type, b, a)];
        expect(equalFieldSets(there.added, back.removed)).toBe(true);
        expect(equalFieldSets(there.modified, back.modified)).toBe(true);
      }),
    );
  });
});
