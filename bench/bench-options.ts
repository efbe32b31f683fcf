import type { Program } from './program.ts';

/** The input of every measurement. */
export interface BenchOptions {
  readonly program: Program;
  /** How many Services row 1 exports. */
  readonly services: number;
  /** How many endpoint changes row 2 makes. */
  readonly changes: number;
  /** The bundle of another version, and where its checkout is; for row race. */
  readonly against: { readonly program: Program; readonly checkout: string } | undefined;
  /**
   * The controllers of Antrea and the manifests of their release; for rows antrea and identities.
   */
  readonly antrea: { readonly binary: string; readonly manifests: string } | undefined;
  /** Whether the sandbox's rows have the real API server beside them. */
  readonly besideReal: boolean;
  /** How many members the sandbox's fleet has, and how many join at once. */
  readonly members: number;
  /** How many starts row 4 measures. */
  readonly starts: number;
  /** How long row churn lasts. */
  readonly minutes: number;
  /**
   * How many Services of one member row many has, ResourceExports row restart, and half as many as
   * row identities has sets of labels.
   */
  readonly exports: number;
  /** Where CPU profiles go. */
  readonly profileInto: string | undefined;
  /** For the Node of the controllers. */
  readonly nodeFlags: readonly string[];
  /** Whether row antrea fills a folder with what V8 compiles before it measures. */
  readonly compileCache: boolean;
  /** Aborts when the run has taken too long, or is interrupted. */
  readonly signal: AbortSignal;
  /** Prints a line of progress. */
  readonly say: (line: string) => void;
}
