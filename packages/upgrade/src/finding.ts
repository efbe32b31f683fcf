import type { Severity } from './words.ts';

/** What a finding is about. Only what applies is there. */
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
   * Where the subject is in no cluster, as the programs of people: what it does not go with, and
   * where. For planning: what is printed has it in its sentence.
   */
  readonly beside?: readonly Place[] | undefined;
  /** What has to be upgraded so that it goes away, and where. For planning, as `beside`. */
  readonly behind?: readonly Place[] | undefined;
  /** What was found and which promise it breaks, in one sentence with both values in it. */
  readonly why: string;
  /** What to do so that it goes away; absent only for `info`. */
  readonly unblock?: string | undefined;
  /** The source that the rule names. */
  readonly source?: string | undefined;
}

/** A finding as users get it, in plans and from checks. */
export function withoutBeside<F extends Finding>(finding: F): Omit<F, 'beside' | 'behind'> {
  const { beside: _beside, behind: _behind, ...shown } = finding;
  return shown;
}
