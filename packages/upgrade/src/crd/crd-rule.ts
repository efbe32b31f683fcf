/**
 * The effect of a change of a CRD (docs/spec/upgrades.md §3):
 *
 * - X: the API server rejects the CRD.
 * - B: stored objects can no longer be written or read, or lose data.
 * - C: clients, manifests or access rules break, storage does not.
 * - R: a user has to review it.
 * - I: a note.
 * - P: a promise is broken.
 *
 * In a plan X and B block, C and R warn, I informs, and P is as severe as its policy defines.
 */
export const crdSeverities = ['X', 'B', 'C', 'R', 'I', 'P'] as const;
export type CrdSeverity = (typeof crdSeverities)[number];

/**
 * The ids of docs/spec/upgrades.md §3.1 (G), §3.2 (F), §2.4 (P01–P05 are D1–D5), and our own lints
 * (L, §3.3).
 */
export type CrdRuleId = `G${number}` | `F${number}` | `P${number}` | `L${number}`;

/** One rule, as data: the checker's table and the generated page rest on it. */
export interface CrdRule {
  readonly id: CrdRuleId;
  /** The rule in a few words, as `enum introduced or value removed`. */
  readonly what: string;
  readonly why: string;
  readonly severity: CrdSeverity;
  /**
   * Whether API servers from 1.30 on forgive it where the part is unchanged (KEP-4008): B then
   * becomes R.
   */
  readonly ratcheted: boolean;
  readonly source: string;
}
