import type { Finding } from '../finding.ts';
import type { MetricsRule } from '../policy/change-rules.ts';
import { orderedFindings } from '../finding-order.ts';
import type { Policy } from '../policy/policy.ts';
import { namesText } from '../fleet/where-text.ts';
import { minorDistance } from '../version/minor-distance.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { ReleaseSequence } from '../version/release-sequence.ts';
import type { Version } from '../version/version.ts';
import type { MetricFamily } from './metrics-text.ts';
import { metricUses } from './metric-uses.ts';
import type { SearchedFile } from './metric-uses.ts';
import type { MetricStage } from './stability.ts';
import { isAbout, stageOf } from './stability.ts';

/** The context of a comparison of two scrapes. */
export interface MetricsContext {
  readonly policies: readonly Policy[];
  /**
   * The release that the new text is of; with it the age of a deprecation is measured in minors.
   */
  readonly to?: Version | undefined;
  /** Dashboards and rules: which of them use a metric that goes. */
  readonly usedIn?: readonly SearchedFile[] | undefined;
  /** The changelog of the new release: deprecated and removed metrics have to be named there. */
  readonly changelog?: string | undefined;
}

type Families = ReadonlyMap<string, MetricFamily>;

/**
 * The promises about metrics that a release breaks (docs/spec/upgrades.md §2.5), by the metrics of
 * the old and the new release: stable metrics that are removed without a long enough deprecation,
 * or change their type or stability.
 *
 * Newly deprecated metrics are reported as notes. A beta metric is judged as a stable one, by its
 * own time, and only gets a warning. Metrics that a product hides before it deletes them are
 * reported as hidden. Labels and new metrics are not promised. Metrics without a rule are not
 * checked.
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

/**
 * In sentences, what {@link metricFindings} does not check: metrics without a policy, whose
 * promises are unknown.
 */
export function metricsNotExamined(old: Families, policies: readonly Policy[]): readonly string[] {
  const rules = policies.flatMap(({ spec }) => spec.metrics);
  const names = [...old.keys()].filter((name) => !rules.some((rule) => isAbout(rule, name)));
  if (names.length === 0) return [];
  return [`${names.length === 1 ? 'a metric' : `${names.length} metrics`} without a policy: ${namesText(names)}`];
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
      : [finding('warn', ` is ${what}, but the changelog does not mention it`, 'name it in the changelog')];
  const stay = 'keep it, deprecated, until the end of its deprecation period';
  if (next === undefined) {
    const end = endOf(before, rule, context);
    switch (end.kind) {
      case 'too-early':
        return [finding(rule.severity, ` is gone: ${end.why}`, stay), ...silent('removed')];
      case 'unknown':
        return [
          finding('warn', ` is gone: ${end.why}`, 'pass the version of this release with --to'),
          ...silent('removed'),
        ];
      case 'hidden':
        return [finding('info', ` is hidden after its deprecation: ${end.flag} still enables it, until it is deleted`)];
      default:
        return [finding('info', ' is gone after its deprecation'), ...silent('removed')];
    }
  }
  const after = stageOf(next, rule);
  const isNew = after.deprecatedSince !== undefined && before.deprecatedSince === undefined;
  return [
    ...(next.type === old.type
      ? []
      : [
          finding(
            rule.severity,
            ` changes its type from ${old.type} to ${next.type}`,
            'use a new name for the new type',
          ),
        ]),
    ...(rank[after.stability] < rank[before.stability]
      ? [
          finding(
            rule.severity,
            ` was ${before.stability} and is ${after.stability} now`,
            'the stability of a metric must not decrease',
          ),
        ]
      : []),
    ...(isNew
      ? [finding('info', ` is deprecated since ${after.deprecatedSince} and will be removed`), ...silent('deprecated')]
      : []),
  ];
}

const rank = { alpha: 0, beta: 1, stable: 2 } as const;

/** The verdict on a metric that is not shown any more. */
type End =
  | { readonly kind: 'too-early' | 'unknown'; readonly why: string }
  | { readonly kind: 'hidden'; readonly flag: string }
  | { readonly kind: 'over' };

function endOf({ stability, deprecatedSince: since }: MetricStage, rule: MetricsRule, { to, sequences }: Judging): End {
  if (since === undefined) return { kind: 'too-early', why: `it was ${stability}, and never marked deprecated` };
  const least = stability === 'beta' ? (rule.minMinorsBeta ?? rule.minMinors) : rule.minMinors;
  const count = `${least} ${least === 1 ? 'minor' : 'minors'}`;
  // A metric that the release before showed as deprecated has been deprecated for one minor at
  // least.
  if (to === undefined && least <= 1) return { kind: 'over' };
  if (to === undefined)
    return { kind: 'unknown', why: `it is deprecated since ${since}; whether it was kept for ${count} is unknown` };
  const version = parseVersion(since.split('.').length === 2 ? `${since}.0` : since);
  const named = sequences.find(({ minors }) =>
    minors.some((minor) => to.text.replace(/^v/, '').startsWith(`${minor}.`)),
  );
  const distance = minorDistance(version, to, named);
  if (distance.kind === 'unknown')
    return { kind: 'too-early', why: `the deprecation period is unknown: ${distance.why}` };
  if (distance.minors < least)
    return {
      kind: 'too-early',
      why: `it is deprecated since ${since} and must be kept for ${count}, until after ${to.text}`,
    };
  const { hidden } = rule;
  return hidden !== undefined && distance.minors < least + hidden.minors
    ? { kind: 'hidden', flag: hidden.flag }
    : { kind: 'over' };
}
