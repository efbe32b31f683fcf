import type { Entry, ParsedJson } from './parsed-json.ts';
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

/** An object or a list that is being read. */
interface Open {
  readonly container: Record<string, unknown> | unknown[];
  /** The key whose value comes next. */
  key: string;
  entries: Entry[] | undefined;
}

/**
 * Reads a JSON text character by character: slower than JSON.parse, but with all of
 * {@link ParsedJson}. A returned string is the error. It does not recurse, so the depth of the text
 * does not use the stack.
 */
export function readJson(text: string): ParsedJson | string {
  const repeated = new Map<object, readonly Entry[]>();
  const literals = new Map<object, Map<string, string>>();
  const stack: Open[] = [];
  let i = 0;
  let failure: string | undefined;
  const fail = (index: number, where: string) => {
    failure ??= jsonFailure.at(text, index, where);
  };

  const skipSpace = () => {
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
    }
  };

  /** Reads a string from its opening quote. */
  const readString = (): string => {
    const start = ++i;
    let escaped = false;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 0x22) {
        const body = text.slice(start, i++);
        return escaped ? unescaped(body) : body.toWellFormed();
      }
      if (c < 0x20) {
        fail(i, 'in string literal');
        return '';
      }
      if (c !== 0x5c) continue;
      escaped = true;
      const next = text[++i];
      if (next === 'u') {
        for (let digit = 0; digit < 4; digit++) {
          if (/[0-9a-fA-F]/.test(text[++i] ?? '')) continue;
          fail(i, 'in \\u hexadecimal character escape');
          return '';
        }
      } else if (next === undefined || !'bfnrt\\/"'.includes(next)) {
        fail(i, 'in string escape code');
        return '';
      }
    }
    fail(i, '');
    return '';
  };

  const readDigits = () => {
    while (isDigit(text.charCodeAt(i))) i++;
  };

  const readNumber = (): string => {
    const start = i;
    if (text[i] === '-') i++;
    if (!isDigit(text.charCodeAt(i))) fail(i, 'in numeric literal');
    else if (text[i] === '0') i++;
    else readDigits();
    if (failure === undefined && text[i] === '.') {
      if (!isDigit(text.charCodeAt(++i))) fail(i, 'after decimal point in numeric literal');
      readDigits();
    }
    if (failure === undefined && (text[i] === 'e' || text[i] === 'E')) {
      i++;
      if (text[i] === '+' || text[i] === '-') i++;
      if (!isDigit(text.charCodeAt(i))) fail(i, 'in exponent of numeric literal');
      readDigits();
    }
    return text.slice(start, i);
  };

  const readWord = (word: string) => {
    for (let at = 1; at < word.length; at++) {
      if (text[i + at] === word[at]) continue;
      fail(i + at, `in literal ${word} (expecting '${word[at]}')`);
      return;
    }
    i += word.length;
  };

  /** Puts a value into the open list or object. */
  const store = (value: unknown, literal?: string) => {
    const top = stack.at(-1);
    if (top === undefined) {
      result = value;
      return;
    }
    const { container } = top;
    const key = Array.isArray(container) ? String(container.length) : top.key;
    const odd = literal !== undefined && isOdd(literal) ? literal : undefined;
    if (Array.isArray(container)) container.push(value);
    else {
      if (Object.hasOwn(container, key)) top.entries ??= entriesOf(container, literals.get(container));
      top.entries?.push({ key, value, literal: odd });
      setKey(container, key, value);
    }
    if (odd !== undefined) {
      const known = literals.get(container);
      if (known === undefined) literals.set(container, new Map([[key, odd]]));
      else known.set(key, odd);
    } else literals.get(container)?.delete(key);
  };

  /** The key and the colon of the next entry. */
  const readKey = (top: Open) => {
    if (text[i] !== '"') return fail(i, 'looking for beginning of object key string');
    top.key = readString();
    if (failure !== undefined) return undefined;
    skipSpace();
    if (text[i] === ':') i++;
    else fail(i, 'after object key');
    return undefined;
  };

  /**
   * Reads past a value: a comma, or the ends of the open lists and objects. True if another value
   * follows.
   */
  const goesOn = (): boolean => {
    for (;;) {
      skipSpace();
      const top = stack.at(-1);
      if (top === undefined) {
        if (i < text.length) fail(i, 'after top-level value');
        return false;
      }
      const isList = Array.isArray(top.container);
      if (text[i] === ',') {
        i++;
        if (!isList) {
          skipSpace();
          readKey(top);
        }
        return true;
      }
      if (text[i] !== (isList ? ']' : '}')) {
        fail(i, isList ? 'after array element' : 'after object key:value pair');
        return false;
      }
      i++;
      stack.pop();
      if (top.entries !== undefined) repeated.set(top.container, top.entries);
    }
  };

  let result: unknown;
  let more = true;
  // oxlint-disable-next-line no-unmodified-loop-condition -- `fail` sets it
  while (more && failure === undefined) {
    skipSpace();
    const c = text[i] ?? '';
    if (c === '{' || c === '[') {
      const container = c === '{' ? {} : [];
      if (stack.length >= jsonFailure.maxDepth) {
        fail(i, 'exceeded max depth');
        break;
      }
      i++;
      store(container);
      const top: Open = { container, key: '', entries: undefined };
      stack.push(top);
      skipSpace();
      if (text[i] === (c === '{' ? '}' : ']')) {
        more = goesOn();
        continue;
      }
      if (c === '{') readKey(top);
      continue;
    }
    if (c === '"') store(readString());
    else if (c === '-' || (c >= '0' && c <= '9')) {
      const literal = readNumber();
      store(Number(literal), literal);
    } else if (c === 't' || c === 'f') {
      readWord(c === 't' ? 'true' : 'false');
      store(c === 't');
    } else if (c === 'n') {
      readWord('null');
      store(null);
    } else fail(i, 'looking for beginning of value');
    if (failure === undefined) more = goesOn();
  }
  return failure ?? { value: result, oddities: { entries: repeated, literals } };
}

/** Sets a key, which may be `__proto__`, as data. */
export function setKey(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

function entriesOf(object: Record<string, unknown>, literals: ReadonlyMap<string, string> | undefined): Entry[] {
  return Object.entries(object).map(([key, value]) => ({ key, value, literal: literals?.get(key) }));
}

const isDigit = (c: number) => c >= 0x30 && c <= 0x39;

/** Whether a number is to be kept as it was written. */
function isOdd(literal: string): boolean {
  return literal === '-0' || !/^-?\d+$/.test(literal) || !Number.isSafeInteger(Number(literal));
}

/** Only valid escapes come here. */
function unescaped(body: string): string {
  return (JSON.parse(`"${body}"`) as string).toWellFormed();
}

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
