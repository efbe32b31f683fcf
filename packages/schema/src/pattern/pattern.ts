/**
 * Patterns are written for the API server's engine, RE2. What RE2 and JavaScript read differently is rewritten; what JavaScript cannot say
 * is refused, so that nothing is judged by a wrong reading. JavaScript backtracks, which can take exponential time on hostile text: where it
 * could take long, the pattern is matched as RE2 does it, in linear time.
 */
import { linearMatcher } from './linear-pattern.ts';
import type { Span } from './linear-pattern.ts';
import { patternTree } from './pattern-tree.ts';

/** A pattern that is ready for use. No call takes longer than some hundred steps per character of the text and pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** The leftmost match at or after an offset. */
  find(text: string, from: number): Span | undefined;
}

/** What JavaScript may do with a text: its length to the power of the choices. */
const mostSteps = 1_000_000;

/** The pattern for our use. Errors: throws where {@link patternProblem} names a problem. */
export function compilePattern(pattern: string): Pattern {
  const [lead = '', flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const source = translate(pattern.slice(lead.length));
  const expression = new RegExp(source, `gu${flags}`);
  const { root, choices, nested } = patternTree(source, flags);
  const isQuick = (text: string) => !nested && text.length ** (choices + 1) <= mostSteps;
  let linear: ReturnType<typeof linearMatcher> | undefined;
  const find = (text: string, from: number, shortest: boolean) => {
    if (!isQuick(text)) return (linear ??= linearMatcher(root))(text, from, shortest);
    expression.lastIndex = from;
    const found = expression.exec(text);
    return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
  };
  return {
    test: (text) => find(text, 0, true) !== undefined,
    find: (text, from) => find(text, from, false),
  };
}

/** Why the pattern cannot be used here, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (err) {
    return err instanceof Error ? err.message : String(err);
  }
}

type Meaning = readonly [outside: string, inside: string];

/** What an escaped letter means, as the text to write outside and inside of brackets; letters that are not listed are refused. */
const letters: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...['d', 'D', 'w', 'W', 'n', 't', 'r', 'f', 'v'].map((letter): [string, Meaning] => [
    letter,
    [`\\${letter}`, `\\${letter}`],
  ]),
  ['s', ['[\\t\\n\\f\\r ]', '\\t\\n\\f\\r ']],
  ['S', ['[^\\t\\n\\f\\r ]', '']],
  ['a', ['\\x07', '\\x07']],
  ['b', ['\\b', '']],
  ['B', ['\\B', '']],
  ['A', ['(?<![^])', '']],
  ['z', ['(?![^])', '']],
]);

const posixClasses: ReadonlyMap<string, string> = new Map([
  ['alpha', 'A-Za-z'],
  ['digit', '0-9'],
  ['alnum', '0-9A-Za-z'],
  ['upper', 'A-Z'],
  ['lower', 'a-z'],
  ['space', '\\t\\n\\v\\f\\r '],
  ['blank', '\\t '],
  ['xdigit', '0-9A-Fa-f'],
  ['word', '0-9A-Za-z_'],
  ['punct', '!-\\/:-@\\[-`\\{-~'],
]);

/** Reads the pattern piece by piece, knowing whether it stands in brackets. */
function translate(pattern: string): string {
  let out = '';
  let inBrackets = false;
  let at = 0;
  while (at < pattern.length) {
    const rest = pattern.slice(at);
    const [taken, written] = inBrackets ? inside(rest) : outside(rest);
    if (!inBrackets && taken === '[') inBrackets = true;
    else if (inBrackets && taken === ']') inBrackets = false;
    out += written;
    at += taken.length;
    // The first character of a class may be a closing bracket: `[]a]`, `[^]a]`.
    const first = inBrackets && taken === '[' ? /^\^?\]/.exec(pattern.slice(at))?.[0] : undefined;
    if (first !== undefined) {
      out += first.replace(']', '\\]');
      at += first.length;
    }
  }
  return out;
}

type Piece = readonly [taken: string, written: string];

function outside(rest: string): Piece {
  const named = /^\(\?P</.exec(rest);
  if (named !== null) return [named[0], '(?<'];
  if (/^\(\?<?[=!]/.test(rest)) throw new Error('look-around is unknown to the API server (RE2)');
  if (rest.startsWith('{') && !/^\{\d+(?:,\d*)?\}/.test(rest)) return ['{', '\\{'];
  const repetition = /^\{\d+(?:,\d*)?\}/.exec(rest);
  if (repetition !== null) return [repetition[0], repetition[0]];
  if (rest.startsWith('}') || rest.startsWith(']')) return [rest.slice(0, 1), `\\${rest.slice(0, 1)}`];
  return rest.startsWith('\\') ? escaped(rest, 0) : character(rest);
}

function inside(rest: string): Piece {
  const posix = /^\[:(\w+):\]/.exec(rest);
  if (posix !== null) {
    const ranges = posixClasses.get(posix[1] ?? '');
    if (ranges === undefined) throw new Error(`the class ${posix[0]} is not supported here`);
    return [posix[0], ranges];
  }
  if (rest.startsWith('[')) return ['[', '\\['];
  return rest.startsWith('\\') ? escaped(rest, 1) : character(rest);
}

function character(rest: string): Piece {
  const one = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return [one, one];
}

function escaped(rest: string, where: 0 | 1): Piece {
  const property = /^\\([pP])(?:\{(\^?\w+)\}|([A-Z]))/.exec(rest);
  if (property !== null) return [property[0], `\\${property[1]}{${property[2] ?? property[3]}}`];
  const code = /^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/.exec(rest);
  if (code !== null) return [code[0], `\\u{${code[1] ?? code[2]}}`];
  const letter = rest.slice(1, 2);
  if (!/[A-Za-z0-9]/.test(letter)) return [rest.slice(0, 2), plain(letter)];
  const meaning = letters.get(letter)?.[where];
  if (meaning === undefined || meaning === '') throw new Error(`the escape \\${letter} is not supported here`);
  return [rest.slice(0, 2), meaning];
}

/** Escaped punctuation stands for itself. */
function plain(punctuation: string): string {
  if (punctuation === '') throw new Error('the pattern ends in a backslash');
  return /[\^$\\.*+?()[\]{}|/]/.test(punctuation) ? `\\${punctuation}` : punctuation === '-' ? '\\x2d' : punctuation;
}
