import type { Finding } from '@isthmus/upgrade';

/**
 * A finding and, where it is about a file, its place there as `bundle.yaml:12`; of a plan with all
 * its clusters.
 */
export type ShownFinding = Finding & {
  readonly place?: string | undefined;
  readonly clusters?: readonly string[] | undefined;
};
