import type { Finding } from '../finding.ts';
import type { Severity } from '../words.ts';
import type { CrdFinding } from './crd-finding.ts';
import type { CrdSeverity } from './crd-rule.ts';
import { crdRule } from './rules.ts';

const severityOf: Readonly<Record<CrdSeverity, Severity>> = {
  X: 'block',
  B: 'block',
  C: 'warn',
  R: 'warn',
  I: 'info',
  P: 'warn',
};

/** How bad a finding is for a plan; what a person answers for is for the record. */
function severityOfCrd({ severity, promise, waivedBy }: CrdFinding): Severity {
  return waivedBy === undefined ? (promise?.severity ?? severityOf[severity]) : 'info';
}

/** A finding about a CRD as one of a plan. */
export function findingOfCrd(finding: CrdFinding, cluster?: string): Finding {
  const { rule, crd, version, field, message, note, hint, hits, promise, waivedBy } = finding;
  const source = promise?.source ?? crdRule(rule).source;
  const at = version === undefined ? '' : `${version}: `;
  const struck =
    hits === undefined || hits.count === 0
      ? ''
      : `; affects ${hits.count} of ${hits.of} objects: ${hits.first.join(', ')}${hits.count > hits.first.length ? ', …' : ''}`;
  const waived = waivedBy === undefined ? '' : `; waived by ${waivedBy.by} until ${waivedBy.until}: ${waivedBy.reason}`;
  return {
    rule,
    severity: severityOfCrd(finding),
    subject: { ...(cluster !== undefined && { cluster }), object: crd, ...(field !== undefined && { path: field }) },
    why: `${at}${message}${note === undefined ? '' : ` (${note})`}${struck}${waived}`,
    ...(hint !== '' && { unblock: asClause(hint) }),
    // The source is left out if the rule is ours: it would not help the reader.
    ...(source !== 'Isthmus' && { source }),
  };
}

/** A hint in the form of other findings: a clause, not a sentence. */
export function asClause(hint: string): string {
  const first = /^[A-Z][a-z]/.test(hint) ? hint.charAt(0).toLowerCase() + hint.slice(1) : hint;
  return first.replace(/\.$/, '');
}
