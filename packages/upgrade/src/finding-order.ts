import type { Finding, Subject } from './finding.ts';
import { severities } from './words.ts';

/** Findings in their fixed order: the worst first, then by rule, subject and text, bytewise. */
export function orderedFindings<F extends Finding>(findings: readonly F[]): readonly F[] {
  return findings
    .map((finding) => ({ finding, key: keyOf(finding) }))
    .toSorted((a, b) => compareTexts(a.key, b.key))
    .map(({ finding }) => finding);
}

const subjectFields = [
  'clusterSet',
  'cluster',
  'component',
  'node',
  'object',
  'path',
] as const satisfies readonly (keyof Subject)[];

function keyOf({ severity, rule, subject, why }: Finding): readonly string[] {
  return [`${severities.indexOf(severity)}`, rule, ...subjectFields.map((field) => subject[field] ?? ''), why];
}

function compareTexts(a: readonly string[], b: readonly string[]): number {
  for (const [at, text] of a.entries()) {
    const other = b[at] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
