import type { Finding, Subject } from '../../finding.ts';

/** The rules of the planner itself. */
export const planRules = [
  'plan.custom-resource',
  'plan.definition',
  'plan.expired',
  'plan.hand-set',
  'plan.immutable',
  'plan.kept',
  'plan.kubernetes',
  'plan.left-over',
  'plan.not-in-bundle',
  'plan.not-ready',
  'plan.old-reading',
  'plan.order',
  'plan.orphan',
  'plan.other-bundle',
  'plan.other-installation',
  'plan.other-namespace',
  'plan.other-owner',
  'plan.other-policy',
  'plan.policy',
  'plan.prune-crd',
  'plan.recorded-differs',
  'plan.requires',
  'plan.role',
  'plan.same-uid',
  'plan.stale',
  'plan.taken-place',
  'plan.unknown-component',
  'plan.unknown-version',
  'plan.unreachable',
] as const;
type PlanRule = (typeof planRules)[number];

/** A finding of the planner itself, or of a hook of the bundle. */
export function planFinding(
  rule: PlanRule | `hook.${string}`,
  severity: Finding['severity'],
  subject: Subject,
  words: { readonly why: string; readonly unblock?: string | undefined },
): Finding {
  return { rule, severity, subject, ...words, source: 'isthmus' };
}
