/**
 * The allowed time of a landing: the group of each file of tests on real servers, and its seconds
 * on an ordinary host. Data are in `budget.json`. Pure: data in, findings out.
 */
import type { FileTime } from './times.ts';

/**
 * When a file runs.
 * - `landing`: at each landing.
 * - `affected`: at a landing that changes something that the file needs.
 * - `release`: before a release, and a sixth of these files at each landing.
 */
export type Group = 'landing' | 'affected' | 'release';

/** The allowed time of one file. */
interface FileBudget {
  readonly group: Group;
  readonly seconds: number;
  /** Why a file of each landing takes longer than {@link mostSeconds}. */
  readonly why?: string | undefined;
}

/**
 * The content of `budget.json`. Seconds are those of an ordinary host, on which the calibration
 * loop takes {@link Budget.loopSeconds}.
 */
export interface Budget {
  readonly loopSeconds: number;
  /** The limit of each group: the sum of its files. */
  readonly groups: Readonly<Record<Group | 'unit', number>>;
  /** The files of tests on real servers. */
  readonly envtests: Readonly<Record<string, FileBudget>>;
}

/** The longest that a file of each landing may take. */
const mostSeconds = 60;

/** After this number of landings, all files of group `release` have run. */
export const turns = 6;

/**
 * The errors of a budget: each file of tests on real servers must have one entry, and each group
 * must be within its limit.
 */
export function budgetProblems(budget: Budget, envtests: readonly string[]): readonly string[] {
  const known = new Set(envtests);
  const missing = envtests.filter((path) => budget.envtests[path] === undefined);
  const entries = Object.entries(budget.envtests);
  return [
    ...missing.map((path) => `${path}: no entry in scripts/landing/budget.json: add its group and its seconds`),
    ...entries.flatMap(([path, { group, seconds, why }]) => {
      if (!known.has(path)) return [`${path}: has an entry in scripts/landing/budget.json, and does not exist`];
      if (group === 'release' || seconds <= mostSeconds || why !== undefined) return [];
      return [
        `${path}: ${seconds} s in group ${group}, where a file may take ${mostSeconds} s: split it, or move it to release`,
      ];
    }),
    ...(['landing', 'affected', 'release'] as const).flatMap((group) => {
      const sum = sumOf(entries.filter(([, entry]) => entry.group === group).map(([, entry]) => entry.seconds));
      const limit = budget.groups[group];
      return sum <= limit ? [] : [`group ${group}: its files take ${sum} s together, and the limit is ${limit} s`];
    }),
  ];
}

/** A file that runs at a landing, and why. */
export interface ChosenFile {
  readonly path: string;
  readonly why: 'each landing' | 'affected' | 'turn';
}

/**
 * The files on real servers of one landing. `turn` counts landings: after {@link turns} of them
 * every file has run.
 */
export function filesOfLanding(budget: Budget, affected: ReadonlySet<string>, turn: number): readonly ChosenFile[] {
  const entries = Object.entries(budget.envtests);
  const ofTurn = new Set(
    shareOfTurn(
      entries.filter(([, { group }]) => group === 'release').map(([path, { seconds }]) => ({ path, seconds })),
      turn,
    ),
  );
  return entries.flatMap(([path, { group }]): readonly ChosenFile[] => {
    if (group === 'landing') return [{ path, why: 'each landing' }];
    if (group === 'affected') return affected.has(path) ? [{ path, why: 'affected' }] : [];
    return ofTurn.has(path) ? [{ path, why: 'turn' }] : [];
  });
}

/** The share of one turn: the shares are disjoint, contain every file, and take similar times. */
export function shareOfTurn(files: readonly FileTime[], turn: number): readonly string[] {
  const shares = Array.from({ length: turns }, () => ({ seconds: 0, paths: [] as string[] }));
  // The longest first, each to the share with the least time so far.
  for (const { path, seconds } of files.toSorted((a, b) => b.seconds - a.seconds || (a.path < b.path ? -1 : 1))) {
    const least = shares.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    least.seconds += seconds;
    least.paths.push(path);
  }
  return shares[turn % turns]?.paths ?? [];
}

/** The time of a file or group beside its budget. Both in seconds of an ordinary host. */
export interface Overrun {
  readonly name: string;
  readonly seconds: number;
  readonly budget: number;
}

export interface TimeVerdict {
  /** More than a quarter over the budget. */
  readonly warnings: readonly Overrun[];
  /** More than twice the budget. */
  readonly failures: readonly Overrun[];
}

/** The times of short files vary by this much without a cause. */
const slackSeconds = 10;

/** The allowed time of each file of tests on real servers. */
export function secondsOf({ envtests }: Budget): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(envtests).map(([path, { seconds }]) => [path, seconds]));
}

/**
 * Compares times with their budgets, by name. `slowness`: how much slower than an ordinary host
 * this one is, from the calibration loop. Files without a budget are not compared; `npm run check`
 * names them.
 */
export function compareTimes(
  budgets: Readonly<Record<string, number>>,
  files: readonly FileTime[],
  slowness: number,
): TimeVerdict {
  const known = files.flatMap(({ path, seconds }) => {
    const budget = budgets[path];
    return budget === undefined ? [] : [{ name: path, seconds: seconds / slowness, budget }];
  });
  const over = (share: number) => known.filter(({ seconds, budget }) => seconds > budget * share + slackSeconds);
  const failures = over(2);
  return { warnings: over(1.25).filter((one) => !failures.includes(one)), failures };
}

/** One line about an overrun. */
export function overrunText({ name, seconds, budget }: Overrun): string {
  return `${name}: ${seconds.toFixed(1)} s of an ordinary host, and its budget is ${budget} s`;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
