import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { equivalents } from './equivalents.ts';
import type { Judged, Outcome } from './score.ts';
import { describeScores, outdated, scoreOf } from './score.ts';

const judged = (file: string, outcome: Outcome, line = 1): Judged => ({
  file,
  outcome,
  line,
  content: 'if (a < b) {',
  change: 'a < b -> a <= b',
});

describe('the score', () => {
  it('is the share of the killed of those that matter', () => {
    const all = [judged('a.ts', 'killed'), judged('a.ts', 'survived'), judged('a.ts', 'unreached')];
    expect(scoreOf([...all, judged('a.ts', 'equivalent')])).toBe(1 / 3);
    expect(scoreOf([])).toBe(1);
  });

  it('is printed for each file, after the survivors', () => {
    const all = [
      judged('a.ts', 'killed', 3),
      judged('a.ts', 'survived', 4),
      judged('longer.ts', 'unreached', 5),
      judged('longer.ts', 'equivalent', 6),
    ];
    expect(describeScores(all)).toBe(
      [
        'survivors:',
        'a.ts:4: a < b -> a <= b',
        'longer.ts:5: a < b -> a <= b  (no test reaches it)',
        '',
        'file       mutants  killed  survived  equivalent  score',
        'a.ts       2        1       1         0           50.0 %',
        'longer.ts  2        0       1         1           0.0 %',
        'all        4        1       2         1           33.3 %',
      ].join('\n'),
    );
  });
});

describe('an entry for a mutant that is equivalent', () => {
  const entry = { file: 'a.ts', line: 'if (a < b) {', change: 'a < b -> a <= b', reason: 'they are never equal' };
  const { line, content, change } = judged('a.ts', 'survived');
  const mutants = new Map([['a.ts', [{ line, content, change }]]]);

  it('is outdated where its file has no such mutant any more', () => {
    expect(outdated([entry], mutants)).toEqual([]);
    expect(outdated([{ ...entry, line: 'if (a < c) {' }], mutants)).toEqual([
      'a.ts has no mutant any more that is a < b -> a <= b in: if (a < c) {',
    ]);
  });

  it('names a line that its file has', () => {
    const linesOf = (file: string) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.trim());
    expect(equivalents.filter((one) => !linesOf(one.file).includes(one.line))).toEqual([]);
  });

  it('is not looked for in files that are not run', () => {
    expect(outdated([{ ...entry, file: 'b.ts' }], mutants)).toEqual([]);
  });
});
