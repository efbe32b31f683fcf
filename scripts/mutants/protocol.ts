/** What the runner of the tests reads from the program, and writes for it. */

/** One run of the tests. It is read from the file that `ISTHMUS_MUTANTS` names. */
export interface Plan {
  /** `reach`: which mutants each test reaches. `kill`: whether it notices them. */
  readonly phase: 'reach' | 'kill';
  readonly count: number;
  /** The mutant that holds from the start. */
  readonly always?: number | undefined;
  /** In the phase `kill`, by the ids of tests. A test without an entry is skipped. */
  readonly tries: Readonly<Record<string, Tries>>;
  /** Where the lines are appended. */
  readonly lines: string;
}

/** What a test is to be run with. */
export interface Tries {
  readonly mutants: readonly number[];
  /** What it takes without a mutant, in milliseconds of a processor. */
  readonly ms: number;
}

/** A line of the result. */
export type Line =
  /** A test without a mutant. `outside`: what was reached before it and after the last one. */
  | {
      readonly kind: 'reached';
      readonly test: string;
      readonly name: string;
      readonly path: string;
      readonly passed: boolean;
      readonly ms: number;
      readonly reached: readonly number[];
      /** Those of them that would change a value. */
      readonly differing: readonly number[];
      readonly outside: readonly number[];
    }
  | { readonly kind: 'try'; readonly mutant: number; readonly test: string }
  /** `hangs`: the test goes on without an end, and with it the process. */
  | { readonly kind: 'killed'; readonly mutant: number; readonly test: string; readonly hangs: boolean }
  /** The test does not pass any more without a mutant: its results do not count. */
  | { readonly kind: 'spoiled'; readonly test: string }
  | { readonly kind: 'ended'; readonly test: string };
