import type { Finding } from '@isthmus/upgrade';

/**
 * A finding with its place in a file, if it is about one, as `bundle.yaml:12`; a finding of a plan
 * with all its clusters.
 */
export type ShownFinding = Finding & {
  readonly place?: string | undefined;
  readonly clusters?: readonly string[] | undefined;
};
