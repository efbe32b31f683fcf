import { describe, expect, it } from 'vitest';
import { compilePattern, patternProblem } from './pattern.ts';

describe('patterns of the API server, read by JavaScript', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', ['a', 'a-b'], ['-a', 'A', 'a\nb', 'a\n']],
    ['^([a-z.]+/)?[-A-Za-z0-9_.]*$', ['x.y/Z_1', ''], ['a b']],
    ['(?i)^abc$', ['ABC'], ['abd']],
    ['(?s)a.b', ['a\nb'], ['ab']],
    ['\\Aa\\z', ['a'], ['ab', 'a\n']],
    ['(?P<first>a)b', ['ab'], ['b']],
    ['^[[:alpha:]_]+$', ['ab_'], ['a1']],
    ['^\\pL+$', ['é', 'ab'], ['1']],
    ['^[\\p{Lu}-]+$', ['A-B'], ['a']],
    ['^a\\-b\\_c\\@d\\/$', ['a-b_c@d/'], ['ab']],
    ['^[\\w\\-.]+$', ['a-b.c'], ['a b']],
    ['^[]a]+$', [']a'], ['b']],
    ['^[^]a]$', ['b'], [']']],
    ['^[[a]$', ['['], ['b']],
    ['^{a}$', ['{a}'], ['a']],
    ['^a{2,3}$', ['aa'], ['a']],
    ['^\\s$', [' ', '\t'], ['\u00a0', '\v']],
    ['^[\\s]$', [' '], ['\u00a0']],
    ['^\\x41\\x{1F600}$', ['A😀'], ['A']],
    ['^.$', ['😀'], ['ab']],
    ['^a|b$', ['ax', 'xb'], ['x']],
  ])('%s', (pattern, matching, others) => {
    const expression = compilePattern(pattern);
    for (const text of matching) expect(expression.test(text), text).toBe(true);
    for (const text of others) expect(expression.test(text), text).toBe(false);
  });

  it.each([
    ['(?=a)', 'look-around'],
    ['(?<!a)', 'look-around'],
    ['(a)\\1', '\\1'],
    ['\\Qa\\E', '\\Q'],
    ['[\\b]', '\\b'],
    ['(', ''],
    ['a**', ''],
    ['[z-a]', ''],
    ['a\\', 'backslash'],
    ['[[:nope:]]', '[:nope:]'],
  ])('%s is refused rather than misread', (pattern, why) => {
    expect(patternProblem(pattern)).toContain(why);
    expect(() => compilePattern(pattern)).toThrow();
  });
});
