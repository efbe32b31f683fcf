/**
 * How the texts of a component's versions are read. `semver`: `v1.13.2-rc.1+a34c207`, the suffix
 * after `-` is a pre-release. `eks-suffix`: `v1.18.1-2`, a suffix that is a number counts
 * packagings of the same release. `calver`: the core is a date, `2026.11.3` or `2026.11`. `opaque`:
 * the text has no structure. Every scheme reads every text (docs/spec/upgrades.md §1.2): a text
 * without a numeric core has no core.
 */
export type VersionScheme = (typeof versionSchemes)[number];
export const versionSchemes = ['semver', 'eks-suffix', 'calver', 'opaque'] as const;

/** The part of a version that has an order. */
export interface VersionCore {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * A version as its scheme reads it. Reading never fails: parts that the scheme does not know stay
 * in `text`.
 */
export interface Version {
  /** As it was written, the leading `v` included. */
  readonly text: string;
  readonly scheme: VersionScheme;
  /**
   * Absent where the text has no numeric core of three parts: such a version is different from
   * others, never older or newer.
   */
  readonly core?: VersionCore | undefined;
  /**
   * The identifiers between `-` and `+`, split on dots; empty under `eks-suffix` where the suffix
   * is a revision.
   */
  readonly prerelease: readonly string[];
  /** The packaging of the same release, under `eks-suffix`; 0 where none is written. */
  readonly revision: number;
  /**
   * All that follows the first `+`; may hold further ones (`build.170+6a04c21`). Empty where there
   * is none.
   */
  readonly build: string;
}

/** A released minor, as `1.15`: the unit of distances, sequences and Kubernetes support. */
export type Minor = string;

/** The name of a change of version (docs/spec/upgrades.md §1.2). */
export type Relation = (typeof relations)[number];
export const relations = [
  'same',
  'rebuild',
  'patch',
  'minor',
  'major',
  'downgrade',
  'unknown',
  'content-drift',
] as const;

/** The order of `to` relative to `from`. */
export type VersionOrder = 'equal' | 'newer' | 'older' | 'unknown';

/** A version together with the digests of its artifacts. */
export interface Revision {
  readonly version: Version;
  /**
   * Digest by name of the artifact, or of what runs; the names that both sides have are compared.
   * Empty: nothing is known of the content.
   */
  readonly digests: Readonly<Record<string, string>>;
  /**
   * A number that the publisher counts up with every build; orders builds where both sides have it.
   */
  readonly sequence?: number | undefined;
}

/**
 * The verdict on a change of version. Difference is by the exact text and the digests; order by the
 * numeric core.
 */
export interface Comparison {
  readonly relation: Relation;
  /** `unknown` for builds without a sequence and for texts without a core; never guessed. */
  readonly order: VersionOrder;
  /** One sentence that names both sides, for a person. */
  readonly reason: string;
}
