import { isNode, isPair, isScalar, isSeq, LineCounter, visit } from 'yaml';
import type { Alias, Document, Tags } from 'yaml';
import { firstOf } from '../formats/first-of.ts';
import { errorMessage } from '../formats/error-message.ts';
import { readPlainJson } from './json-text.ts';
import { kubectlNumber } from './kubectl-number.ts';
import { yamlDocuments } from './yaml-documents.ts';

/** One document of a YAML stream, as plain JSON. */
export interface YamlDocument {
  readonly value: unknown;
  /** The line on which the content begins, from 1. */
  readonly line: number;
}

/** How to read. */
export interface ParseYamlOptions {
  /** The name of the text in errors: a file name, or `<stdin>`. */
  readonly source: string;
  /**
   * Called for each key that is given twice, and its line; the last one counts then. Default: it is
   * an error.
   */
  readonly onRepeatedKey?: ((key: string, line: number) => void) | undefined;
  /**
   * Called for each key whose text differs from the key that is read: `1.30` is read as the number
   * 1.3. Default: the key is read without notice, as kubectl does.
   */
  readonly onAlteredKey?: ((key: AlteredKey) => void) | undefined;
  /**
   * The most that a text that is not JSON may cost: how many characters it has that can begin or
   * end something. Reading takes up to eight microseconds for each, twice that where it has
   * mistakes. Default: any number.
   */
  readonly mostStructure?: number | undefined;
}

/** A key that was written without quotation marks, and became another text. */
export interface AlteredKey {
  /** The key as written in the file. */
  readonly written: string;
  /** As it was read. */
  readonly key: string;
  /** The field whose key it is, as errors name it; empty for the document itself. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/**
 * A text that cannot be read. Each line of the message begins with `source:line:column`, except for
 * a last one, `and 3 more`, if not all problems are listed.
 */
export class YamlReadError extends Error {
  override readonly name = 'YamlReadError';
  /** How many problems the message only counts. */
  readonly unlisted: number;

  constructor(message: string, options: ErrorOptions & { readonly unlisted?: number } = {}) {
    super(message, options);
    this.unlisted = options.unlisted ?? 0;
  }

  /** The lines of the problems that are listed. */
  get lines(): readonly string[] {
    const lines = this.message.split('\n');
    return this.unlisted > 0 ? lines.slice(0, -1) : lines;
  }
}

/**
 * Reads the documents of a YAML (or JSON) text in kubectl's dialect: YAML 1.1 scalars (`yes` is
 * true, `017` is 15), but times are strings. Empty documents are left out.
 *
 * Guarantees: values are plain JSON; a key `__proto__` is an ordinary one; aliases that would
 * multiply the text beyond use are refused. Errors: {@link YamlReadError}, naming up to ten places,
 * for bad syntax, a key given twice, an unknown tag, a number or a key that JSON does not have, and
 * nesting too deep to read.
 */
export function parseYaml(text: string, options: ParseYamlOptions): readonly YamlDocument[] {
  if (/^[ \t\r\n]*[{[]/.test(text)) {
    const json = readPlainJson(text, { maxDepth: deepestJson, numbers: 'finite' });
    if (json !== undefined) return [{ ...json, line: text.slice(0, text.search(/\S/)).split('\n').length }];
  }
  if (structureOf(text) > (options.mostStructure ?? Number.POSITIVE_INFINITY))
    throw new YamlReadError(`${options.source}:1:1: ${tooMuchStructure}; send it as JSON`);
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${options.source}:${line}:${col}`;
  };
  const refuse = (offset: number, why: string, cause?: unknown) =>
    new YamlReadError(`${at(offset)}: ${why}`, { cause });
  const documents = tryTo(
    () => [
      ...yamlDocuments(text, {
        version: '1.1',
        customTags: kubectlTags,
        prettyErrors: false,
        lineCounter: lines,
        // Looked at below: here it takes the square of the number of keys (20,000 of them: 8 s).
        uniqueKeys: false,
      }),
    ],
    (err) => refuse(0, readable(err), err),
  );
  return documents.flatMap((document): YamlDocument[] => {
    const start = document.contents?.range?.[0] ?? 0;
    const twice = tryTo(
      () => keysGivenTwice(document),
      (err) => refuse(start, readable(err), err),
    );
    const reported = [...document.errors, ...document.warnings].map((one) => ({
      offset: one.pos[0],
      why: readable(one),
    }));
    const { onRepeatedKey } = options;
    for (const { from, to } of twice) {
      const key = text.slice(from, to).trim();
      if (onRepeatedKey === undefined) reported.push({ offset: from, why: `the key ${key} is given twice` });
      else onRepeatedKey(key.replace(/^(['"])(.*)\1$/s, '$2'), lines.linePos(from).line);
    }
    if (reported.length > 0)
      throw new YamlReadError(problemLines(reported, at), { unlisted: Math.max(0, reported.length - listedProblems) });
    if (document.contents === null) return [];
    const odd = tryTo(
      () => oddity(document),
      (err) => refuse(start, readable(err), err),
    );
    if (odd !== undefined) throw refuse(odd.offset, odd.why);
    if (options.onAlteredKey !== undefined)
      for (const { offset, ...key } of alteredKeys(document))
        options.onAlteredKey({ ...key, line: lines.linePos(offset).line });
    const value: unknown = tryTo(
      () => {
        resolveAliases(document);
        return document.toJS({ maxAliasCount });
      },
      (err) => refuse(start, readable(err), err),
    );
    return value === null ? [] : [{ value, line: lines.linePos(start).line }];
  });
}

const tooMuchStructure = 'the text has too many lines, keys and elements to be read as YAML';

/**
 * How many characters can begin or end a line, a key, an element or a scalar, wherever they are.
 */
function structureOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (structural.has(text.charCodeAt(at))) count++;
  return count;
}

const structural: ReadonlySet<number> = new Set(
  Array.from('\n\r,:[]{}-?&*!|>"\'#%', (character) => character.charCodeAt(0)),
);

/** Deeper JSON is left to the strict reader, which reports where it is too deep. */
const deepestJson = 100;

/** How often what an anchor names may be repeated: more makes small texts large. */
const maxAliasCount = 100;

/**
 * YAML 1.1 with kubectl's numbers, without what kubectl reads as text (times, base 60) or does not
 * know (sets, ordered maps, bytes).
 */
function kubectlTags(tags: Tags): Tags {
  const replaced = ['int', 'float', 'timestamp', 'omap', 'pairs', 'set', 'binary'];
  const kept = tags.filter((tag) => {
    if (typeof tag === 'string') return !replaced.some((name) => tag.startsWith(name));
    return !replaced.some((name) => tag.tag.endsWith(`:${name}`));
  });
  const number = { tag: 'tag:yaml.org,2002:float', default: true, test: /^[-+.]?[-+.0-9]/, resolve: kubectlNumber };
  return [number, { tag: 'tag:yaml.org,2002:int', default: false, resolve: kubectlNumber }, ...kept, 'merge'];
}

/**
 * Finds what YAML can express and JSON cannot: numbers without a finite value, and keys that are
 * not scalars.
 */
function oddity(document: Document): { readonly offset: number; readonly why: string } | undefined {
  let found: { offset: number; why: string } | undefined;
  visit(document, {
    Pair(_key, pair) {
      if (isScalar(pair.key) && pair.key.value !== null) return undefined;
      const offset = isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
      found = { offset, why: 'a key must be a string, a number or a boolean' };
      return visit.BREAK;
    },
    Scalar(_key, node) {
      if (typeof node.value !== 'number' || Number.isFinite(node.value)) return undefined;
      found = { offset: node.range?.[0] ?? 0, why: `${node.source ?? String(node.value)} is not a JSON number` };
      return visit.BREAK;
    },
  });
  return found;
}

/**
 * Notes at each alias the node that it names, the last of that anchor before it. By itself each one
 * looks through all: 20,000 of them take a minute.
 */
function resolveAliases(document: Document): void {
  const anchors = new Map<string, ReturnType<Alias['resolve']>>();
  visit(document, {
    Alias(_key, alias) {
      const named = anchors.get(alias.source);
      if (named === undefined) return;
      const resolve = alias.resolve.bind(alias);
      // With a context it counts, too, how often the node is repeated.
      alias.resolve = (of, context) =>
        context === undefined ? named : resolve(of, { ...context, aliasResolveCache: [named] });
    },
    Value(_key, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
}

/** Something that a document may not hold. */
interface Problem {
  readonly offset: number;
  readonly why: string;
}

/**
 * Returns where keys repeat an earlier key of their map, in the order of the text. Scalars of one
 * value are equal keys; `1` and `"1"` are different keys.
 */
function keysGivenTwice(document: Document): readonly { readonly from: number; readonly to: number }[] {
  const found: { readonly from: number; readonly to: number }[] = [];
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [from = 0, to = 0] = key.range ?? [];
        if (seen.has(key.value)) found.push({ from, to });
        seen.add(key.value);
      }
    },
  });
  return found.toSorted((a, b) => a.from - b.from);
}

/**
 * The keys that become another text in JSON than they are written with, in the order of the text.
 */
function alteredKeys(document: Document): readonly (Omit<AlteredKey, 'line'> & { readonly offset: number })[] {
  const found: (Omit<AlteredKey, 'line'> & { readonly offset: number })[] = [];
  visit(document, {
    Map(_key, map, ancestors) {
      for (const { key } of map.items) {
        if (!isScalar(key) || typeof key.value === 'string' || key.source === undefined) continue;
        const read = String(key.value);
        if (read === key.source) continue;
        found.push({ written: key.source, key: read, path: pathOf([...ancestors, map]), offset: key.range?.[0] ?? 0 });
      }
    },
  });
  return found;
}

/** The path of the last of these, from the document on. */
function pathOf(ancestors: readonly unknown[]): string {
  return ancestors.reduce((path: string, one, at) => {
    if (isPair(one)) return `${path}${path === '' ? '' : '.'}${isScalar(one.key) ? String(one.key.value) : ''}`;
    if (!isSeq(one)) return path;
    return `${path}[${one.items.indexOf(ancestors[at + 1])}]`;
  }, '');
}

/** More errors than this are counted, not listed. */
const listedProblems = 10;

function problemLines(problems: readonly Problem[], at: (offset: number) => string): string {
  const inOrder = problems.toSorted((a, b) => a.offset - b.offset);
  return firstOf(inOrder, listedProblems, ({ offset, why }) => `${at(offset)}: ${why}`).join('\n');
}

function tryTo<T>(read: () => T, refusal: (err: unknown) => YamlReadError): T {
  try {
    return read();
  } catch (err) {
    throw refusal(err);
  }
}

function readable(err: unknown): string {
  const message = errorMessage(err);
  // A regular expression that exhausts the stack fails with a message of its own.
  if (message.includes('call stack') || message.endsWith('Stack overflow')) return 'nested too deep';
  return message.startsWith('Excessive alias count') ? 'the aliases expand to too much data' : message;
}
