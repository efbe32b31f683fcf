/** The first byte (of UTF-8) of the character at a place, as Go's JSON errors show it: `'}'`, `'\x00'`, `'Ã'`. */
export function quotedByte(text: string, index: number): string {
  const [byte = 0] = new TextEncoder().encode(String.fromCodePoint(text.codePointAt(index) ?? 0));
  if (byte === 0x27) return `'\\''`;
  if (byte === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}

/** A text as Go's strconv.Quote writes it. Letters beyond U+00FF that Go knows to be unprintable by its own tables may differ. */
export function goQuote(text: string): string {
  let quoted = '"';
  for (const char of text) quoted += escapes[char] ?? (isPrintable(char) ? char : escaped(char.codePointAt(0) ?? 0));
  return `${quoted}"`;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

function escaped(code: number): string {
  const hex = (width: number) => code.toString(16).padStart(width, '0');
  if (code < 0x20 || code === 0x7f) return `\\x${hex(2)}`;
  return code > 0xffff ? `\\U${hex(8)}` : `\\u${hex(4)}`;
}
