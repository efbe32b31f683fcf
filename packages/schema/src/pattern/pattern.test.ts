import { describe, expect, it } from 'vitest';
import { compilePattern, patternProblem } from './pattern.ts';
import { patternCases } from '../testing/text-cases.ts';

describe('patterns of the API server, read by JavaScript', () => {
  it.each(patternCases)('%s', (pattern, matching, others) => {
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
