import { describe, expect, it } from 'vitest';
import { filesToRepeat, flakyCases, flakyProblems, mostRepeated, withFlaky } from './flaky.ts';

const failed = (path: string, ...titles: readonly string[]) => ({
  path,
  cases: titles.map((title) => ({ title, failure: 'expected 1\nat line 3' })),
});

describe('files that failed', () => {
  it('run again, at most three of them', () => {
    const files = Array.from({ length: mostRepeated + 1 }, (_, nth) => failed(`${nth}.test.ts`, 'fails'));
    expect(filesToRepeat(files.slice(1))).toEqual(['1.test.ts', '2.test.ts', '3.test.ts']);
    expect(filesToRepeat(files)).toEqual([]);
  });

  it('do not run again after an error outside of them', () => {
    expect(filesToRepeat([failed('a.test.ts', 'fails')], 1)).toEqual([]);
  });

  it('are flaky if they pass alone, with the cases that failed before', () => {
    const files = [failed('a.test.ts', 'one', 'two'), failed('b.test.ts', 'three'), failed('c.test.ts')];
    expect(flakyCases(files, new Set(['a.test.ts', 'c.test.ts']))).toEqual([
      { path: 'a.test.ts', title: 'one', failure: 'expected 1' },
      { path: 'a.test.ts', title: 'two', failure: 'expected 1' },
      { path: 'c.test.ts', title: '(set-up of the file)', failure: '' },
    ]);
  });
});

describe('the list of flaky cases', () => {
  const flaky = (title: string) => ({ path: 'a.test.ts', title, failure: '' });

  it('has each case once', () => {
    expect(withFlaky([flaky('one')], [flaky('one'), flaky('two')])).toEqual([flaky('one'), flaky('two')]);
  });

  it('may not grow beyond five, and names no file that is gone', () => {
    const five = ['1', '2', '3', '4', '5'].map(flaky);
    expect(flakyProblems(five, new Set(['a.test.ts']))).toEqual([]);
    expect(flakyProblems([...five, flaky('6')], new Set(['a.test.ts']))).toEqual([expect.stringContaining('6 cases')]);
    expect(flakyProblems(five.slice(4), new Set())).toEqual([expect.stringContaining('a.test.ts does not exist')]);
  });
});
