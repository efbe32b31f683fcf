import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearMatcher } from './linear-pattern.ts';
import { compilePattern } from './pattern.ts';
import { patternTree } from './pattern-tree.ts';
import { patternCases } from '../testing/text-cases.ts';

const letters = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\.', 'é', '(?:)');
const edges = fc.constantFrom('^', '$', '\\b', '\\B', '(?<![^])', '(?![^])');
const signs = fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '??');
const { pattern: patterns } = fc.letrec<{ pattern: string; sequence: string; part: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((all) => all.join('|')),
  sequence: fc.array(tie('part'), { maxLength: 3 }).map((all) => all.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    letters,
    edges,
    fc.tuple(letters, signs).map((both) => both.join('')),
    fc.tuple(tie('pattern'), fc.oneof(signs, fc.constant(''))).map(([inner, sign]) => `(${inner})${sign}`),
  ),
}));
const texts = fc.array(fc.constantFrom('a', 'b', '.', '\n', ' ', 'é'), { maxLength: 8 }).map((all) => all.join(''));
const matcherOf = (source: string, flags = '') => linearMatcher(patternTree(source, flags).root);

describe('matching in linear time', () => {
  it('finds a match where JavaScript finds it', () => {
    fc.assert(
      fc.property(patterns, texts, fc.constantFrom('', 's', 'i'), (source, text, flags) => {
        const found = new RegExp(source, `u${flags}`).exec(text)?.index;
        expect(matcherOf(source, flags)(text, 0, false)?.start).toBe(found);
        expect(matcherOf(source, flags)(text, 0, true) !== undefined).toBe(found !== undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a+', 'baaa', 'aaa'],
    ['a+?', 'baaa', 'a'],
    ['a|ab', 'ab', 'a'],
    ['(?:a|ab)(?:c|bcd)', 'abcd', 'abcd'],
    ['a{2,3}', 'aaaa', 'aaa'],
    ['(?i:A)b', 'ab', 'ab'],
    ['x*', 'aaa', ''],
  ])('%s finds in %s what backtracking finds: %j', (source, text, found) => {
    expect(new RegExp(source, 'u').exec(text)?.[0]).toBe(found);
    const { start = 0, end = 0 } = matcherOf(source)(text, 0, false) ?? {};
    expect(text.slice(start, end)).toBe(found);
  });

  it.each(patternCases)('judges %s as the server does, however long the text', (pattern, right, wrong) => {
    // A choice within a repetition is matched in linear time, and changes nothing here.
    const [flags = ''] = /^\(\?[is]\)/.exec(pattern) ?? [];
    const expression = compilePattern(`${flags}(?:(?:${pattern.slice(flags.length)})|[^\\x00-\\x{10FFFF}]){1,2}`);
    for (const text of right) expect(expression.test(text), text).toBe(true);
    for (const text of wrong) expect(expression.test(text), text).toBe(false);
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
  ])('%s does not', (pattern, text) => {
    expect(compilePattern(pattern).test(text)).toBe(false);
  });

  it('is refused where it would fill the memory', () => {
    expect(() => compilePattern('((a{100}){100}){100}')).toThrow('invalid repeat count');
    expect(() => compilePattern('('.repeat(1_001) + ')'.repeat(1_001))).toThrow('expression nests too deeply');
    expect(() => compilePattern(`(${'a'.repeat(300)}){1000}`)).toThrow('expression too large');
  });
});
