import { goQuote } from '@isthmus/schema';

/**
 * The first byte (of UTF-8) of the character at a place, as Go's JSON errors show it: `'}'`,
 * `'\x00'`, `'Ã'`.
 */
export function quotedByte(text: string, index: number): string {
  const [byte = 0] = new TextEncoder().encode(String.fromCodePoint(text.codePointAt(index) ?? 0));
  if (byte === 0x27) return `'\\''`;
  if (byte === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
