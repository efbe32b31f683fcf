import type { MetricsRule } from '../policy/change-rules.ts';
import type { MetricFamily } from './metrics-text.ts';

/** The stability that a metric reports in its HELP. */
export interface MetricStage {
  readonly stability: 'alpha' | 'beta' | 'stable';
  /** The version since which it is deprecated, as its HELP has it; absent: it is not. */
  readonly deprecatedSince?: string | undefined;
}

/**
 * How stable a metric is by a rule. A mark [ALPHA], [BETA] or [STABLE] at the begin of its HELP
 * counts under every rule, before or after the mark of deprecation; without one the rule decides.
 */
export function stageOf({ name, help = '' }: MetricFamily, rule: MetricsRule): MetricStage {
  const mark = String.raw`\[(ALPHA|BETA|STABLE)\]`;
  const [before, after] = rule.deprecatedMark.split('{version}').map(escaped);
  const deprecated = `${before}v?(\\d+(?:\\.\\d+){0,2})${after}`;
  const pattern = new RegExp(`^\\s*(?:${mark}\\s*)?(?:${deprecated}\\s*)?(?:${mark})?`, 'i');
  const [, first, since, second] = pattern.exec(help) ?? [];
  const tag = (first ?? second)?.toLowerCase() as MetricStage['stability'] | undefined;
  const isAlpha = rule.stability === 'help-text' || rule.alpha.some((one) => isNamed(name, one));
  return {
    stability: tag ?? (isAlpha ? 'alpha' : 'stable'),
    ...(since === undefined ? {} : { deprecatedSince: since }),
  };
}

/** Whether a rule is about a metric. */
export function isAbout(rule: MetricsRule, name: string): boolean {
  return rule.names.some((one) => isNamed(name, one));
}

/** A name, or a prefix and `*`. */
function isNamed(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
