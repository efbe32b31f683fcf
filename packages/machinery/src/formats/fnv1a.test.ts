import { expect, test } from 'vitest';
import { fnv1a, fnv1aOfText } from './fnv1a.ts';

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('the FNV-1a hash of %j is that of the published test vectors', (text, expected) => {
  expect(fnv1a(new TextEncoder().encode(text))).toBe(expected);
  expect(fnv1aOfText(text)).toBe(expected);
});
