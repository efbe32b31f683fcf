/**
 * The times of the files of a run of tests: the slowest, and the sum of each group. Pure: numbers
 * in, numbers and text out.
 */

/** A file of tests that ran. */
export interface FileTime {
  /** From the root of the repository. */
  readonly path: string;
  /** Loading, hooks and cases together. */
  readonly seconds: number;
}

/** The files of a run by group: packages, or the groups of a landing. */
export interface GroupTime {
  readonly group: string;
  readonly files: number;
  /** The sum of its files. Files run side by side, so a group ends earlier than after this time. */
  readonly seconds: number;
}

/**
 * The content of `times.json`: the newest time of each file that ran in this checkout, by suite.
 */
export type TimesFile = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The slowest files, the slowest first. */
export function slowest(files: readonly FileTime[], count: number): readonly FileTime[] {
  return files.toSorted((one, other) => other.seconds - one.seconds).slice(0, count);
}

/** The groups with the sums of their files' times, the longest first. */
export function groupTimes(files: readonly FileTime[], groupOf: (path: string) => string): readonly GroupTime[] {
  return [...Map.groupBy(files, ({ path }) => groupOf(path))]
    .map(([group, of]) => ({ group, files: of.length, seconds: sum(of) }))
    .toSorted((one, other) => other.seconds - one.seconds);
}

/**
 * The content of `times.json` after a run of one suite: files that did not run keep their times.
 */
export function withTimes(before: TimesFile, suite: string, files: readonly FileTime[]): TimesFile {
  const times = { ...before[suite], ...Object.fromEntries(files.map(({ path, seconds }) => [path, seconds])) };
  return { ...before, [suite]: times };
}

/** Lines for the end of a run. */
export function timesText(files: readonly FileTime[], groups: readonly GroupTime[], count: number): readonly string[] {
  const shown = slowest(files, count);
  return [
    `slowest ${shown.length} of ${files.length} files:`,
    ...shown.map(({ path, seconds }) => `${padded(seconds)}  ${path}`),
    'groups (sum of the times of their files, which run side by side):',
    ...groups.map(
      ({ group, files: of, seconds }) => `${padded(seconds)}  ${group}, ${of} ${of === 1 ? 'file' : 'files'}`,
    ),
  ];
}

function sum(files: readonly FileTime[]): number {
  return files.reduce((total, { seconds }) => total + seconds, 0);
}

function padded(seconds: number): string {
  return `${seconds.toFixed(1)} s`.padStart(10);
}
