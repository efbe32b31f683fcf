import type { Finding } from '../finding.ts';
import type { MetricsRule } from '../policy/change-rules.ts';
import { orderedFindings } from '../finding-order.ts';
import type { Policy } from '../policy/policy.ts';
import { namesText } from '../policy/where-text.ts';
import { minorDistance } from '../version/minor-distance.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { ReleaseSequence } from '../version/release-sequence.ts';
import type { Version } from '../version/version.ts';
import type { MetricFamily } from './metrics-text.ts';
import { metricUses } from './metric-uses.ts';
import type { SearchedFile } from './metric-uses.ts';
import { isAbout, stageOf } from './stability.ts';

/** What two scrapes are judged by. */
export interface MetricsContext {
  readonly policies: readonly Policy[];
  /** The release that the new text is of; with it the age of a deprecation is measured in minors. */
  readonly to?: Version | undefined;
  /** Dashboards and rules: which of them use a metric that goes. */
  readonly usedIn?: readonly SearchedFile[] | undefined;
  /** The changelog of the new release: deprecated and removed metrics have to be named there. */
  readonly changelog?: string | undefined;
}

type Families = ReadonlyMap<string, MetricFamily>;

/**
 * Which promises about metrics a release breaks (upgrades.md §2.5), by what it showed before and what it shows then: stable ones that are gone
 * without having been deprecated long enough, or change their type or stability. Newly deprecated ones are told for the record. A beta metric
 * is judged as a stable one, and only warned of. Labels and new metrics are nobody's promise. A metric that no rule is about is not looked at.
 */
export function metricFindings(old: Families, next: Families, context: MetricsContext): readonly Finding[] {
  // A product counts by its own sequence.
  const rules = context.policies.flatMap(({ spec }) =>
    spec.metrics.map((rule) => ({ rule, sequences: spec.sequences })),
  );
  const findings = [...old.values()].flatMap((family) =>
    rules
      .filter(({ rule }) => isAbout(rule, family.name))
      .flatMap(({ rule, sequences }) => judged(family, next.get(family.name), rule, { ...context, sequences })),
  );
  return orderedFindings(findings);
}

interface Judging extends MetricsContext {
  readonly sequences: readonly ReleaseSequence[];
}

function judged(
  old: MetricFamily,
  next: MetricFamily | undefined,
  rule: MetricsRule,
  context: Judging,
): readonly Finding[] {
  const before = stageOf(old, rule);
  if (before.stability === 'alpha') return [];
  const uses = metricUses(old, context.usedIn ?? []);
  const used = uses.length === 0 ? '' : `; used in ${namesText(uses)}`;
  const finding = (severity: Finding['severity'], why: string, unblock?: string): Finding => ({
    rule: rule.id,
    severity: severity === 'block' && before.stability === 'beta' ? 'warn' : severity,
    subject: { object: old.name },
    why: `${old.name}${why}${used}`,
    ...(unblock === undefined ? {} : { unblock }),
    source: rule.source,
  });
  const silent = (what: string): readonly Finding[] =>
    context.changelog === undefined || context.changelog.includes(old.name)
      ? []
      : [finding('warn', ` is ${what}, and the changelog does not say so`, 'name it in the changelog')];
  const stay = 'keep it, deprecated, until its time is over';
  if (next === undefined) {
    const problem = goneProblem(before.deprecatedSince, rule, context);
    const told =
      problem === undefined
        ? finding('info', ' is gone after its deprecation')
        : finding(rule.severity, ` is gone: ${problem}`, stay);
    return [told, ...silent('removed')];
  }
  const after = stageOf(next, rule);
  const isNew = after.deprecatedSince !== undefined && before.deprecatedSince === undefined;
  return [
    ...(next.type === old.type
      ? []
      : [finding(rule.severity, ` changes its type from ${old.type} to ${next.type}`, 'give the new type a new name')]),
    ...(after.stability === 'alpha'
      ? [finding(rule.severity, ` was ${before.stability} and is alpha now`, 'a metric does not become less stable')]
      : []),
    ...(isNew
      ? [finding('info', ` is deprecated since ${after.deprecatedSince} and will go`), ...silent('deprecated')]
      : []),
  ];
}

/** Why a metric may not be gone yet. */
function goneProblem(since: string | undefined, rule: MetricsRule, { to, sequences }: Judging): string | undefined {
  if (since === undefined) return 'it was stable, and never marked deprecated';
  if (to === undefined) return undefined;
  const version = parseVersion(since.split('.').length === 2 ? `${since}.0` : since);
  const named = sequences.find(({ minors }) =>
    minors.some((minor) => to.text.replace(/^v/, '').startsWith(`${minor}.`)),
  );
  const distance = minorDistance(version, to, named);
  if (distance.kind === 'unknown') return `how long it was deprecated cannot be told: ${distance.why}`;
  const { minMinors } = rule;
  return distance.minors >= minMinors
    ? undefined
    : `it is deprecated since ${since} and has to stay for ${minMinors} ${minMinors === 1 ? 'minor' : 'minors'}, until after ${to.text}`;
}
