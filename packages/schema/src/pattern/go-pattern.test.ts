import { describe, expect, it } from 'vitest';
import { goPatternProblem } from './go-pattern.ts';

/** Told by a real 1.36, of patterns in definitions. */
const refused: readonly (readonly [pattern: string, what: string, where: string])[] = [
  ['(', 'missing closing )', '('],
  ['a(b(c)', 'missing closing )', 'a(b(c)'],
  [')', 'unexpected )', ')'],
  ['[', 'missing closing ]', '['],
  ['[a', 'missing closing ]', '[a'],
  ['*', 'missing argument to repetition operator', '*'],
  ['?', 'missing argument to repetition operator', '?'],
  ['+', 'missing argument to repetition operator', '+'],
  ['(*)', 'missing argument to repetition operator', '*'],
  ['a|*', 'missing argument to repetition operator', '*'],
  ['a**', 'invalid nested repetition operator', '**'],
  ['a+*', 'invalid nested repetition operator', '+*'],
  ['x{2}{3}', 'invalid nested repetition operator', '{2}{3}'],
  ['a{2,1}', 'invalid repeat count', '{2,1}'],
  ['a{1001}', 'invalid repeat count', '{1001}'],
  ['\\', 'trailing backslash at end of expression', ''],
  ['\\8', 'invalid escape sequence', '\\8'],
  ['[b-a]', 'invalid character class range', 'b-a'],
  ['[[:foo:]]', 'invalid character class range', '[:foo:]'],
  ['(?P<n', 'invalid named capture', '(?P<n'],
  ['(?<a', 'invalid named capture', '(?<a'],
  ['(?=a)', 'invalid or unsupported Perl syntax', '(?='],
  ['(?i', 'invalid or unsupported Perl syntax', '(?i'],
  ['(?z)', 'invalid or unsupported Perl syntax', '(?z'],
];

const accepted = [
  '',
  '^[a-z]([-a-z0-9]*[a-z0-9])?$',
  '^\\d+(\\.\\d+)?$',
  'a*?b{2}?',
  '[]a]',
  '[^]a]',
  '[[:alpha:]_]+',
  '(?i)a',
  '(?:a|b)+',
  '(?P<1>a)',
  '\\(',
  '[(]',
];

describe('goPatternProblem', () => {
  it.each(refused)('says why Go cannot read %s', (pattern, what, where) => {
    expect(goPatternProblem(pattern)).toBe(`error parsing regexp: ${what}: \`${where}\``);
  });

  it.each(accepted)('finds nothing wrong with %s', (pattern) => {
    expect(goPatternProblem(pattern)).toBeUndefined();
  });
});
