/**
 * The part of YAML that programs write and most manifests are in: block maps and lists, scalars of all kinds, comments, documents. js-yaml reads it in a
 * seventh of the time. What goes beyond it, and every mistake, is left to the reader of the whole language, which has the dialect and the places of
 * mistakes.
 */
import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE, getScalarValue, parseEvents } from 'js-yaml';
import type { Event, ScalarEvent } from 'js-yaml';
import { kubectlNumber } from './kubectl-number.ts';

/** Values by document, with the line where each begins, from 1; undefined where the text goes beyond the plain part. */
export function readPlainYaml(text: string): readonly { readonly value: unknown; readonly line: number }[] | undefined {
  // Characters that end a line for some readers, or that YAML does not have.
  if (/[^\n\t -~\u00a0-\u2027\u202a-\ud7ff\ud800-\udfff\ue000-\ufefe\uff00-\ufffd]/.test(text)) return undefined;
  if (odd.test(text) || /\n +$/.test(text)) return undefined;
  let events: readonly Event[];
  try {
    events = parseEvents(text, { maxDepth: 100 });
  } catch {
    return undefined;
  }
  try {
    return new Documents(text, events).read();
  } catch (error) {
    if (error === beyond) return undefined;
    throw error;
  }
}

/** What the two readers disagree about: indentation with tabs, directives, marks of documents that are not at a start, and literals with an indentation. */
const odd = /^(?: *\t| *%| +---|\.\.\.)|[|>][-+]?[1-9][-+]? *(?:#.*)?$/m;
const beyond = new Error('beyond the plain part');

class Documents {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
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
    // Of flow collections only empty ones, with nothing behind them.
    if (event.style === COLLECTION_STYLE.FLOW && !isEmptyFlow(this.#text, event.start)) throw beyond;
    const value = event.type === EVENT_ID.MAPPING ? this.#map() : this.#list();
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
    if (event.style === SCALAR_STYLE.PLAIN) return plainScalar(text);
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    if (isQuoted && !isEnd(this.#text, event.valueEnd + 1)) throw beyond;
    return text;
  }
}

function isEmptyFlow(text: string, start: number): boolean {
  const collection = text.slice(start, start + 2);
  return (collection === '[]' || collection === '{}') && isEnd(text, start + 2);
}

/** Whether a collection or a text in quotation marks that ends here has nothing behind it that js-yaml takes for the next field. */
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
  if (/^(?:y|n|yes|no|on|off|true|false|null|~|<<|=)$/i.test(text)) throw beyond;
  return text;
}
