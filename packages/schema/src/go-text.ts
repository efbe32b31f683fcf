/**
 * How the API server, a Go program, writes values into error messages. Kept in one place so that
 * our texts and the server's can be compared word by word.
 */

/**
 * Values nested deeper than this are cut when they are printed or compared; the API server itself
 * rejects JSON of 10,000 levels.
 */
export const maxPrintedDepth = 1000;

/** A string as Go's %q writes it: double quotes, escapes for what does not print. */
export function goQuote(text: string): string {
  let quoted = '"';
  for (const character of text) quoted += quotedCharacter(character);
  return `${quoted}"`;
}

/**
 * A number as Go's %v writes it: in full where it is an integer of 64 bits, otherwise as
 * {@link goFloat}.
 */
export function goNumber(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : goFloat(value);
}

/** Whether the API server decodes the number as an int64, and not as a float64. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
}

/**
 * A float64 as Go's %v writes it: in the shortest form, with an exponent below 1e-4 and from 1e6
 * on.
 */
export function goFloat(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.slice(1).padStart(2, '0')}`;
}

/**
 * JSON text as Go's encoding/json writes it: keys sorted bytewise, `<`, `>`, `&` and the two line
 * separators escaped. A key whose value is `undefined` is absent. A value with `toJSON` stands for
 * a Go struct, whose fields keep their order. What lies deeper than {@link maxPrintedDepth} is
 * written as `null`.
 */
export function goJson(value: unknown, depth = 0): string {
  if (typeof value === 'string') return jsonString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth >= maxPrintedDepth) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => goJson(item, depth + 1)).join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${jsonString(key)}:${goJson(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** JSON text of a Go struct: as {@link goJson}, with the fields in the order that they have. */
export function goStruct(value: object): string {
  return escaped(JSON.stringify(value));
}

function jsonString(text: string): string {
  return escaped(JSON.stringify(text));
}

function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function quotedCharacter(character: string): string {
  const escape = escapes[character];
  if (escape !== undefined) return escape;
  if (printable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  // A lone surrogate is not a character: Go holds the replacement character in its place.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Without a prototype, so that no character finds an inherited member. */
const escapes: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
});

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
