import type { Problem } from '../read/problem.ts';
import type { Policy } from './policy.ts';

/** A policy and the file that it was read from. */
export interface PolicyFile {
  readonly policy: Policy;
  /** The name of the file in messages. */
  readonly source: string;
  readonly lineOf: (path: string) => number;
}

/** A problem at a path of a policy. */
export function problemAt(file: PolicyFile, path: string, message: string): Problem {
  return { source: file.source, line: file.lineOf(path), path, message };
}
