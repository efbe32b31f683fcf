import fc from 'fast-check';

/**
 * Any code point except halves of surrogate pairs, ASCII in one of three, for
 * `fc.string({ unit })`. The `binary` unit of fast-check is the same, but takes most of a second to
 * create, in each worker of a test run.
 */
export function anyCharacter(): fc.Arbitrary<string> {
  const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
  return codePoint.map((code) => String.fromCodePoint(code));
}
