/**
 * The part of YAML that programs write and most manifests are in: block maps and lists, scalars of
 * all kinds, comments, documents. js-yaml reads it in a seventh of the time. What goes beyond it,
 * and every mistake, is left to the reader of the whole language, which has the dialect and the
 * places of mistakes.
 */
import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE, getScalarValue, parseEvents } from 'js-yaml';
import type { Event, ScalarEvent } from 'js-yaml';
import { kubectlNumber } from './kubectl-number.ts';

/**
 * Values by document, with the line where each begins, from 1; undefined where the text goes beyond
 * the plain part.
 */
export function readPlainYaml(text: string): readonly { readonly value: unknown; readonly line: number }[] | undefined {
  // Characters that end a line for some readers, or that YAML does not have.
  if (/[^\n\t -~\u00a0-\u2027\u202a-\ud7ff\ud800-\udfff\ue000-\ufefe\uff00-\ufffd]/.test(text)) return undefined;
  if (isOdd(text) || endsInBlanks(text)) return undefined;
  const marks = indentedMarks(text);
  let events: readonly Event[];
  try {
    events = parseEvents(text, { maxDepth: 100 });
  } catch {
    return undefined;
  }
  try {
    return new Documents(text, events, marks).read();
  } catch (error) {
    if (error === beyond) return undefined;
    throw error;
  }
}

/**
 * Whether a text contains constructs that the two readers read differently at any place:
 * indentation with tabs, and directives and ends of documents. Finding substrings takes a tenth of
 * the time of an expression that looks at each line.
 */
function isOdd(text: string): boolean {
  const begins = (mark: string) => text.startsWith(mark) || text.includes(`\n${mark}`);
  return begins('%') || begins('...') || (text.includes('\t') && /^ *\t/m.test(text));
}

/** Whether the last line has blanks alone, and no end. */
function endsInBlanks(text: string): boolean {
  const end = text.trimEnd().length;
  return end < text.length && /\n +$/.test(text.slice(end));
}

/**
 * The offsets of lines that begin with blanks and then with a text that is a directive or the mark
 * of a document elsewhere. The readers agree on such lines only within a scalar.
 */
function indentedMarks(text: string): readonly number[] {
  return ['---', '%'].flatMap((mark) => {
    const found: number[] = [];
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      let before = at;
      while (text.charCodeAt(before - 1) === 32) before -= 1;
      if (before < at && (before === 0 || text.charCodeAt(before - 1) === 10)) found.push(at);
    }
    return found;
  });
}

const beyond = new Error('beyond the plain part');

class Documents {
  readonly #text: string;
  readonly #events: readonly Event[];
  /** How many of the indented marks are not within a scalar, as far as it is read. */
  #strayMarks: number;
  readonly #marks: readonly number[];
  #at = 0;
  #isInFlow = false;

  constructor(text: string, events: readonly Event[], marks: readonly number[]) {
    this.#text = text;
    this.#events = events;
    this.#marks = marks;
    this.#strayMarks = marks.length;
  }

  read(): readonly { readonly value: unknown; readonly line: number }[] {
    const found: { readonly value: unknown; readonly line: number }[] = [];
    let [line, counted] = [1, 0];
    while (this.#at < this.#events.length) {
      const document = this.#next();
      if (document.type !== EVENT_ID.DOCUMENT || document.directives.length > 0) throw beyond;
      const content = this.#peek();
      const value = this.#isOver() ? null : this.#value(this.#next());
      if (!this.#isOver()) throw beyond;
      this.#at += 1;
      if (value === null) continue;
      if (content.type !== EVENT_ID.MAPPING && content.type !== EVENT_ID.SEQUENCE) throw beyond;
      for (; counted < content.start; counted++) if (this.#text.charCodeAt(counted) === 10) line += 1;
      found.push({ value, line });
    }
    if (this.#strayMarks > 0) throw beyond;
    return found;
  }

  #peek(): Event {
    const event = this.#events[this.#at];
    if (event === undefined) throw beyond;
    return event;
  }

  #next(): Event {
    const event = this.#peek();
    this.#at += 1;
    return event;
  }

  #isOver(): boolean {
    return this.#peek().type === EVENT_ID.POP;
  }

  #value(event: Event): unknown {
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event);
    if (event.type !== EVENT_ID.MAPPING && event.type !== EVENT_ID.SEQUENCE) throw beyond;
    if (event.tagStart >= 0 || event.anchorStart >= 0) throw beyond;
    if (event.style === COLLECTION_STYLE.FLOW && !isPlainFlow(this.#text, event.start)) throw beyond;
    // A plain flow collection needs no further check of its content.
    if (event.style === COLLECTION_STYLE.FLOW) this.#isInFlow = true;
    const value = event.type === EVENT_ID.MAPPING ? this.#map() : this.#list();
    if (event.style === COLLECTION_STYLE.FLOW) this.#isInFlow = false;
    this.#at += 1;
    return value;
  }

  #list(): readonly unknown[] {
    const items: unknown[] = [];
    while (!this.#isOver()) items.push(this.#value(this.#next()));
    return items;
  }

  #map(): unknown {
    const fields: Record<string, unknown> = {};
    while (!this.#isOver()) {
      const key = this.#value(this.#next());
      if (typeof key !== 'string' || key === '__proto__' || Object.hasOwn(fields, key)) throw beyond;
      fields[key] = this.#value(this.#next());
    }
    return fields;
  }

  #scalar(event: ScalarEvent): unknown {
    if (event.tagStart >= 0 || event.anchorStart >= 0) throw beyond;
    const text = getScalarValue(this.#text, event);
    const { valueStart, valueEnd } = event;
    const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
    if (isBlock && !isPlainBlock(this.#text, event)) throw beyond;
    for (const mark of this.#marks)
      if (mark < valueEnd && (isBlock ? mark >= valueStart : mark > valueStart)) this.#strayMarks -= 1;
    if (event.style === SCALAR_STYLE.PLAIN) return plainScalar(text);
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    if (isQuoted && !this.#isInFlow && !isEnd(this.#text, event.valueEnd + 1)) throw beyond;
    return text;
  }
}

/**
 * Whether a flow collection is plain: on one line, of words and texts without escapes, with nothing
 * behind it.
 */
function isPlainFlow(text: string, start: number): boolean {
  flow.lastIndex = start;
  return flow.test(text) && isEnd(text, flow.lastIndex);
}

const flow = ((): RegExp => {
  const word = '[\\w/][-\\w./]*';
  const item = `(?:"[^"\\\\\\n]*"|'[^'\\n]*'|${word})`;
  const field = `[a-zA-Z][-\\w./]*: +${item}`;
  const some = (one: string) => ` *(?:${one}(?: *, *${one})*)? *`;
  return new RegExp(`\\[${some(item)}\\]|\\{${some(field)}\\}`, 'y');
})();

/**
 * An indentation that is given must be that of the first line with a text, as it is for a text that
 * begins with an empty line.
 */
function isPlainBlock(text: string, { valueStart, indent }: ScalarEvent): boolean {
  const header = text.slice(text.lastIndexOf('\n', valueStart - 2) + 1, valueStart);
  if (!/[|>][-+]?[1-9]/.test(header)) return true;
  let at = valueStart;
  while (text.charCodeAt(at) === 10) at += 1;
  let column = 0;
  while (text.charCodeAt(at + column) === 32) column += 1;
  return column === indent && column > 0 && text.charCodeAt(at + column) !== 10;
}

/**
 * Whether a collection or a quoted text that ends at `at` is followed only by blanks, a comment or
 * a colon. js-yaml would read other text behind it as the next field.
 */
function isEnd(text: string, at: number): boolean {
  end.lastIndex = at;
  return end.test(text);
}

const end = / *$| +#| *:(?: |$)/my;

/** A value without quotation marks. */
function plainScalar(text: string): unknown {
  const first = text.charCodeAt(0);
  // Digits, signs and points.
  if ((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) {
    const value = kubectlNumber(text);
    if (typeof value === 'number' && !Number.isFinite(value)) throw beyond;
    return value;
  }
  if (text.length > 5) return text;
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null' || text === '') return null;
  if (/^(?:y|n|yes|no|on|off|true|false|null|~|<<)$/i.test(text)) throw beyond;
  return text;
}
