import type { CrdRuleId } from './crd-rule.ts';

/**
 * The effect of a new CRD on a stored object (docs/spec/upgrades.md §3.5):
 *
 * - `blocks-any-write`: updates are rejected that change any part of the value that contains the
 *   field; before 1.30, all updates.
 * - `blocks-apply`: duplicate items. Every server accepts updates as long as the object already has
 *   some. Creates and server-side applies of them fail.
 * - `blocks-change`: an update that touches the part is rejected, others are not (ratcheting).
 * - `data-loss`: the next write drops values that the old schema kept.
 * - `read-breaks`: the object cannot be read at a served version.
 * - `unknown-conversion`: a webhook converts it, which cannot be called here.
 */
export const objectEffects = [
  'blocks-any-write',
  'blocks-apply',
  'blocks-change',
  'data-loss',
  'read-breaks',
  'unknown-conversion',
] as const;
export type ObjectEffect = (typeof objectEffects)[number];

/**
 * All objects of a CRD with the same effect at the same field (indexes left out) by the same rules.
 * One group replaces thousands of lines.
 */
export interface ObjectProblemGroup {
  readonly crd: string;
  readonly version: string;
  readonly effect: ObjectEffect;
  /** The field without indexes: `spec.ports[].mode`. */
  readonly field: string;
  /**
   * The rules about CRDs of which one has changed so that this comes of it; absent where that is
   * not known: any may.
   */
  readonly rules?: readonly CrdRuleId[] | undefined;
  /** The error of the first one, without its value: objects may hold secrets. */
  readonly message: string;
  readonly count: number;
  /** The first five objects, bytewise. */
  readonly first: readonly string[];
  readonly namespaces: readonly string[];
  readonly managers: readonly string[];
}

/** The result of the check of one CRD's stored objects. */
export interface ObjectsReport {
  readonly crd: string;
  /** How many were looked at. */
  readonly objects: number;
  /** Those with at least one problem that blocks writes or loses data. */
  readonly struck: number;
  /**
   * How many were judged at which version; absent where that is not known. A version that is
   * missing was not looked at.
   */
  readonly judged?: readonly { readonly version: string; readonly objects: number }[] | undefined;
  readonly groups: readonly ObjectProblemGroup[];
  /**
   * The versions that objects are written in, or were by their managers, and who they are; absent
   * where that is not known.
   */
  readonly users?: readonly VersionUsers[] | undefined;
}

/** The users of a version of a CRD. */
export interface VersionUsers {
  readonly version: string;
  readonly objects: number;
  /** The first five objects, bytewise. */
  readonly first: readonly string[];
  /** The managers that wrote in this version last; unknown for versions that only files use. */
  readonly managers: readonly string[];
}
