import { describe, expect, it } from 'vitest';
import { shown } from './untrusted.ts';

describe('what another cluster wrote', () => {
  it.each([
    ['an escape sequence', '\u001b[2Jall is well', String.raw`"\u001b[2Jall is well"`],
    ['one of a single character', '\u009b2J', String.raw`"\u009b2J"`],
    ['a line end', 'a\nb\u2028c', String.raw`"a\nb\u2028c"`],
    ['text from right to left', '\u202egnp.exe', String.raw`"\u202egnp.exe"`],
    ['a character that is not seen', 'pay\u200bpal', String.raw`"pay\u200bpal"`],
    ['a tag that is not seen', 'a\u{e0041}', String.raw`"a\udb40\udc41"`],
    ['half a character', '\ud800', String.raw`"\ud800"`],
    ['quotation marks', '"a" \\', String.raw`"\"a\" \\"`],
    ['other scripts', 'Ærøskøbing 東京', '"Ærøskøbing 東京"'],
  ])('is quoted without characters that steer a terminal or turn the direction of text: %s', (_, text, quoted) => {
    expect(shown(text)).toBe(quoted);
    expect(JSON.parse(shown(text))).toBe(text);
  });

  it('is quoted in few characters', () => {
    expect(shown('x'.repeat(1_000))).toBe(`"${'x'.repeat(63)}…"`);
  });
});
