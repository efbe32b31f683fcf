import { goQuote } from '@isthmus/schema';

/** Go's errors for a text that is not JSON, and the maximum depth. */
export const jsonFailure = {
  /**
   * The real server reads 10,000 levels. Here every level costs stack, in patches, ownership and
   * answers.
   */
  maxDepth: 1_000,
  end: 'unexpected end of JSON input',
  /** At the end of the text, Go checks whether a space would be valid. */
  at: (text: string, index: number, where: string) => {
    if (index < text.length) return `invalid character ${quotedByte(text, index)} ${where}`;
    return isInToken(where) ? `invalid character ' ' ${where}` : jsonFailure.end;
  },
};

const isInToken = (where: string) => where.startsWith('in ') || where.startsWith('after decimal point');

/**
 * The first byte (of UTF-8) of the character at a place, as Go's JSON errors show it: `'}'`,
 * `'\x00'`, `'Ã'`.
 */
function quotedByte(text: string, index: number): string {
  const [byte = 0] = new TextEncoder().encode(String.fromCodePoint(text.codePointAt(index) ?? 0));
  if (byte === 0x27) return `'\\''`;
  if (byte === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
