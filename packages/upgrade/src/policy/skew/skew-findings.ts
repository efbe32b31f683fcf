import type { Finding, Place } from '../../finding.ts';
import type { FleetIndex, Versions } from '../../fleet/fleet-index.ts';
import type { Instance } from '../../fleet/fleet-state.ts';
import type { ReadySkewRule } from '../rule-set.ts';
import { inScope, subjectsOf } from './scope.ts';
import type { SkewBreach } from './skew-verdict.ts';
import { skewBreach } from './skew-verdict.ts';
import { instancesText } from '../../fleet/where-text.ts';

/**
 * The breaches of a rule about skew: one finding for each version of a component in a cluster, and
 * each version of the reference that it does not support. An instance without a Node stands for any
 * Node of its cluster. Cost: one verdict for each pair of versions, however many instances have
 * them.
 */
export function skewFindings(
  rule: ReadySkewRule,
  index: FleetIndex,
  touched?: readonly Instance[],
): readonly Finding[] {
  if (!index.has(rule.reference)) return [];
  const findings: Finding[] = [];
  const known = new Map<string, SkewBreach | undefined>();
  const breachOf = (subject: Instance, reference: Instance) => {
    if (subject.version.text === reference.version.text) return undefined;
    const key = `${subject.version.text}\n${reference.version.text}`;
    if (!known.has(key)) known.set(key, skewBreach(rule, subject.version, reference.version));
    return known.get(key);
  };
  for (const cluster of subjectsOf(rule, index, touched)) {
    const references = inScope(index, rule.scope, rule.reference, cluster);
    for (const [, subjects] of index.in(rule.subject, cluster))
      for (const [subject, reference] of pairs(subjects, references)) {
        const breach = breachOf(subject, reference.first);
        if (breach === undefined || isOtherSide(rule, breach, subject, reference.first)) continue;
        const [left, right] = together(rule, subjects, reference.all);
        for (const [, some] of Map.groupBy(left, ({ component }) => component))
          for (const [, others] of Map.groupBy(right, ({ component }) => component))
            findings.push(findingOf(rule, breach, some, others));
      }
  }
  return findings;
}

/** One instance of the subject with the first of each version of the reference. */
function* pairs(subjects: readonly Instance[], references: Versions) {
  const [subject] = subjects;
  if (subject === undefined) return;
  for (const all of references.values()) {
    const [first] = all;
    if (first !== undefined) yield [subject, { first, all }] as const;
  }
}

/**
 * Whether a rule about one type and itself reports the same breach from the other side as well: one
 * of both is enough.
 */
function isOtherSide(rule: ReadySkewRule, breach: SkewBreach, subject: Instance, reference: Instance): boolean {
  if (rule.subject !== rule.reference || rule.scope === 'management' || breach.kind === 'newer') return false;
  const other = skewBreach(rule, reference.version, subject.version);
  return other?.kind === 'newer' || (other?.kind === 'unknown' && reference.version.text < subject.version.text);
}

/** The instances of both sides that meet: all of them, or those that share a Node. */
function together(
  rule: ReadySkewRule,
  subjects: readonly Instance[],
  references: readonly Instance[],
): readonly [readonly Instance[], readonly Instance[]] {
  if (rule.scope !== 'node') return [subjects, references];
  const meets = (others: readonly Instance[]) => {
    const nodes = new Set(others.map(({ node }) => node));
    return (one: Instance) => one.node === undefined || nodes.has(undefined) || nodes.has(one.node);
  };
  return [subjects.filter(meets(references)), references.filter(meets(subjects))];
}

function findingOf(
  rule: ReadySkewRule,
  breach: SkewBreach,
  subjects: readonly Instance[],
  references: readonly Instance[],
): Finding {
  const [subject, reference] = [subjects[0], references[0]];
  const names = `${subject?.component} and ${reference?.component}`;
  const [left, right] = [instancesText(subjects), instancesText(references)];
  const nodes = new Set(subjects.map(({ node }) => node));
  const beside = placesOf(references);
  const behind = breach.kind === 'unknown' ? [] : placesOf(breach.kind === 'newer' ? references : subjects);
  return {
    rule: rule.id,
    severity: rule.severity,
    subject: {
      cluster: subject?.cluster,
      component: subject?.component,
      ...(nodes.size === 1 ? { node: subject?.node } : {}),
    },
    ...(subject?.cluster === undefined && beside.length > 0 ? { beside } : {}),
    ...(behind.length > 0 ? { behind } : {}),
    why: `${rule.message === undefined ? '' : `${rule.message}: `}${sentence(breach, left, right)}`,
    unblock: unblock(breach, rule, names, [subject, reference]),
    source: rule.source,
  };
}

/** The distinct places of instances of one component, bytewise. */
function placesOf(instances: readonly Instance[]): readonly Place[] {
  const [component = ''] = instances.map((one) => one.component);
  const clusters = new Set(instances.flatMap(({ cluster }) => cluster ?? []));
  return [...clusters].toSorted().map((cluster) => ({ cluster, component }));
}

function sentence(breach: SkewBreach, left: string, right: string): string {
  if (breach.kind === 'unknown') return `the skew between ${left} and ${right} is unknown, because ${breach.why}`;
  const minors = breach.minors === 0 ? '' : `${breach.minors} ${breach.minors === 1 ? 'minor' : 'minors'} `;
  return `${left} is ${minors}${breach.kind} than ${right}`;
}

function unblock(
  breach: SkewBreach,
  rule: ReadySkewRule,
  names: string,
  [subject, reference]: readonly (Instance | undefined)[],
): string {
  if (breach.kind === 'unknown')
    return `find out the releases of ${names}, or add a release sequence with both to the policy`;
  const [behind, ahead] = breach.kind === 'newer' ? [reference, subject] : [subject, reference];
  const limit = breach.kind === 'newer' ? rule.newer : rule.older;
  const { minors = 0 } = limit;
  const room = minors > 0 ? ` to within ${minors} ${minors === 1 ? 'minor' : 'minors'} of` : ' to';
  return `upgrade ${behind?.component}${room} ${ahead?.version.text} first`;
}
