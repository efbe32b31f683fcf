import type { Severity } from './words.ts';

/** The subject of a finding. Only fields that apply are present. */
export interface Subject {
  readonly clusterSet?: string | undefined;
  readonly cluster?: string | undefined;
  /** The id of a component; of a live one its type where it belongs to no bundle. */
  readonly component?: string | undefined;
  readonly node?: string | undefined;
  /** An object, as `Deployment kube-system/antrea-mc-controller`, or a CRD by its name. */
  readonly object?: string | undefined;
  /** A field of the object or of a file: `spec.components[2].version`. */
  readonly path?: string | undefined;
}

/** A component in a cluster. */
export interface Place {
  readonly cluster: string;
  readonly component: string;
}

/**
 * One verdict of a rule. Findings are values and come in a fixed order: by severity, rule, and
 * subject, bytewise. Equal inputs give equal findings.
 */
export interface Finding {
  /**
   * The id of the rule: `antrea.agent`, `F09`, `D2`, `bundle.duplicate-id`. Never reworded once
   * published.
   */
  readonly rule: string;
  readonly severity: Severity;
  readonly subject: Subject;
  /**
   * If the subject is in no cluster, as a client program: the components that it does not support,
   * and their places. For planning: the printed sentence contains them.
   */
  readonly beside?: readonly Place[] | undefined;
  /**
   * The components that must be upgraded to resolve the finding, and their places. For planning, as
   * `beside`.
   */
  readonly behind?: readonly Place[] | undefined;
  /** The problem and the promise that it breaks, in one sentence with both values. */
  readonly why: string;
  /** The action that resolves the finding; absent only for `info`. */
  readonly unblock?: string | undefined;
  /** The source that the rule names. */
  readonly source?: string | undefined;
}

/** A finding as users get it, in plans and from checks. */
export function withoutBeside<F extends Finding>(finding: F): Omit<F, 'beside' | 'behind'> {
  const { beside: _beside, behind: _behind, ...shown } = finding;
  return shown;
}
