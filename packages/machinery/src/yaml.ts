import { dump } from 'js-yaml';
import { isNode, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';
import type { Document, ScalarTag, Tags, YAMLError } from 'yaml';

/** One document of a YAML stream, as plain JSON. */
export interface YamlDocument {
  readonly value: unknown;
  /** Where its content begins, from 1. */
  readonly line: number;
}

/** How to read. */
export interface ParseYamlOptions {
  /** What the text is called in errors: a file name, or `<stdin>`. */
  readonly source: string;
}

/** A text that cannot be read. Each line of the message begins with `source:line:column`. */
export class YamlReadError extends Error {
  override readonly name = 'YamlReadError';
}

/**
 * Reads the documents of a YAML (or JSON) text in kubectl's dialect: YAML 1.1 scalars (`yes` is true, `017` is 15), but times are strings.
 * Empty documents are left out.
 *
 * Guarantees: values are plain JSON; a key `__proto__` is an ordinary one; aliases that would multiply the text beyond use are refused.
 * Errors: {@link YamlReadError}, naming up to ten places, for bad syntax, a key given twice, an unknown tag, a number or a key that JSON does
 * not have, and nesting too deep to read.
 */
export function parseYaml(text: string, options: ParseYamlOptions): readonly YamlDocument[] {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${options.source}:${line}:${col}`;
  };
  const refuse = (offset: number, why: string, cause?: unknown) =>
    new YamlReadError(`${at(offset)}: ${why}`, { cause });
  const documents = tryTo(
    () => [
      ...parseAllDocuments(text, { version: '1.1', customTags: kubectlTags, prettyErrors: false, lineCounter: lines }),
    ],
    (err) => refuse(0, readable(err), err),
  );
  return documents.flatMap((document): YamlDocument[] => {
    const problems = [...document.errors, ...document.warnings];
    if (problems.length > 0) throw new YamlReadError(problemLines(problems, text, at));
    if (document.contents === null) return [];
    const start = document.contents.range?.[0] ?? 0;
    const odd = tryTo(
      () => oddity(document),
      (err) => refuse(start, readable(err), err),
    );
    if (odd !== undefined) throw refuse(odd.offset, odd.why);
    const value: unknown = tryTo(
      () => document.toJS({ maxAliasCount }),
      (err) => refuse(start, readable(err), err),
    );
    return value === null ? [] : [{ value, line: lines.linePos(start).line }];
  });
}

/**
 * A value as one YAML document that kubectl and {@link parseYaml} read back as the same value: strings that look like something else are
 * quoted, lines are not folded, keys keep their order, nothing is shared by reference. Members that are `undefined` are absent.
 */
export function printYaml(value: unknown): string {
  return dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true });
}

/** Several values as a stream of documents. */
export function printYamlDocuments(values: readonly unknown[]): string {
  return values.map((value) => `---\n${printYaml(value)}`).join('');
}

/** How often what an anchor names may be repeated: more makes small texts large. */
const maxAliasCount = 100;

/** YAML 1.1 without what kubectl reads as strings (times, base 60) or does not know (sets, ordered maps, bytes). */
const dropped = ['timestamp', 'omap', 'pairs', 'set', 'binary'];

function kubectlTags(tags: Tags): Tags {
  const kept = tags.filter((tag) => {
    if (typeof tag === 'string') return !dropped.includes(tag) && tag !== 'intTime' && tag !== 'floatTime';
    const isTime = 'format' in tag && tag.format === 'TIME';
    return !isTime && !dropped.some((name) => tag.tag.endsWith(`:${name}`));
  });
  return [octal, ...kept, 'merge'];
}

/** The octal form of YAML 1.2, which kubectl reads as well. */
const octal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  format: 'OCT',
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text) => {
    const size = Number.parseInt(text.replace(/^[-+]?0o/, '').replaceAll('_', ''), 8);
    return text.startsWith('-') ? -size : size;
  },
};

/** What YAML can say and JSON cannot: numbers without a finite value, keys that are no scalars. */
function oddity(document: Document): { readonly offset: number; readonly why: string } | undefined {
  let found: { offset: number; why: string } | undefined;
  visit(document, {
    Pair(_key, pair) {
      if (isScalar(pair.key) && pair.key.value !== null) return undefined;
      const offset = isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
      found = { offset, why: 'a key must be a text, a number or a boolean' };
      return visit.BREAK;
    },
    Scalar(_key, node) {
      if (typeof node.value !== 'number' || Number.isFinite(node.value)) return undefined;
      found = { offset: node.range?.[0] ?? 0, why: `${node.source ?? String(node.value)} is no number of JSON` };
      return visit.BREAK;
    },
  });
  return found;
}

/** More errors than this are counted, not listed. */
const listedProblems = 10;

function problemLines(problems: readonly YAMLError[], text: string, at: (offset: number) => string): string {
  const listed = problems.slice(0, listedProblems).map((problem) => {
    const [start, end] = problem.pos;
    const why =
      problem.code === 'DUPLICATE_KEY' ? `the key ${text.slice(start, end).trim()} is given twice` : readable(problem);
    return `${at(start)}: ${why}`;
  });
  const more = problems.length - listed.length;
  return more > 0 ? `${listed.join('\n')}\nand ${more} more` : listed.join('\n');
}

function tryTo<T>(read: () => T, refusal: (err: unknown) => YamlReadError): T {
  try {
    return read();
  } catch (err) {
    throw refusal(err);
  }
}

function readable(err: unknown): string {
  const message = err instanceof Error ? err.message : String(err);
  if (message.includes('call stack')) return 'nested too deep';
  return message.startsWith('Excessive alias count') ? 'the aliases stand for too much' : message;
}
