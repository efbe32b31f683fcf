/**
 * Decides about a run in which files failed: they run once more, alone. A file that passes then is
 * *flaky*: the run passes, and names it. Pure: data in, verdicts out.
 */

/** The most files that run again: more failures have a common cause. */
export const mostRepeated = 3;

/** The most titles that the list of flaky cases may have. */
const mostFlaky = 5;

/** A case that failed once and passed alone. An entry of `flaky.json`. */
export interface FlakyCase {
  readonly path: string;
  readonly title: string;
  /** The first line of the failure. */
  readonly failure: string;
}

/** A file that failed, with its failed cases; none if it failed outside of its cases. */
export interface FailedFile {
  readonly path: string;
  readonly cases: readonly { readonly title: string; readonly failure: string }[];
}

/**
 * The files that run again; none if too many failed, or none did, or the run had errors outside of
 * its files, which would be forgotten.
 */
export function filesToRepeat(failed: readonly FailedFile[], errorsOutside = 0): readonly string[] {
  return failed.length > mostRepeated || errorsOutside > 0 ? [] : failed.map(({ path }) => path);
}

/** The cases that are flaky: those of files that failed and then passed alone. */
export function flakyCases(failed: readonly FailedFile[], passedAlone: ReadonlySet<string>): readonly FlakyCase[] {
  return failed
    .filter(({ path }) => passedAlone.has(path))
    .flatMap(({ path, cases }) =>
      cases.length === 0
        ? [{ path, title: '(set-up of the file)', failure: '' }]
        : cases.map(({ title, failure }) => ({ path, title, failure: failure.split('\n')[0] ?? '' })),
    );
}

/** The list with the flaky cases of a run; a case that is already listed is not changed. */
export function withFlaky(list: readonly FlakyCase[], found: readonly FlakyCase[]): readonly FlakyCase[] {
  const isListed = ({ path, title }: FlakyCase) => list.some((one) => one.path === path && one.title === title);
  return [...list, ...found.filter((one) => !isListed(one))];
}

/**
 * The errors of the list: it may not grow beyond {@link mostFlaky}, and must name files that exist.
 */
export function flakyProblems(list: readonly FlakyCase[], paths: ReadonlySet<string>): readonly string[] {
  const gone = list.filter(({ path }) => !paths.has(path));
  return [
    ...gone.map(({ path }) => `scripts/landing/flaky.json: ${path} does not exist: remove its entries`),
    ...(list.length <= mostFlaky
      ? []
      : [`scripts/landing/flaky.json has ${list.length} cases, and may have ${mostFlaky}: correct one, and remove it`]),
  ];
}
