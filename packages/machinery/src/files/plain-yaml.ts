/**
 * The part of YAML that programs write and most manifests are in: maps and lists by indentation, scalars of all kinds, comments, documents. It is read
 * in a fifth of the time. What goes beyond it, and every mistake, is left to the reader of the whole language.
 */
import { doubleQuoted, folded, plainScalar, singleQuoted } from './plain-yaml-scalars.ts';

/** Values by document, with the line where each begins, from 1; undefined where the text goes beyond the plain part. */
export function readPlainYaml(text: string): readonly { readonly value: unknown; readonly line: number }[] | undefined {
  // Characters that end a line for some readers, or that YAML does not have.
  if (/[^\n\t -~\u00a0-\u2027\u202a-\ud7ff\ud800-\udfff\ue000-\ufefe\uff00-\ufffd]/.test(text)) return undefined;
  try {
    return new Reader(text).documents();
  } catch (error) {
    if (error === beyond) return undefined;
    throw error;
  }
}

const beyond = new Error('beyond the plain part');
const deepest = 100;
const key = /^(?:([A-Za-z_$][\w./$-]*)|"([^"\\]*)"|'([^']*)'):(?: +(?=[^ ])|$)/;
const words = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const longestKey = 512;

class Reader {
  readonly #lines: readonly string[];
  /** The line that is read next. */
  #at = 0;
  /** Its indentation, and its content without comment lines before it; -1 at the end of the document. */
  #indent = -1;
  #content = '';

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  documents(): readonly { readonly value: unknown; readonly line: number }[] {
    const found: { readonly value: unknown; readonly line: number }[] = [];
    for (;;) {
      this.#next();
      if (this.#indent >= 0) {
        const line = this.#at + 1;
        const value = this.#block(0);
        if (this.#indent >= 0) throw beyond;
        if (value !== null) found.push({ value, line });
      }
      if (this.#at >= this.#lines.length) return found;
      // The line that separates two documents.
      this.#at += 1;
    }
  }

  /** Moves to the next line that has content, from `#at` on. */
  #next(): void {
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? '';
      const indent = indentOf(line);
      if (indent === line.length) continue;
      const first = line[indent];
      if (first === '#') continue;
      if (first === '\t' || first === '%') throw beyond;
      if (indent === 0 && (line.startsWith('---') || line.startsWith('...'))) {
        if (line.trimEnd() !== '---') throw beyond;
        break;
      }
      this.#indent = indent;
      this.#content = line.slice(indent);
      return;
    }
    this.#indent = -1;
    this.#content = '';
  }

  #skip(): void {
    this.#at += 1;
    this.#next();
  }

  /** The map or list that begins here. */
  #block(depth: number): unknown {
    if (depth > deepest) throw beyond;
    return isItem(this.#content) ? this.#list(this.#indent, depth) : this.#map(this.#indent, depth);
  }

  #list(indent: number, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    while (this.#indent === indent && isItem(this.#content)) {
      const rest = this.#content.slice(1);
      const blanks = indentOf(rest);
      const content = rest.slice(blanks);
      if (content === '' || content.startsWith('#')) {
        this.#skip();
        items.push(this.#indent > indent ? this.#block(depth + 1) : null);
      } else if (isItem(content) || key.test(content)) {
        // A map or list that begins on the line of its item.
        this.#indent = indent + 1 + blanks;
        this.#content = content;
        items.push(this.#block(depth + 1));
      } else items.push(this.#scalar(content, indent));
    }
    if (this.#indent > indent) throw beyond;
    return items;
  }

  #map(indent: number, depth: number): unknown {
    const fields: Record<string, unknown> = {};
    while (this.#indent === indent) {
      const found = key.exec(this.#content);
      if (found === null) throw beyond;
      const [all, plain, double, single] = found;
      const name = plain ?? double ?? single ?? '';
      if (name.length > longestKey || name === '__proto__' || Object.hasOwn(fields, name)) throw beyond;
      if (plain !== undefined && plain.length <= 5 && words.test(plain)) throw beyond;
      fields[name] = this.#value(this.#content.slice(all.length), indent, depth);
    }
    if (this.#indent > indent) throw beyond;
    return fields;
  }

  /** The value of a field, which begins behind its colon. */
  #value(content: string, indent: number, depth: number): unknown {
    if (content !== '' && !content.startsWith('#')) return this.#scalar(content, indent);
    this.#skip();
    if (this.#indent > indent) return this.#block(depth + 1);
    return this.#indent === indent && isItem(this.#content) ? this.#list(indent, depth + 1) : null;
  }

  /** A scalar that begins here, in a map or list of this indentation; afterwards the line behind it is next. */
  #scalar(content: string, indent: number): unknown {
    const first = content[0] ?? '';
    if (first === '"' || first === "'") return this.#quoted(content, indent, first);
    if (first === '|' || first === '>') return this.#literal(content.trimEnd(), indent);
    if (first === '[' || first === '{') {
      const empty = content.trimEnd();
      if (empty !== '[]' && empty !== '{}') throw beyond;
      this.#skip();
      if (this.#indent > indent) throw beyond;
      return empty === '[]' ? [] : {};
    }
    if ('&*!@`%,]}?:-'.includes(first) && !/^-[^\s]/.test(content)) throw beyond;
    return this.#plain(content, indent);
  }

  #plain(content: string, indent: number): unknown {
    const parts = [plainPart(content)];
    for (let at = this.#at + 1; at < this.#lines.length; at++) {
      const line = this.#lines[at] ?? '';
      const start = indentOf(line);
      if (start === line.length) {
        parts.push('');
        continue;
      }
      if (start <= indent || line[start] === '#') break;
      if (line[start] === '\t') throw beyond;
      parts.push(plainPart(line.slice(start)));
      this.#at = at;
    }
    while (parts.at(-1) === '') parts.pop();
    this.#skip();
    if (this.#indent > indent) throw beyond;
    if (parts.length > 1) return folded(parts);
    const scalar = plainScalar(parts[0] ?? '');
    if (scalar === undefined) throw beyond;
    return scalar.value;
  }

  #quoted(content: string, indent: number, quote: '"' | "'"): string {
    let raw = content.slice(1);
    let end = closing(raw, quote, 0);
    while (end < 0) {
      this.#at += 1;
      const line = this.#lines[this.#at];
      if (line === undefined) throw beyond;
      const start = indentOf(line);
      if (start < line.length && (start <= indent || line[start] === '\t')) throw beyond;
      const from = raw.length;
      raw += `\n${line}`;
      // An escape never spans what was looked at: it is looked at again from the line before.
      end = closing(raw, quote, quote === '"' ? lastLineStart(raw, from) : from);
    }
    if (!/^[ ]*(?: #.*)?$/.test(raw.slice(end + 1))) throw beyond;
    const inside = raw.slice(0, end);
    const value = quote === "'" ? singleQuoted(inside) : doubleQuoted(inside);
    if (value === undefined) throw beyond;
    this.#skip();
    if (this.#indent > indent) throw beyond;
    return value;
  }

  #literal(header: string, indent: number): string {
    const [, style, chomp] = /^([|>])([-+]?)$/.exec(header) ?? [];
    if (style === undefined) throw beyond;
    const lines: string[] = [];
    let own = -1;
    let at = this.#at + 1;
    for (; at < this.#lines.length; at++) {
      const line = this.#lines[at] ?? '';
      const start = indentOf(line);
      if (start === line.length) {
        // Blanks beyond the indentation belong to the text, or are a mistake before it.
        if (own < 0 ? start > 0 : start > own) throw beyond;
        lines.push('');
        continue;
      }
      if (start <= indent) break;
      if (own < 0) own = start;
      if (start < own) throw beyond;
      if (style === '>' && (start > own || line[start] === '\t')) throw beyond;
      lines.push(line.slice(own));
    }
    this.#at = at;
    this.#next();
    const count = lines.length;
    while (lines.at(-1) === '') lines.pop();
    // Behind the last end of line is no line.
    const empty = count - lines.length - (at === this.#lines.length && count > lines.length ? 1 : 0);
    if (lines.length === 0) {
      if (chomp === '+') throw beyond;
      return '';
    }
    // Empty lines before the text of a folded scalar are ends of lines as well.
    if (style === '>' && lines[0] === '') throw beyond;
    const end = chomp === '-' ? '' : chomp === '+' ? '\n'.repeat(1 + empty) : '\n';
    return (style === '|' ? lines.join('\n') : folded(lines)) + end;
  }
}

function indentOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 32) at += 1;
  return at;
}

function isItem(content: string): boolean {
  return content.startsWith('- ') || content === '-';
}

/** A line of a scalar without quotation marks. What could be a comment or a key there is left to the whole reader. */
function plainPart(text: string): string {
  if (text.includes(': ') || text.includes(' #') || text.includes('\t')) throw beyond;
  const trimmed = text.trimEnd();
  if (trimmed.endsWith(':')) throw beyond;
  return trimmed;
}

/** Where the quotation mark stands that ends a text, from an offset on; -1 where none does. */
function closing(raw: string, quote: '"' | "'", from: number): number {
  for (let at = from; at < raw.length; at++) {
    const character = raw[at];
    if (quote === '"' && character === '\\') at += 1;
    else if (character === quote) {
      if (quote === '"' || raw[at + 1] !== "'") return at;
      at += 1;
    }
  }
  return -1;
}

/** The start of the line before an offset. */
function lastLineStart(raw: string, before: number): number {
  return raw.lastIndexOf('\n', before - 1) + 1;
}
