import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

describe('visibleText', () => {
  it.each([
    ['an escape sequence', '\u001b[2J', '\\u001b[2J'],
    ['a line end', 'a\nb', 'a\\u000ab'],
    ['text from right to left', 'a\u202eb\u061cc', 'a\\u202eb\\u061cc'],
    ['characters without a width', 'a\u200bb\ufeffc\u00ad', 'a\\u200bb\\ufeffc\\u00ad'],
    ['a character beyond 16 bits', '\u{e0041}', '\\udb40\\udc41'],
    ['a separator of lines', 'a\u2028b', 'a\\u2028b'],
    ['what everybody sees', 'Zürich 東京 "a" \\', 'Zürich 東京 "a" \\'],
  ])('shows %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('leaves what it is asked to keep', () => {
    expect(visibleText('a\n\tb\r', '\n\t')).toBe('a\n\tb\\u000d');
  });
});
