import { errorMessage } from '@isthmus/machinery';
import { RE2JS } from 're2js';
import { withGoNames } from './go-names.ts';

/** The place of a match: UTF-16 offsets; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A pattern that is ready for use. Matching takes time that grows with the text times the pattern,
 * whatever they are.
 */
export interface Pattern {
  /** The number of steps that the search may take for each character of a text, roughly. */
  readonly size: number;
  test(text: string): boolean;
  /** The leftmost match at or after an offset. */
  find(text: string, from: number): Span | undefined;
}

/**
 * The longest pattern, in characters. The API server has no limit. But reading takes up to the
 * square of the length, and patterns in practice are far shorter.
 */
const longestPattern = 32_768;
/**
 * With repetitions written out (`x{1000}` a thousand times): reading takes seven microseconds and
 * 600 bytes of memory for each.
 */
const largestPattern = 50_000;

/**
 * Reads a pattern as the API server does, whose dialect is that of Go's `regexp` (RE2).
 *
 * Errors: throws with Go's text for a pattern that Go cannot read, or for which {@link
 * isPatternTooLarge} is true.
 */
export function compilePattern(pattern: string): Pattern {
  const compiled = compile(pattern);
  return {
    size: compiled.programSize(),
    test: (text) => compiled.test(text),
    find: (text, from) => {
      const matcher = compiled.matcher(text);
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  };
}

/** Whether a pattern is too large to be read here, so that only the API server can judge it. */
export function isPatternTooLarge(pattern: string): boolean {
  return pattern.length > longestPattern || writtenOut(pattern) > largestPattern;
}

/**
 * Parts of a pattern that match one character, operators, and how often the part before is
 * repeated.
 */
const parts = /\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(?<least>\d+)(?:,(?<most>\d*))?\}|./gsu;

/**
 * More than that, repetitions within repetitions counted, is an error of its own, which is found
 * without writing them out.
 */
const mostRepetitions = 1_000;

interface WrittenOut {
  readonly size: number;
  /** How often something in it is repeated. */
  readonly repetitions: number;
}

/** How many characters a pattern has, roughly, where repetitions are written out. */
function writtenOut(pattern: string): number {
  const open: WrittenOut[] = [];
  const single: WrittenOut = { size: 1, repetitions: 1 };
  let all: WrittenOut = { size: 0, repetitions: 1 };
  let last = single;
  const add = (one: WrittenOut, to: WrittenOut): WrittenOut => ({
    size: to.size + one.size,
    repetitions: Math.max(to.repetitions, one.repetitions),
  });
  for (const { 0: part, groups } of pattern.matchAll(parts)) {
    if (part === '(') {
      open.push(all);
      all = { size: 0, repetitions: 1 };
    } else if (part === ')') {
      last = all;
      all = add(last, open.pop() ?? { size: 0, repetitions: 1 });
    } else if (groups?.['least'] !== undefined) {
      const times = Math.max(Number(groups['least']), Number(groups['most'] ?? 0), 1);
      const repeated = { size: last.size * times, repetitions: last.repetitions * times };
      if (repeated.repetitions > mostRepetitions) return 0;
      all = add(repeated, { ...all, size: all.size - last.size });
      last = repeated;
    } else {
      last = single;
      all = add(last, all);
    }
  }
  return open.reduce((sum, { size }) => sum + size, all.size);
}

/** Why the API server cannot read a pattern, in its words, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function compile(pattern: string): RE2JS {
  if (isPatternTooLarge(pattern)) throw new Error('error parsing regexp: expression too large');
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const why = errorMessage(error);
    // Go quotes the unreadable part even if it is empty.
    if (why.endsWith('trailing backslash at end of expression')) throw new Error(`${why}: \`\``, { cause: error });
    if (!/duplicate capture group name|invalid character class range: `\\[pP]\{/.test(why)) throw error;
    return RE2JS.compile(withGoNames(pattern));
  }
}
