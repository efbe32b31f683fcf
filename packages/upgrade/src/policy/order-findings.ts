import type { Finding, Subject } from '../finding.ts';
import { severities } from '../words.ts';

/** Findings in their fixed order: by severity, rule and subject, then by what they say. */
export function orderFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      bytewise(a.rule, b.rule) ||
      bySubject(a.subject, b.subject) ||
      bytewise(a.why, b.why),
  );
}

function bySubject(a: Subject, b: Subject): number {
  for (const field of ['clusterSet', 'cluster', 'component', 'node', 'object', 'path'] as const) {
    const order = bytewise(a[field] ?? '', b[field] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
