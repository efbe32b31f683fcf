import type { Finding, Subject } from '../../finding.ts';

/** A finding of the planner itself. Its rules: `plan.…`, and `hook.…`. */
export function planFinding(
  rule: string,
  severity: Finding['severity'],
  subject: Subject,
  words: { readonly why: string; readonly unblock?: string | undefined },
): Finding {
  return { rule, severity, subject, ...words, source: 'isthmus' };
}
