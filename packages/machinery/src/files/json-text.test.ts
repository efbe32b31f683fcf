import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainJson } from './json-text.ts';

const read = (text: string) => readPlainJson(text, { maxDepth: 100, numbers: 'finite' });

describe('a text that is plain JSON', () => {
  it('is read as JSON.parse reads it, whatever is printed', () => {
    const printed = fc.json().filter((text) => !text.includes('-0') && /^[{[]/.test(text));
    fc.assert(
      fc.property(printed, (text) => {
        expect(read(text)?.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it('may hold colons, braces and quotes in its strings, and an own key of any name', () => {
    const value = JSON.parse('{"a:b":"{\\":[","__proto__":{"x":1},"c":"\\\\"}');
    expect(read(`\n  ${JSON.stringify(value)}`)).toEqual({ value });
  });

  it.each([
    ['a key that one object has twice', '{"a":[{"b":1,"b":1}]}'],
    ['a key that is twice the same in different words', '{"a":1,"\\u0061":2}'],
    ['a number without a finite value', '{"a":1e999}'],
    ['a negative zero', '[-0]'],
    ['nesting that a reader may not bear', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['a second value', '{} {}'],
    ['YAML in braces', '{a: 1}'],
    ['a string that never ends', '{"a":"'],
    ['half a character', '["\\ud800"]'],
    ['nothing', ''],
  ])('is not %s', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });

  it.each(['[1.0]', '[1e3]', '[12345678901234567890]'])('is not %s where numbers must be exact', (text) => {
    expect(read(text)?.value).toEqual(JSON.parse(text));
    expect(readPlainJson(text, { maxDepth: 100, numbers: 'exact' })).toBeUndefined();
  });
});
