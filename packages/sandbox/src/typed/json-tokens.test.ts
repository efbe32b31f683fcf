import { describe, expect, it } from 'vitest';
import { JsonTokens } from './json-tokens.ts';

/** The result of one read, the rest of the text, and the error. */
function read(text: string, take: (tokens: JsonTokens) => unknown) {
  const tokens = new JsonTokens(text);
  const result = take(tokens);
  if (tokens.failure !== undefined) return { failure: tokens.failure };
  let rest = '';
  for (; !tokens.isAtEnd; tokens.skip(tokens.next)) rest += tokens.next;
  return { result, rest };
}

describe('the tokens of a JSON text', () => {
  it.each([
    ['"a",', { result: 'a', rest: ',' }],
    [String.raw`"\u0041\n\"" x`, { result: 'A\n"', rest: ' x' }],
    ['"\ud800"', { result: '\ufffd', rest: '' }],
    ['"a', { failure: 'unexpected end of JSON input' }],
    ['"a\n"', { failure: String.raw`invalid character '\n' in string literal` }],
    [String.raw`"\x"`, { failure: "invalid character 'x' in string escape code" }],
    [String.raw`"\u00g0"`, { failure: String.raw`invalid character 'g' in \u hexadecimal character escape` }],
    [String.raw`"\u00`, { failure: String.raw`invalid character ' ' in \u hexadecimal character escape` }],
  ])('reads the string %j', (text, expected) => {
    expect(read(text, (tokens) => tokens.string())).toEqual(expected);
  });

  it.each([
    ['0]', { result: '0', rest: ']' }],
    ['-0.50e+7,', { result: '-0.50e+7', rest: ',' }],
    ['1E-2', { result: '1E-2', rest: '' }],
    ['01', { result: '0', rest: '1' }],
    ['-x', { failure: "invalid character 'x' in numeric literal" }],
    ['1.', { failure: "invalid character ' ' after decimal point in numeric literal" }],
    ['1e+}', { failure: "invalid character '}' in exponent of numeric literal" }],
  ])('reads the number %j as it was written', (text, expected) => {
    expect(read(text, (tokens) => tokens.number())).toEqual(expected);
  });

  it.each([
    ['true,', 'true', { result: undefined, rest: ',' }],
    ['nulL', 'null', { failure: "invalid character 'L' in literal null (expecting 'l')" }],
    ['fal', 'false', { failure: "invalid character ' ' in literal false (expecting 's')" }],
  ])('reads the word %j', (text, word, expected) => {
    expect(read(text, (tokens) => tokens.word(word))).toEqual(expected);
  });

  it('keeps the first error', () => {
    const tokens = new JsonTokens(' x');
    tokens.skipSpace();
    tokens.fail('looking for beginning of value');
    tokens.skip('x');
    tokens.fail('after top-level value');
    expect(tokens.failure).toBe("invalid character 'x' looking for beginning of value");
  });
});
