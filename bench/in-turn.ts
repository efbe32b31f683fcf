import type { Figure } from './report.ts';
import { BrokenBase, percentile } from './statistics.ts';

/** The measurements of two competitors, by their names. */
export type InTurn<Name extends string, T> = Readonly<Record<Name, readonly T[]>>;

/** Measures one after the other, in each round. */
export async function inTurn<Name extends string, T>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name, round: number) => Promise<T>,
): Promise<InTurn<Name, T>> {
  const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, T[]>;
  for (let round = 0; round < rounds; round++) for (const name of names) found[name].push(await measure(name, round));
  return found;
}

/**
 * The medians of two that raced, with their unit, and how many times as much the first one needs.
 * Errors: {@link BrokenBase} if a median is not a positive number: nothing was counted then.
 */
export function compareMedians<Name extends string, T>(
  both: InTurn<Name, T>,
  [first, second]: readonly [Name, Name],
  unit: string,
  value: (one: T) => number,
): { readonly first: string; readonly second: string; readonly ratio: string; readonly isLess: boolean } {
  const [ours, theirs] = [first, second].map((name) => percentile(both[name].map(value), 0.5)) as [number, number];
  for (const [name, median] of [
    [first, ours],
    [second, theirs],
  ] as const) {
    if (!(median > 0 && median < Infinity))
      throw new BrokenBase(`${name} measured ${median}${unit === '' ? '' : ` ${unit}`}: nothing was counted`);
  }
  const text = (found: number) => `${found.toFixed(unit === 'MB' ? 0 : 2)}${unit === '' ? '' : ` ${unit}`}`;
  return { first: text(ours), second: text(theirs), ratio: (ours / theirs).toFixed(2), isLess: ours < theirs };
}

/** The figures of endpoint changes: p50 and p99 of the milliseconds of each. */
export function changeFigures<Name extends string>(
  changes: number,
  both: InTurn<Name, readonly number[]>,
  compared: (
    what: string,
    unit: string,
    both: InTurn<Name, readonly number[]>,
    value: (all: readonly number[]) => number,
  ) => Figure,
): readonly Figure[] {
  const shares = [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const;
  return shares.map(([name, share]) =>
    compared(`one endpoint change, exporter's API server to importer's, ${name} of ${changes}`, 'ms', both, (all) =>
      percentile(all, share),
    ),
  );
}
