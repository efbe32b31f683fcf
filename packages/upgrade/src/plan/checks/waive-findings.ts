import type { Waiver } from '../../crd/waivers.ts';
import type { Finding } from '../../finding.ts';
import type { Plan } from '../format/plan.ts';
import type { Accepted } from '../order/toleration.ts';

/** Findings that are left, and those that pass because a person answers for them. */
export interface Judged<F extends Finding = Finding> {
  readonly findings: readonly F[];
  readonly waived: readonly Plan['spec']['waived'][number][];
  /** The accepted findings, each with its waiver. */
  readonly accepted: readonly Accepted[];
}

/**
 * Takes out what waivers let pass (docs/spec/upgrades.md §3.4): of the same rule, not expired on
 * the day of the snapshot, and of the cluster or component that they name, if they name one. Rules
 * about CRDs are waived where CRDs are judged; a waiver that is for a CRD does nothing here. What
 * was accepted elsewhere, of CRDs and while steps are at work, is listed with the rest.
 */
export function waiveFindings<F extends Finding>(
  findings: readonly F[],
  waivers: readonly Waiver[],
  today: string,
  elsewhere: readonly Accepted[] = [],
): Judged<F> {
  const left: F[] = [];
  const accepted: Accepted[] = [...elsewhere];
  for (const finding of findings) {
    const waiver = finding.severity === 'info' ? undefined : waivers.find((one) => fits(one, finding, today));
    if (waiver === undefined) left.push(finding);
    else accepted.push({ finding, waiver });
  }
  const rows = accepted.map(({ finding, waiver: { reason, by, until } }) => {
    const one = { rule: finding.rule, subject: subjectText(finding), reason, by, until };
    return [JSON.stringify(one), one] as const;
  });
  const sorted = [...new Map(rows)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  return { findings: left, waived: sorted, accepted };
}

/**
 * Findings that cannot be waived: the API server would reject the change, or there is no plan to
 * carry out.
 */
const neverWaived: ReadonlySet<string> = new Set([
  'plan.order',
  'plan.kubernetes',
  'plan.custom-resource',
  'plan.definition',
]);

/** Whether no finding of a rule can be waived. */
export function isNeverWaived(rule: string): boolean {
  return neverWaived.has(rule) || rule === 'plan.immutable';
}

/** Whether a waiver lets a finding pass. */
export function fits(waiver: Waiver, { rule, severity, subject }: Finding, today: string): boolean {
  if (severity === 'block' && isNeverWaived(rule)) return false;
  if (waiver.rule !== rule || waiver.crd !== undefined || waiver.until < today.slice(0, 10)) return false;
  const { path } = waiver;
  return (
    path === undefined || Object.values(subject).includes(path) || path === `${subject.cluster}/${subject.component}`
  );
}

/** The subject of a finding, in one line. */
export function subjectText({ subject }: Pick<Finding, 'subject'>): string {
  const { clusterSet, cluster, component, node, object, path } = subject;
  return (
    [clusterSet, cluster, component, node, object, path].filter((one) => one !== undefined).join(' ') || 'the fleet'
  );
}
