/** Mutants that no test is to notice, with the reason. One without its code is an error. */
import type { Equivalent } from './score.ts';

const agent = 'packages/dataplane/src/agent';
const loss = 'packages/controlplane/src/loss';
const missing = 'packages/controlplane/src/own-cluster/missing';
const skew = 'packages/upgrade/src/policy/skew';
const savesWork = 'Only saves work: the result is the same without it.';
const neverEmpty = 'No such list is empty: the compiler alone does not know that.';
const aMillisecond = 'A millisecond of a minute or a day decides nothing.';

export const equivalents: readonly Equivalent[] = [
  {
    file: `${agent}/direct-paths.ts`,
    line: "probes?.probe(target, timeoutMs) ?? Promise.resolve({ kind: 'impossible', why: offAlways ?? '' }),",
    change: "offAlways ?? '' -> (offAlways) && ('')",
    reason: 'It is a text, and nothing is asked where there are no probes.',
  },
  {
    file: `${agent}/direct-paths.ts`,
    line: 'if (first === undefined) return [];',
    change: 'first === undefined -> false',
    reason: neverEmpty,
  },
  {
    file: `${loss}/beats.ts`,
    line: 'const announce = own === undefined ? undefined : known.get(own);',
    change: 'own === undefined -> false',
    reason: 'Nothing is known under no name.',
  },
  {
    file: `${loss}/beats.ts`,
    line: 'if (before === announce) return;',
    change: 'before === announce -> false',
    reason: savesWork,
  },
  {
    file: `${loss}/beats.ts`,
    line: 'if (announce === undefined) known.delete(name);',
    change: 'announce === undefined -> false',
    reason: 'A name with nothing behind it is read like a name that is not known.',
  },
  {
    file: `${loss}/decide-loss.ts`,
    line: 'function unmarkedRemoval({ heldMs = 0, connectedMs, patienceMs, forgottenAfterMs }: LossInput): LossVerdict {',
    change: '0 -> 1',
    reason: aMillisecond,
  },
  {
    file: `${loss}/decide-loss.ts`,
    line: 'if ((heldMs ?? 0) < forgottenAfterMs) {',
    change: '0 -> 1',
    reason: aMillisecond,
  },
  {
    file: `${loss}/decide-loss.ts`,
    line: 'const mayBeRestored = input.restoring !== undefined && (heldMs ?? 0) < restoredMs[input.restoring];',
    change: '0 -> 1',
    reason: aMillisecond,
  },
  {
    file: `${missing}/decide-missing.ts`,
    line: 'nextLookMs: (forMs, { heldMs = 0, connectedMs }) =>',
    change: '0 -> 1',
    reason: 'A tenth of it is less than the least time between two looks.',
  },
  {
    file: `${missing}/decide-missing.ts`,
    line: 'if (areaLostMs === undefined) return false;',
    change: 'areaLostMs === undefined -> false',
    reason: 'No comparison with a time that is not known holds.',
  },
  {
    file: `${missing}/export-losses.ts`,
    line: 'if (after === undefined) withdrawn.delete(name);',
    change: 'after === undefined -> true',
    reason: 'What is being deleted is not a loss any more when it is gone.',
  },
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
