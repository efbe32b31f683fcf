import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import malformed from './fixtures/malformed.json' with { type: 'json' };
import { parseJson } from './parse-json.ts';
import { readJson } from './read-json.ts';
import { duplicateFields } from './strict-errors.ts';

function parsed(text: string) {
  const read = parseJson(text);
  if (read.kind === 'malformed') throw new Error(read.message);
  return read.json;
}

describe('reading JSON', () => {
  it('gives what JSON.parse gives, on both ways', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const expected: unknown = JSON.parse(text);
        expect(JSON.stringify(parsed(text).value)).toBe(JSON.stringify(expected));
        const slow = readJson(text);
        expect(typeof slow === 'string' ? slow : JSON.stringify(slow.value)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(malformed.map(([text = '', message = '']) => [text, message] as const))(
    '%j is refused in the words of Go: %s',
    (text, message) => {
      expect(parseJson(text)).toEqual({ kind: 'malformed', message });
    },
  );

  it('goes 10,000 levels deep and no further', () => {
    const nested = (levels: number) => parseJson('['.repeat(levels) + ']'.repeat(levels));
    expect(nested(1_000).kind).toBe('parsed');
    expect(nested(1_001)).toEqual({ kind: 'malformed', message: "invalid character '[' exceeded max depth" });
  });

  it('takes __proto__ and constructor for ordinary keys', () => {
    for (const text of ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":{"a":1},"constructor":2,"x":0.5}']) {
      const value = parsed(text).value as object;
      expect(Object.keys(value)).toContain('__proto__');
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect('a' in value).toBe(false);
    }
  });

  it('replaces lone surrogates', () => {
    expect(parsed(String.raw`["\ud800x","\ud83d\ude00","\udc00"]`).value).toEqual(['\ufffdx', '😀', '\ufffd']);
  });

  it('keeps numbers as they were written where that matters', () => {
    const { value, oddities } = parsed('{"a":1.0,"b":[1,1e2,-0],"c":12345678901234567890}');
    expect(value).toEqual({ a: 1, b: [1, 100, -0], c: 12345678901234567000 });
    expect([...oddities.literals.values()].map((one) => [...one])).toEqual([
      [
        ['a', '1.0'],
        ['c', '12345678901234567890'],
      ],
      [
        ['1', '1e2'],
        ['2', '-0'],
      ],
    ]);
  });

  it('reports repeated keys, in the order of the text, each once', () => {
    const { value, oddities } = parsed(
      '{"a":1,"b":[{"x":1,"x":2},{"y":{"z":1,"z":2,"z":3}}],"a":{"c":1,"c":2},"q.r":{"":1,"":2}}',
    );
    expect(value).toEqual({ a: { c: 2 }, b: [{ x: 2 }, { y: { z: 3 } }], 'q.r': { '': 2 } });
    expect(duplicateFields(value, oddities)).toEqual([
      'duplicate field "b[0].x"',
      'duplicate field "b[1].y.z"',
      'duplicate field "a"',
      'duplicate field "a.c"',
      'duplicate field "q.r."',
    ]);
  });
});
