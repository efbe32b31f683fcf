/** The result of a run of mutants, as text. Pure: outcomes in, text out. */
import { textTable } from '@isthmus/machinery';
import type { Mutant } from './mutate.ts';

/** A mutant without any effect that matters. It is found by its code, not by its line number. */
export interface Equivalent {
  readonly file: string;
  /** The line of the code, without blanks around it. */
  readonly line: string;
  /** As it is listed: `original -> mutant`. */
  readonly change: string;
  readonly reason: string;
}

/** What became of a mutant. `unreached`: no test runs its code. */
export type Outcome = 'killed' | 'survived' | 'unreached' | 'equivalent';

export interface Judged extends Mutant {
  readonly file: string;
  readonly outcome: Outcome;
}

/** Whether an entry is about this mutant. */
export function isAbout(equivalent: Equivalent, file: string, { content, change }: Mutant): boolean {
  return equivalent.file === file && equivalent.line === content && equivalent.change === change;
}

/** Entries for one of these files that match none of its mutants, as sentences. */
export function outdated(
  equivalents: readonly Equivalent[],
  mutants: ReadonlyMap<string, readonly Mutant[]>,
): readonly string[] {
  return equivalents
    .filter((one) => mutants.get(one.file)?.some((mutant) => isAbout(one, one.file, mutant)) === false)
    .map(({ file, line, change }) => `${file} has no mutant any more that is ${change} in: ${line}`);
}

/** Killed mutants, as a share of those that matter; 1 if there are none. */
export function scoreOf(judged: readonly Judged[]): number {
  const counted = judged.filter(({ outcome }) => outcome !== 'equivalent');
  return counted.length === 0 ? 1 : counted.filter(({ outcome }) => outcome === 'killed').length / counted.length;
}

/** A table with a line for each file, and the survivors. */
export function describeScores(judged: readonly Judged[]): string {
  const byFile = [...Map.groupBy(judged, ({ file }) => file)];
  const rows = [...byFile, ['all', judged] as const].map(([file, of]) => {
    const count = (...outcomes: readonly Outcome[]) =>
      String(of.filter(({ outcome }) => outcomes.includes(outcome)).length);
    const counts = [count('killed'), count('survived', 'unreached'), count('equivalent')];
    return [file, String(of.length), ...counts, `${(Math.floor(scoreOf(of) * 1000) / 10).toFixed(1)} %`];
  });
  const table = [['file', 'mutants', 'killed', 'survived', 'equivalent', 'score'], ...rows];
  const lines = textTable(table);
  const survivors = judged
    .filter(({ outcome }) => outcome === 'survived' || outcome === 'unreached')
    .toSorted((one, other) => (one.file === other.file ? one.line - other.line : 0))
    .map(
      ({ file, line, change, outcome }) =>
        `${file}:${line}: ${change}${outcome === 'unreached' ? '  (no test reaches it)' : ''}`,
    );
  return [...(survivors.length === 0 ? [] : ['survivors:', ...survivors, '']), ...lines].join('\n');
}
