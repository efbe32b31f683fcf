/** Which texts count as plain. */
export interface PlainJson {
  /** How many levels of objects and lists it may have. */
  readonly maxDepth: number;
  /**
   * The numbers it may hold: `finite`: those that are the same in YAML, any but `-0` and what no
   * double holds; `exact`: integers of at most 15 digits, which are written as they were read.
   */
  readonly numbers: 'finite' | 'exact';
}

/**
 * Returns the value of a JSON text that `JSON.parse` reads as every other reader does, and
 * `undefined` for any other text. Other texts are: not JSON; with a key twice in one object
 * (`JSON.parse` silently keeps the last); with escaped or lone surrogates; too deep; or with other
 * numbers than `plain` allows. Such texts need a stricter reader, which takes some thirty times as
 * long.
 */
export function readPlainJson(text: string, plain: PlainJson): { readonly value: unknown } | undefined {
  if (/\\u[dD][89a-fA-F]/.test(text) || !text.isWellFormed()) return undefined;
  const written = keysWritten(text, plain);
  const parsed = written === undefined ? undefined : tryParse(text);
  // A key that was given twice is counted once after parsing.
  return parsed !== undefined && keysRead(parsed.value) === written ? parsed : undefined;
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * Counts the keys of a text that is well-formed; undefined where it is too deep, or a number is not
 * exact and should be.
 */
function keysWritten(text: string, { maxDepth, numbers }: PlainJson): number | undefined {
  const exact = numbers === 'exact';
  let keys = 0;
  let depth = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= zero && c <= nine) {
      // 15 digits are always exact.
      if (exact && ++digits > 15) return undefined;
      continue;
    }
    switch (c) {
      case quote:
        i = endOfString(text, i);
        break;
      case colon:
        keys++;
        break;
      case openBrace:
      case openBracket:
        if (++depth > maxDepth) return undefined;
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
      case dot:
        if (exact) return undefined;
        break;
      case upperE:
      case lowerE:
        if (digits > 0) return undefined;
        break;
      case minus:
        if (exact && text.charCodeAt(i + 1) === zero) return undefined;
        break;
      default:
        break;
    }
    digits = 0;
  }
  return keys;
}

/** The place of the quote that ends the string; the length of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/**
 * How many keys a value has in all its objects; NaN where it holds a number that is not the same
 * everywhere.
 */
function keysRead(value: unknown): number {
  let count = 0;
  let odd = false;
  const open: object[] = [];
  const look = (item: unknown): void => {
    if (typeof item === 'number') odd ||= !Number.isFinite(item) || Object.is(item, -0);
    else if (typeof item === 'object' && item !== null) open.push(item);
  };
  look(value);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) {
      for (const item of one) look(item);
      continue;
    }
    const record = one as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(record)) {
      count++;
      look(record[key]);
    }
  }
  return odd ? NaN : count;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const dot = 0x2e;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const upperE = 0x45;
const lowerE = 0x65;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
