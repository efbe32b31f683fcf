import type { Version } from './version.ts';

/** One bound of a range. */
export interface VersionBound {
  readonly operator: '=' | '<' | '<=' | '>' | '>=';
  /**
   * Always has a whole core: a bound that was written without one is stored as its equivalent
   * bounds (`=1.25` is `>=1.25.0 <1.26.0`).
   */
  readonly version: Version;
}

/**
 * Versions that satisfy all bounds, written as `>=1.13.0 <2.0.0`; the empty text admits everything.
 * A pre-release counts as its own core (as `v1.19.4-1` must count as 1.19.4,
 * docs/spec/upgrades.md §1.2); a version without a core is in no range but the empty one.
 */
export interface VersionRange {
  readonly text: string;
  readonly bounds: readonly VersionBound[];
}
