import type { Json } from '@isthmus/schema';
import type { CrdRuleId, CrdSeverity } from './crd-rule.ts';
import type { Severity } from '../words.ts';
import type { Waiver } from './waivers.ts';

/** One difference of two CRDs, or one fault of the new one, judged. */
export interface CrdFinding {
  readonly rule: CrdRuleId;
  /**
   * After the adjustment for this server's version, for `status`, and for what the stored objects
   * showed.
   */
  readonly severity: CrdSeverity;
  /**
   * The severity of the rule, if the finding's severity was adjusted; `note` contains the cause.
   */
  readonly ruleSeverity?: CrdSeverity | undefined;
  /** The cause of an adjusted severity, as `ratcheted by API servers from 1.30 on`. */
  readonly note?: string | undefined;
  /** For severity P: how severe a breach is by its policy, and the source of the promise. */
  readonly promise?: { readonly severity: Severity; readonly source: string } | undefined;
  /** The name of the CRD. */
  readonly crd: string;
  /** The version whose schema it is about; absent for rules about the whole CRD. */
  readonly version?: string | undefined;
  /** For a pair of versions of the new CRD: the one that it is compared with. */
  readonly comparedWith?: string | undefined;
  /**
   * JSON pointer within the new CRD: `/spec/scope`,
   * `/spec/versions/0/schema/openAPIV3Schema/properties/spec`. The pointer of a removed part is its
   * former place.
   */
  readonly pointer: string;
  /** The field as users write it, `spec.ports[].mode`; absent for rules about the whole CRD. */
  readonly field?: string | undefined;
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
  /** The change and its effect, in one sentence. */
  readonly message: string;
  /** The action that the user should take. */
  readonly hint: string;
  /** The result of the check of stored objects; absent if no objects were given. */
  readonly hits?: ObjectHits | undefined;
  /** The waiver that lets it pass. Never on a finding of severity X. */
  readonly waivedBy?: Waiver | undefined;
}

/** How many of the stored objects a finding affects. */
export interface ObjectHits {
  readonly count: number;
  /** The number of objects that were checked. */
  readonly of: number;
  /** The first five, as `namespace/name`, bytewise. */
  readonly first: readonly string[];
}

/**
 * The result of the check of one CRD. Findings by severity (X, B, C, P, R, I), rule, version and
 * pointer.
 */
export interface CrdReport {
  readonly crd: string;
  /** A migration of stored versions that has to happen before the new CRD is applied (G05, G08). */
  readonly migration?: StorageMigration | undefined;
  readonly findings: readonly CrdFinding[];
  /**
   * Waivers that were given for this CRD and did not count, and why: expired, X, nothing to waive.
   */
  readonly idleWaivers: readonly { readonly waiver: Waiver; readonly why: string }[];
}

/** Objects that have to be rewritten, and what `status.storedVersions` is afterwards. */
export interface StorageMigration {
  readonly crd: string;
  /** The versions that must no longer be stored in. */
  readonly from: readonly string[];
  /** The storage version of the CRD that is live while the objects are rewritten. */
  readonly to: string;
  /**
   * Before: the new CRD drops a version that is stored. After: the new CRD stores in another
   * version.
   */
  readonly when: 'before-crd' | 'after-crd';
  /** Absent where the objects are not known. */
  readonly objects?: number | undefined;
}
