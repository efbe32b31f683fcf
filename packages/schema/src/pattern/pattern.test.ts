import { describe, expect, it } from 'vitest';
import { compilePattern, patternProblem } from './pattern.ts';
import { patternCases } from '../testing/text-cases.ts';

describe('patterns of the API server', () => {
  it.each(patternCases)('%s matches what the server matches', (pattern, matching, others) => {
    const expression = compilePattern(pattern);
    for (const text of matching) expect(expression.test(text), text).toBe(true);
    for (const text of others) expect(expression.test(text), text).toBe(false);
  });

  it.each([
    ['a+', 'baaa', 'aaa'],
    ['a+?', 'baaa', 'a'],
    ['a|ab', 'ab', 'a'],
    ['(?:a|ab)(?:c|bcd)', 'abcd', 'abcd'],
    ['(?U)a{2,3}', 'aaaa', 'aa'],
    ['(?i:A)b', 'ab', 'ab'],
    ['x*', 'aaa', ''],
    ['b$', 'a😀b', 'b'],
  ])('%s finds in %s the leftmost match, as Go would: %j', (pattern, text, found) => {
    const { start = 0, end = 0 } = compilePattern(pattern).find(text, 0) ?? {};
    expect(text.slice(start, end)).toBe(found);
  });

  it.each([
    '[\\w-_]',
    '^a(?i)b$',
    '^(?i)a$',
    '\\p{Greek}',
    '\\Qa.b\\E',
    '(?U)a+',
    '\\07',
    '^[\\w-./]+$',
    '[[:word:]]',
    '(?P<n>a)',
    '(?s:.)',
  ])('%s is read, as Go reads it', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });

  it('finds the next match after an offset, and looks at the text before it', () => {
    const letters = compilePattern('^a|\\bb|c');
    expect(letters.find('abc', 0)).toEqual({ start: 0, end: 1 });
    expect(letters.find('abc', 1)).toEqual({ start: 2, end: 3 });
    expect(letters.find('abc', 3)).toBeUndefined();
  });
});

describe('a pattern that the server cannot read', () => {
  /** As a real 1.36 words it, of patterns in definitions. */
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
    ['(a)\\1', 'invalid escape sequence', '\\1'],
    ['[\\b]', 'invalid escape sequence', '\\b'],
    ['[b-a]', 'invalid character class range', 'b-a'],
    ['[[:foo:]]', 'invalid character class range', '[:foo:]'],
    ['\\p{Foo}', 'invalid character class range', '\\p{Foo}'],
    ['(?P<n', 'invalid named capture', '(?P<n'],
    ['(?<a', 'invalid named capture', '(?<a'],
    ['(?=a)', 'invalid or unsupported Perl syntax', '(?='],
    ['(?<!a)', 'invalid named capture', '(?<!a)'],
    ['(?i', 'invalid or unsupported Perl syntax', '(?i'],
    ['(?z)', 'invalid or unsupported Perl syntax', '(?z'],
  ];

  it.each(refused)('%s is rejected in its words', (pattern, what, where) => {
    expect(patternProblem(pattern)).toBe(`error parsing regexp: ${what}: \`${where}\``);
    expect(() => compilePattern(pattern)).toThrow(what);
  });

  it('is one that would fill the memory', () => {
    expect(patternProblem('((a{100}){100}){100}')).toContain('invalid repeat count');
    expect(patternProblem('('.repeat(1_001) + ')'.repeat(1_001))).toContain('expression nests too deeply');
  });
});

describe('a pattern is read in a bounded time', () => {
  const twice = '(?P<n>x)(?P<n>y)';

  it.each([
    ['classes and no end', `${twice}[${'\\p{L}'.repeat(60)}\\`, 'trailing backslash'],
    ['names and no end', twice + '\\p{'.repeat(10_000), 'invalid character class range'],
    ['names in brackets and no end', twice + '[\\p{'.repeat(8_000), 'invalid character class range'],
    ['classes of POSIX and no end', `${twice}[${'[:alpha:'.repeat(4_000)}`, 'missing closing ]'],
    ['more characters than anybody writes', '('.repeat(500_000), 'expression too large'],
    ['repetitions that are millions of characters', 'x{1000}'.repeat(4_000), 'expression too large'],
    ['repetitions of groups', '(?:[a-z]{10}(\\pL{5}){10}){20}'.repeat(100), 'expression too large'],
  ])('that has %s', (_, pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem);
  });

  it('and means the same with groups of one name as without', () => {
    const classes = [
      '[[:^alpha:]\\p{Greek}\\]]',
      '[]\\p{^Lu}]',
      '\\Q[\\E[\\pL]',
      '[^\\p{ greek }x]',
      '\\P{Uppercase_Letter}',
    ];
    for (const each of classes) {
      const [plain, named] = [compilePattern(`^${each}$`), compilePattern(`^${each}$|${twice}`)];
      for (const text of ['a', 'A', 'α', ']', '[a', '[1', '1', 'x', '\\'])
        expect(named.test(text), `${each} ${text}`).toBe(plain.test(text));
    }
  });
});

describe('a pattern that would take backtracking forever', () => {
  it.each([
    ['^(a+)+$', `${'a'.repeat(50_000)}!`],
    ['^(a|a)*$', `${'a'.repeat(50_000)}!`],
    ['^(a?){30}a{30}$', 'a'.repeat(29)],
    [`^${'a?'.repeat(30)}${'a'.repeat(30)}$`, 'a'.repeat(29)],
    ['a*a*a*a*b', 'a'.repeat(50_000)],
    ['\\s+$', `${' '.repeat(50_000)}x`],
    ['^([a-z]+\\.?)+@$', 'a'.repeat(50_000)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(5_000)],
    ['(?i)^(?:\\pL|\\PN)*[ab]\\pL{12}!$', 'ab'.repeat(10_000)],
    ['(?U)(x+x+)+y', 'x'.repeat(50_000)],
  ])('%s is matched in linear time', (pattern, text) => {
    const expression = compilePattern(pattern);
    expect(expression.test(text)).toBe(false);
    expect(expression.find(text, 0)).toBeUndefined();
  });
});
