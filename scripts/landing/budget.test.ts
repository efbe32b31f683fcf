import { describe, expect, it } from 'vitest';
import {
  budgetProblems,
  compareTimes,
  filesOfLanding,
  hasTurn,
  lastProblems,
  nextLanding,
  slownessOfFiles,
  strayTests,
  turns,
} from './budget.ts';
import type { Budget } from './budget.ts';
import { readBudget } from './data.ts';

const budget: Budget = {
  loopSeconds: 1,
  groups: { landing: 40, affected: 200, release: 1000, unit: 90 },
  envtests: {
    'a.envtest.test.ts': { group: 'landing', seconds: 20 },
    'b.envtest.test.ts': { group: 'affected', seconds: 60 },
    'c.envtest.test.ts': { group: 'release', seconds: 100, turn: 0 },
  },
};
const paths = Object.keys(budget.envtests);
const withEntry = (group: 'landing' | 'affected' | 'release', seconds: number, turn?: number): Budget => ({
  ...budget,
  envtests: { ...budget.envtests, 'd.envtest.test.ts': { group, seconds, turn } },
});

describe('a budget', () => {
  it('has no problem where every file has an entry and every group keeps its limit', () => {
    expect(budgetProblems(budget, paths)).toEqual([]);
  });

  it.each([
    ['a file without an entry', budget, [...paths, 'd.envtest.test.ts'], 'd.envtest.test.ts: no entry'],
    ['an entry without a file', budget, paths.slice(1), 'a.envtest.test.ts: has an entry'],
    ['a long file at landings', withEntry('affected', 61), [...paths, 'd.envtest.test.ts'], '61 s in group affected'],
    [
      'a group over its limit',
      withEntry('landing', 30),
      [...paths, 'd.envtest.test.ts'],
      'group landing: its files take 50 s',
    ],
    ['a file of a release without a turn', withEntry('release', 90), [...paths, 'd.envtest.test.ts'], 'needs a turn'],
    ['a turn that never comes', withEntry('release', 90, 6), [...paths, 'd.envtest.test.ts'], 'a turn from 0 to 5'],
    ['a turn in another group', withEntry('landing', 5, 1), [...paths, 'd.envtest.test.ts'], 'has a turn, which only'],
    ['a turn between two', withEntry('release', 90, 1.5), [...paths, 'd.envtest.test.ts'], 'a turn from 0 to 5'],
    [
      'a group that never runs',
      withEntry('never' as 'landing', 5),
      [...paths, 'd.envtest.test.ts'],
      'd.envtest.test.ts: no group "never"',
    ],
    ['a time below 0', withEntry('landing', -5), [...paths, 'd.envtest.test.ts'], 'its seconds'],
    ['a time that is no number', withEntry('landing', null as never), [...paths, 'd.envtest.test.ts'], 'its seconds'],
    ['a loop that takes no time', { ...budget, loopSeconds: 0 }, paths, 'loopSeconds'],
    [
      'a turn over its share',
      withEntry('release', 109, 0),
      [...paths, 'd.envtest.test.ts'],
      'turn 0 of group release: its files take 209 s together, and the limit is 208 s',
    ],
  ])('names %s', (_, of, files, problem) => {
    expect(budgetProblems(of, files)).toEqual([expect.stringContaining(problem)]);
  });

  it('lets a file take longer at each landing if its entry gives the reason', () => {
    const entry = { group: 'landing', seconds: 110, why: 'the sandbox stands for real servers elsewhere' } as const;
    const of = {
      ...budget,
      groups: { ...budget.groups, landing: 200 },
      envtests: { ...budget.envtests, 'd.envtest.test.ts': entry },
    };
    expect(budgetProblems(of, [...paths, 'd.envtest.test.ts'])).toEqual([]);
  });

  it('lets a file that runs before releases only take longer', () => {
    expect(budgetProblems(withEntry('release', 200, 1), [...paths, 'd.envtest.test.ts'])).toEqual([]);
  });
});

describe('the files of a landing', () => {
  const chosen = (affected: readonly string[], landing: number, edited: readonly string[] = []) =>
    filesOfLanding(budget, { affected: new Set(affected), edited: new Set(edited), landing }).map(
      ({ path, why }) => `${path[0]} ${why}`,
    );

  it('are those of each landing, those that are affected, and those whose turn it is', () => {
    expect(chosen([], 1)).toEqual(['a each landing']);
    expect(chosen(['b.envtest.test.ts', 'c.envtest.test.ts'], 1)).toEqual(['a each landing', 'b affected']);
    expect(chosen([], turns)).toEqual(['a each landing', 'c turn']);
  });

  it('are also those of a release that were edited, as far as their time allows', () => {
    expect(chosen([], 1, ['c.envtest.test.ts'])).toEqual(['a each landing', 'c edited']);
    expect(chosen([], turns, ['c.envtest.test.ts'])).toEqual(['a each landing', 'c turn']);
    const long = { group: 'release', seconds: 200, turn: 0 } as const;
    const two = { ...budget, envtests: { x: long, y: long } };
    expect(filesOfLanding(two, { affected: new Set(), edited: new Set(['x', 'y']), landing: 1 })).toEqual([
      { path: 'x', why: 'edited' },
      { path: 'y', why: 'edited, and runs only at its turn' },
    ]);
  });

  it('contain every file of a release once in six landings, in shares that take about as long as each other', () => {
    const real = readBudget();
    const shares = Array.from({ length: turns }, (_, turn) =>
      filesOfLanding(real, { affected: new Set(), edited: new Set(), landing: turn + 12 }).filter(
        ({ why }) => why === 'turn',
      ),
    );
    const ofRelease = Object.keys(real.envtests).filter((path) => real.envtests[path]?.group === 'release');
    expect(
      shares
        .flat()
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(ofRelease.toSorted());
    const seconds = shares.map((share) =>
      share.reduce((sum, { path }) => sum + (real.envtests[path]?.seconds ?? 0), 0),
    );
    expect(Math.max(...seconds) / Math.min(...seconds)).toBeLessThan(1.5);
  });

  it('contain each sweep once in six landings, whichever others there are', () => {
    for (const path of ['a.test.ts', 'b.test.ts', 'c.test.ts']) {
      const landings = Array.from({ length: 2 * turns }, (_, landing) => landing).filter((landing) =>
        hasTurn(path, landing),
      );
      expect(landings).toHaveLength(2);
      expect((landings[1] ?? 0) - (landings[0] ?? 0)).toBe(turns);
    }
  });
});

describe('the times of a run', () => {
  const compared = (seconds: number, slowness = 1) => {
    const { warnings, failures } = compareTimes(
      { 'b.envtest.test.ts': 60 },
      [{ path: 'b.envtest.test.ts', seconds }],
      slowness,
    );
    return [warnings.length, failures.length];
  };

  it('are warned of beyond a quarter over the budget, and fail beyond twice the budget', () => {
    expect([115, 116, 160, 161].map((seconds) => compared(seconds))).toEqual([
      [0, 0],
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  it('count as seconds of an ordinary host', () => {
    expect(compared(345, 3)).toEqual([0, 0]);
    expect(compared(483, 3)).toEqual([0, 1]);
  });
});

it('takes the median of ten files as the speed of the host, and no fewer', () => {
  const files = Array.from({ length: 10 }, (_, index) => ({ path: `${index}`, seconds: index === 0 ? 90 : 6 + index }));
  const budgets = Object.fromEntries(files.map(({ path }) => [path, 5]));
  expect(slownessOfFiles(budgets, files)).toBeCloseTo(2.4);
  expect(slownessOfFiles(budgets, files.slice(1))).toBe(1);
  const four = files.map(({ path }) => ({ path, seconds: 20 }));
  expect(slownessOfFiles(budgets, four)).toBe(3);
});

it('names tests that no suite runs', () => {
  const stray = [
    'envtest/a.test.ts',
    'tools/a.test.ts',
    'packages/kit/a.test.ts',
    'examples/a.envtest.test.ts',
    'scripts/a.spec.ts',
    'scripts/a.test.mts',
  ];
  const found = [
    'packages/kit/src/a.test.ts',
    'packages/kit/src/deep/a.envtest.test.ts',
    'scripts/a.test.ts',
    'bench/a/b.envtest.test.ts',
    'examples/a.test.ts',
    'scripts/testing/a.ts',
  ];
  expect(strayTests([...stray, ...found])).toEqual(stray.map((path) => expect.stringContaining(path)));
});

describe('the last landing', () => {
  const commit = '97de7ed101d97e784f943c1606ba9663babea1a6';

  it('is a count and a commit', () => {
    expect(lastProblems({ turn: 0, commit })).toEqual([]);
  });

  it('is counted once, if its first command is given twice', () => {
    const next = nextLanding({ turn: 4, commit: 'before' }, commit);
    expect(next).toEqual({ turn: 5, commit });
    expect(nextLanding({ turn: 5, commit }, commit)).toBeUndefined();
  });

  it.each([
    [{ turn: 1.5, commit }, 'turn'],
    [{ turn: -1, commit }, 'turn'],
    [{ turn: '1', commit }, 'turn'],
    [{ turn: undefined, commit }, 'turn'],
    [{ turn: 1, commit: 'HEAD' }, 'commit'],
    [{ turn: 1, commit: '97de7ed' }, 'commit'],
    [{ turn: 1, commit: undefined }, 'commit'],
  ])('is not %j', (last, problem) => {
    expect(lastProblems(last)).toEqual([expect.stringContaining(problem)]);
  });
});
