import { describe, expect, it } from 'vitest';
import { JsonValues } from './json-values.ts';

const built = (build: (values: JsonValues) => void) => {
  const values = new JsonValues();
  build(values);
  const { value, oddities } = values.result;
  return {
    value,
    entries: [...oddities.entries.values()],
    literals: [...oddities.literals.values()].map((literals) => Object.fromEntries(literals)),
  };
};

describe('the values of a JSON text', () => {
  it('are put into the innermost open list or object', () => {
    const { value } = built((values) => {
      values.begin({});
      values.key('a');
      values.begin([]);
      values.put(true);
      expect([values.depth, values.isInList]).toEqual([2, true]);
      values.end();
      values.key('__proto__');
      values.put(1, '1');
      expect([values.depth, values.isInList]).toEqual([1, false]);
      values.end();
      expect([values.depth, values.isInList]).toEqual([0, undefined]);
    });
    expect(JSON.stringify(value)).toBe('{"a":[true],"__proto__":1}');
  });

  it('keep all entries of an object with a repeated key, with their literals, and the last value', () => {
    const puts = [
      ['a', 1, '1.0'],
      ['b', 2, '2'],
      ['a', 3, '3'],
    ] as const;
    const result = built((values) => {
      values.begin({});
      for (const [key, value, literal] of puts) {
        values.key(key);
        values.put(value, literal);
      }
      values.end();
    });
    expect(result).toEqual({
      value: { a: 3, b: 2 },
      entries: [
        [
          { key: 'a', value: 1, literal: '1.0' },
          { key: 'b', value: 2, literal: undefined },
          { key: 'a', value: 3, literal: undefined },
        ],
      ],
      literals: [{}],
    });
  });

  it.each([
    ['1', false],
    ['-7', false],
    ['0', false],
    ['-0', true],
    ['1.0', true],
    ['1e3', true],
    ['9007199254740991', false],
    ['9007199254740993', true],
  ])('keep the literal %s: %s', (literal, isKept) => {
    const { literals } = built((values) => {
      values.begin([]);
      values.put(Number(literal), literal);
      values.end();
    });
    expect(literals).toEqual(isKept ? [{ 0: literal }] : []);
  });
});
