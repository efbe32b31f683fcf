import type { Pattern } from '../../pattern/pattern.ts';
import { compilePattern } from '../../pattern/pattern.ts';
import type { Library } from './library.ts';
import type { AstNode } from '../syntax/syntax.ts';

/**
 * Patterns (CEL's `matches`, Kubernetes' regex library); how they are read: see `compilePattern`.
 */
export const patternLibrary: Library = {
  functions: {
    'matches(string, string): bool': (text: string, pattern: string) => readPattern(pattern).test(text),
    'string.find(string): string': (text: string, pattern: string) => find(readPattern(pattern), text),
    'string.findAll(string): list<string>': (text: string, pattern: string) => findAll(readPattern(pattern), text),
    'string.findAll(string, int): list<string>': (text: string, pattern: string, limit: bigint) =>
      findAll(readPattern(pattern), text, limit),
  },
};

type SearchIn = (pattern: Pattern, text: string, limit?: bigint) => unknown;

const searches: ReadonlyMap<string, SearchIn> = new Map<string, SearchIn>([
  ['matches', (pattern, text) => pattern.test(text)],
  ['find', find],
  ['findAll', findAll],
]);

/**
 * A call that searches with a pattern: returns the value for the arguments, the text first.
 * Undefined: this call has arguments of other types.
 */
export type Search = (given: readonly unknown[]) => { readonly value: unknown } | undefined;

/**
 * Returns the search that a call of one of the functions above makes. It pays for reading the
 * pattern and for each search in a text. A literal pattern in the expression is read once and costs
 * nothing, as on the real server. Returns undefined if the node calls another function. `pay`
 * throws if the budget is spent.
 */
export function searchOf(node: AstNode, pay: (cost: number) => void): Search | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined;
  const search = searches.get(node.args[0] as string);
  if (search === undefined) return undefined;
  const [written] = (node.op === 'rcall' ? node.args[2] : node.args[1].slice(1)) as readonly AstNode[];
  const isConstant = written?.op === 'value';
  let constant: Pattern | undefined;
  const patternOf = (text: string): Pattern => {
    if (isConstant) return (constant ??= readPattern(text));
    pay(text.length * costOfReading);
    const pattern = readPattern(text);
    pay(pattern.size * costOfReading);
    return pattern;
  };
  return ([text, pattern, limit]) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
    return { value: search(paidFor(patternOf(pattern), pay), text, typeof limit === 'bigint' ? limit : undefined) };
  };
}

/**
 * The cost of reading one character of a pattern, and of one step that the pattern is made of;
 * measured against a step of a loop (0.3 µs).
 */
const costOfReading = 40;

/**
 * The pattern, whose every search pays for the length of the text times its size; large ones, which
 * no automaton is made for, take more.
 */
function paidFor({ size, test, find: findNext }: Pattern, pay: (cost: number) => void): Pattern {
  const costOfCharacter = (size * (1 + size / 200)) / 20;
  return {
    size,
    test(text) {
      pay(text.length * costOfCharacter);
      return test(text);
    },
    find(text, from) {
      pay((text.length - from) * costOfCharacter);
      return findNext(text, from);
    },
  };
}

function readPattern(pattern: string): Pattern {
  try {
    return compilePattern(pattern);
  } catch (cause) {
    throw new Error(`error parsing regexp: \`${pattern}\``, { cause });
  }
}

function find(pattern: Pattern, text: string): string {
  return findAll(pattern, text, 1n)[0] ?? '';
}

function findAll(pattern: Pattern, text: string, limit = -1n): readonly string[] {
  const most = limit < 0n ? Infinity : Number(limit);
  const found: string[] = [];
  let ended = -1;
  for (let at = 0; found.length < most;) {
    const span = at > text.length ? undefined : pattern.find(text, at);
    if (span === undefined) break;
    // Go takes no empty match right behind the one before.
    if (span.end > span.start || span.start !== ended) found.push(text.slice(span.start, span.end));
    ended = span.end;
    at = span.end > span.start ? span.end : span.end + ((text.codePointAt(span.end) ?? 0) > 0xffff ? 2 : 1);
  }
  return found;
}
