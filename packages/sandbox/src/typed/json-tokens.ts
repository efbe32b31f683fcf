import { jsonFailure } from './json-failure.ts';

/**
 * A place in a JSON text, which every method moves past what it reads. The first error is kept;
 * after it, the place has no meaning.
 */
export class JsonTokens {
  readonly #text: string;
  #at = 0;
  #failure: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Go's error, once something was not JSON. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The next character; empty at the end of the text. */
  get next(): string {
    return this.#text[this.#at] ?? '';
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character is wrong, `where` as Go calls it. */
  fail(where: string): void {
    this.#failure ??= jsonFailure.at(this.#text, this.#at, where);
  }

  /** Moves past `character` if it is the next one. */
  skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  skipSpace(): void {
    const text = this.#text;
    let at = this.#at;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break;
    }
    this.#at = at;
  }

  /** Reads a string from its opening quote. */
  string(): string {
    const text = this.#text;
    const start = ++this.#at;
    let escaped = false;
    for (; this.#at < text.length; this.#at++) {
      const c = text.charCodeAt(this.#at);
      if (c === 0x22) {
        const body = text.slice(start, this.#at++);
        return escaped ? unescaped(body) : body.toWellFormed();
      }
      if (c < 0x20) {
        this.fail('in string literal');
        return '';
      }
      if (c !== 0x5c) continue;
      escaped = true;
      if (!this.#isEscape()) return '';
    }
    this.fail('');
    return '';
  }

  /** Whether a valid escape begins here; moves to its last character. */
  #isEscape(): boolean {
    const next = this.#text[++this.#at];
    if (next === 'u') {
      for (let digit = 0; digit < 4; digit++) {
        if (/[0-9a-fA-F]/.test(this.#text[++this.#at] ?? '')) continue;
        this.fail('in \\u hexadecimal character escape');
        return false;
      }
    } else if (next === undefined || !'bfnrt\\/"'.includes(next)) {
      this.fail('in string escape code');
      return false;
    }
    return true;
  }

  /** Reads a number as it was written. */
  number(): string {
    const start = this.#at;
    this.skip('-');
    if (!this.#isAtDigit) this.fail('in numeric literal');
    else if (!this.skip('0')) this.#skipDigits();
    if (this.#failure === undefined && this.skip('.')) {
      if (!this.#isAtDigit) this.fail('after decimal point in numeric literal');
      this.#skipDigits();
    }
    if (this.#failure === undefined && (this.skip('e') || this.skip('E'))) {
      if (!this.skip('+')) this.skip('-');
      if (!this.#isAtDigit) this.fail('in exponent of numeric literal');
      this.#skipDigits();
    }
    return this.#text.slice(start, this.#at);
  }

  /** Reads `true`, `false` or `null`, of which the first letter was seen. */
  word(word: string): void {
    this.#at++;
    for (const letter of word.slice(1))
      if (!this.skip(letter)) return this.fail(`in literal ${word} (expecting '${letter}')`);
  }

  get #isAtDigit(): boolean {
    const c = this.#text.charCodeAt(this.#at);
    return c >= 0x30 && c <= 0x39;
  }

  #skipDigits(): void {
    while (this.#isAtDigit) this.#at++;
  }
}

/** Only valid escapes come here. */
function unescaped(body: string): string {
  return (JSON.parse(`"${body}"`) as string).toWellFormed();
}
