/**
 * The allowed time of a landing: the group of each file of tests on real servers, and its seconds
 * on an ordinary host. Data are in `budget.json`. Pure: data in, findings out.
 */
import { createHash } from 'node:crypto';
import { withinSeconds } from './affected.ts';
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
  /**
   * At which landings a file of group `release` runs: at those whose count leaves this remainder
   * divided by {@link turns}. It is written down, so new seconds of other files do not move it.
   */
  readonly turn?: number | undefined;
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

const groups: readonly Group[] = ['landing', 'affected', 'release'];

/** The longest that a file of each landing may take. */
const mostSeconds = 60;

/** After this number of landings, all files of group `release` have run. */
export const turns = 6;

/** A turn may take this much more than a sixth of the limit of group `release`. */
const turnSlack = 1.25;

/**
 * The errors of a budget: each file of tests on real servers must have one entry, each file of
 * group `release` a turn, and each group and turn must be within its limit.
 */
export function budgetProblems(budget: Budget, envtests: readonly string[]): readonly string[] {
  const known = new Set(envtests);
  const missing = envtests.filter((path) => budget.envtests[path] === undefined);
  const entries = Object.entries(budget.envtests);
  const limits = groups.map((group) => ({
    name: `group ${group}`,
    files: entries.filter(([, entry]) => entry.group === group),
    limit: budget.groups[group],
  }));
  const turnLimits = Array.from({ length: turns }, (_, turn) => ({
    name: `turn ${turn} of group release`,
    files: entries.filter(([, entry]) => entry.turn === turn),
    limit: Math.round((budget.groups.release / turns) * turnSlack),
  }));
  const numbers = { loopSeconds: budget.loopSeconds, ...budget.groups };
  return [
    ...Object.entries(numbers)
      .filter(([, value]) => !isTime(value))
      .map(([name]) => `${name} in scripts/landing/budget.json must be a number above 0`),
    ...missing.map((path) => `${path}: no entry in scripts/landing/budget.json: add its group and its seconds`),
    ...entries.flatMap(([path, entry]) => entryProblem(path, entry, known) ?? []),
    ...[...limits, ...turnLimits].flatMap(({ name, files, limit }) => {
      const sum = files.reduce((total, [, { seconds }]) => total + seconds, 0);
      return sum <= limit ? [] : [`${name}: its files take ${sum} s together, and the limit is ${limit} s`];
    }),
  ];
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

/**
 * The errors of `last.json`: with another count no file has its turn, and another name than that of
 * a commit moves on, so that nothing has changed since.
 */
export function lastProblems({
  turn,
  commit,
}: {
  readonly turn: unknown;
  readonly commit: unknown;
}): readonly string[] {
  return [
    ...(Number.isInteger(turn) && Number(turn) >= 0 ? [] : ['turn in scripts/landing/last.json must count landings']),
    ...(/^[0-9a-f]{40,64}$/.test(String(commit)) ? [] : ['commit in scripts/landing/last.json must be a whole hash']),
  ];
}

/** Files that the two suites find. */
const found = /^(?:(?:packages\/[^/]+\/src|scripts|bench)\/.*|examples\/.*(?<!\.envtest))\.test\.ts$/;

/** The errors of files that look like tests, and that no suite finds. */
export function strayTests(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => /\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path) && !found.test(path))
    .map(
      (path) => `${path}: no suite runs it: vitest.config.ts and vitest.envtest.config.ts name folders and *.test.ts`,
    );
}

/**
 * The content of `last.json` when work begins at a commit; undefined if work has begun there
 * already, for a landing that is counted twice skips the files of one turn.
 */
export function nextLanding(
  last: { readonly turn: number; readonly commit: string },
  head: string,
): { readonly turn: number; readonly commit: string } | undefined {
  return last.commit === head ? undefined : { turn: last.turn + 1, commit: head };
}

function entryProblem(
  path: string,
  { group, seconds, turn, why }: FileBudget,
  known: ReadonlySet<string>,
): string | undefined {
  if (!known.has(path)) return `${path}: has an entry in scripts/landing/budget.json, and does not exist`;
  if (!groups.includes(group)) return `${path}: no group ${JSON.stringify(group)}: it is one of ${groups.join(', ')}`;
  if (!isTime(seconds)) return `${path}: its seconds in scripts/landing/budget.json must be a number above 0`;
  if (group === 'release')
    return turn !== undefined && Number.isInteger(turn) && turn >= 0 && turn < turns
      ? undefined
      : `${path}: a file of group release needs a turn from 0 to ${turns - 1} in scripts/landing/budget.json`;
  if (turn !== undefined) return `${path}: has a turn, which only files of group release have`;
  if (seconds <= mostSeconds || why !== undefined) return undefined;
  return `${path}: ${seconds} s in group ${group}, where a file may take ${mostSeconds} s: split it, or move it to release`;
}

/** A file that runs at a landing, and why; or one that was edited, and does not run. */
export interface ChosenFile {
  readonly path: string;
  readonly why: 'each landing' | 'affected' | 'turn' | 'edited' | 'edited, and runs only at its turn';
}

/** The time of files of group `release` that a landing runs because they were edited. */
const editedSeconds = 240;

/** What decides which files on real servers run at a landing. */
export interface LandingChange {
  readonly affected: ReadonlySet<string>;
  /** Files that the change touches. */
  readonly edited: ReadonlySet<string>;
  /** Counts landings: after {@link turns} of them every file has run. */
  readonly landing: number;
}

/**
 * The files on real servers of one landing. Edited files of group `release` run too, the shortest
 * first, until {@link editedSeconds} are used.
 */
export function filesOfLanding(budget: Budget, change: LandingChange): readonly ChosenFile[] {
  const { affected, edited, landing } = change;
  const isTurn = (turn: number | undefined) => turn === landing % turns;
  const early = Object.entries(budget.envtests)
    .filter(([path, { group, turn }]) => group === 'release' && edited.has(path) && !isTurn(turn))
    .map(([path]) => ({ path, steps: 0 }));
  const { fit } = withinSeconds(early, (path) => budget.envtests[path]?.seconds ?? 0, editedSeconds);
  return Object.entries(budget.envtests).flatMap(([path, { group, turn }]): readonly ChosenFile[] => {
    if (group === 'landing') return [{ path, why: 'each landing' }];
    if (group === 'affected') return affected.has(path) ? [{ path, why: 'affected' }] : [];
    if (isTurn(turn)) return [{ path, why: 'turn' }];
    if (!edited.has(path)) return [];
    return [{ path, why: fit.includes(path) ? 'edited' : 'edited, and runs only at its turn' }];
  });
}

/** Whether a file has its turn at a landing, by a hash of its path: other files do not move it. */
export function hasTurn(path: string, landing: number): boolean {
  return createHash('sha256').update(path).digest().readUInt32BE() % turns === landing % turns;
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

/**
 * The times of files vary by this much without a cause: the start of API servers beside the work of
 * another file.
 */
const slackSeconds = 40;

/** From this many files on, their times show how slow the host is. */
const enoughFiles = 10;
const slowestHost = 3;

/**
 * How much slower than an ordinary host a run was, by its own files: the median of their times in
 * shares of their budgets. 1 where they are too few. A loop alone does not show how slow a host
 * starts processes and shares two processors among servers. At most 3, by which hosts differ: what
 * slows all files down further is reported.
 */
export function slownessOfFiles(budgets: Readonly<Record<string, number>>, files: readonly FileTime[]): number {
  const shares = files
    .flatMap(({ path, seconds }) => (budgets[path] === undefined ? [] : [seconds / budgets[path]]))
    .toSorted((a, b) => a - b);
  if (shares.length < enoughFiles) return 1;
  return Math.min(slowestHost, shares[Math.floor(shares.length / 2)] ?? 1);
}

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
