/** Mutants that no test is to notice, with the reason. One without its code is an error. */
import type { Equivalent } from './score.ts';

const skew = 'packages/upgrade/src/policy/skew';
const savesWork = 'Only saves work: the result is the same without it.';
const neverEmpty = 'No such list is empty: the compiler alone does not know that.';

export const equivalents: readonly Equivalent[] = [
  {
    file: `${skew}/skew-findings.ts`,
    line: 'if (!index.has(rule.reference)) return [];',
    change: '!index.has(rule.reference) -> false',
    reason: savesWork,
  },
  {
    file: `${skew}/skew-findings.ts`,
    line: 'if (subject.version.text === reference.version.text) return undefined;',
    change: 'subject.version.text === reference.version.text -> false',
    reason: savesWork,
  },
  {
    file: `${skew}/skew-findings.ts`,
    line: 'if (!known.has(key)) known.set(key, skewBreach(rule, subject.version, reference.version));',
    change: '!known.has(key) -> true',
    reason: savesWork,
  },
  {
    file: `${skew}/skew-findings.ts`,
    line: 'if (subject === undefined) return;',
    change: 'subject === undefined -> false',
    reason: neverEmpty,
  },
  {
    file: `${skew}/skew-findings.ts`,
    line: 'if (first !== undefined) yield [subject, { first, all }] as const;',
    change: 'first !== undefined -> true',
    reason: neverEmpty,
  },
  {
    file: `${skew}/skew-findings.ts`,
    line: "return other?.kind === 'newer' || (other?.kind === 'unknown' && reference.version.text < subject.version.text);",
    change: 'reference.version.text < subject.version.text -> reference.version.text <= subject.version.text',
    reason: 'Versions with the same text have no breach.',
  },
  ...['cluster', 'component', 'node'].map((name) => ({
    file: `${skew}/skew-findings.ts`,
    line: name === 'node' ? '...(nodes.size === 1 ? { node: subject?.node } : {}),' : `${name}: subject?.${name},`,
    change: `subject?.${name} -> subject.${name}`,
    reason: neverEmpty,
  })),
  {
    file: `${skew}/skew-findings.ts`,
    line: '...(subject?.cluster === undefined && beside.length > 0 ? { beside } : {}),',
    change: 'subject?.cluster -> subject.cluster',
    reason: neverEmpty,
  },
  {
    file: `${skew}/skew-verdict.ts`,
    line: "const [kind, limit] = order > 0 ? (['newer', rule.newer] as const) : (['older', rule.older] as const);",
    change: 'order > 0 -> order >= 0',
    reason: 'Equal releases have been returned before.',
  },
  {
    file: `${skew}/violations.ts`,
    line: '...(supportOf === undefined ? [] : supportFindings(context)),',
    change: 'supportOf === undefined -> false',
    reason: savesWork,
  },
  {
    file: `${skew}/window-findings.ts`,
    line: 'return first === undefined ? [] : judge(some, first);',
    change: 'first === undefined -> false',
    reason: neverEmpty,
  },
  {
    file: `${skew}/window-findings.ts`,
    line: 'const minor = first === undefined ? undefined : minorOf(first.version);',
    change: 'first === undefined -> false',
    reason: neverEmpty,
  },
  ...['cluster', 'component'].map((name) => ({
    file: `${skew}/window-findings.ts`,
    line: 'subject: { cluster: first?.cluster, component: first?.component },',
    change: `first?.${name} -> first.${name}`,
    reason: neverEmpty,
  })),
];
