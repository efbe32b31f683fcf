/**
 * Sweeps: tests that repeat one check at many points, for example a crash after each write.
 * `npm test` checks an even share of the points, which contains every kind of point.
 * `npm run sweeps`, which `.ci/run` runs, checks all (docs/testing.md).
 */
import { env } from 'node:process';

export interface Sweep<T> {
  /** The share of the points of each kind that `npm test` checks: one in this many. */
  readonly oneIn: number;
  /**
   * The kind of a point; each kind keeps at least one point. Default: all points are of one kind.
   */
  readonly kindOf?: ((point: T) => string) | undefined;
}

/** The points that this run checks, in their order. */
export function sweepOf<T>(points: readonly T[], sweep: Sweep<T>): readonly T[] {
  return isWhole(env) ? points : shareOf(points, sweep);
}

/**
 * The distance from one point of this run to the next, for points that are counted until there are
 * no more.
 */
export function sweepStep({ oneIn }: Pick<Sweep<never>, 'oneIn'>): number {
  return isWhole(env) ? 1 : oneIn;
}

/** The number of inputs of a property in this run: all, or one in `oneIn`. */
export function sweepRuns(whole: number, { oneIn }: Pick<Sweep<never>, 'oneIn'>): number {
  return Math.ceil(whole / sweepStep({ oneIn }));
}

/**
 * Selects the tests of a grid, as `describe.each` makes one. The result is called once for each
 * test of the given row, in their order: `it.runIf(next())`. Every row and every column has some
 * tests, if there are at least `oneIn` of both.
 */
export function sweepRow(row: number, { oneIn }: Pick<Sweep<never>, 'oneIn'>): () => boolean {
  return cellsOf(row, sweepStep({ oneIn }));
}

/**
 * Whether each cell of a row, in their order, is selected: one in `step`. A row begins one cell
 * later than the previous one.
 */
export function cellsOf(row: number, step: number): () => boolean {
  let column = row;
  return () => column++ % step === 0;
}

/**
 * Whether this run checks all points, for a long test that others check in part:
 * `it.runIf(checksAllPoints())`. Otherwise the test is skipped.
 */
export function checksAllPoints(): boolean {
  return isWhole(env);
}

/**
 * An even share of the points of each kind, in their order; the same in every run. The kinds begin
 * at different places, so that a grid of kinds and cases has every case for some kind.
 */
export function shareOf<T>(points: readonly T[], { oneIn, kindOf = () => '' }: Sweep<T>): readonly T[] {
  const kinds = [...Map.groupBy(points.keys(), (index) => kindOf(points[index] as T)).values()];
  const chosen = kinds.flatMap((indices, kind) => {
    const count = Math.ceil(indices.length / oneIn);
    const phase = (kind % oneIn) / oneIn;
    return Array.from({ length: count }, (_, nth) => indices[Math.floor(((nth + phase) * indices.length) / count)]);
  });
  const isChosen = new Set(chosen);
  return points.filter((_, index) => isChosen.has(index));
}

/** Errors: throws for an unknown value of the variable. */
export function isWhole({ SWEEPS }: Readonly<Record<string, string | undefined>>): boolean {
  if (SWEEPS === undefined || SWEEPS === '') return false;
  if (SWEEPS === 'whole') return true;
  throw new Error(`SWEEPS must be "whole" or not set, not ${JSON.stringify(SWEEPS)}; npm run sweeps sets it`);
}
