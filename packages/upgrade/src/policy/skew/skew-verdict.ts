import { compareReleases } from '../../version/compare-versions.ts';
import { minorDistance } from '../../version/minor-distance.ts';
import { inRange } from '../../version/parse-version-range.ts';
import type { Version } from '../../version/version.ts';
import type { ReadySkewRule } from '../rule-set.ts';

/** How a version breaks a rule about skew against another one. */
export type SkewBreach =
  | { readonly kind: 'newer' | 'older'; readonly minors: number }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Whether two versions may work together under a rule (docs/spec/upgrades.md §2.2): undefined where
 * they may, or where the rule does not speak of them. Builds and packagings of one release are
 * equal; a pre-release comes before its release. A distance that cannot be reported is a breach.
 */
export function skewBreach(rule: ReadySkewRule, subject: Version, reference: Version): SkewBreach | undefined {
  if (subject.text === reference.text) return undefined;
  if (rule.whenSubject !== undefined && !inRange(subject, rule.whenSubject)) return undefined;
  if (rule.whenReference !== undefined && !inRange(reference, rule.whenReference)) return undefined;
  const distance = minorDistance(reference, subject, rule.minors);
  if (distance.kind === 'unknown') return { kind: 'unknown', why: distance.why };
  // Patches decide only within one minor.
  const order = distance.minors === 0 ? compareReleases(subject, reference) : distance.minors;
  if (order === 0) return undefined;
  const [kind, limit] = order > 0 ? (['newer', rule.newer] as const) : (['older', rule.older] as const);
  const minors = Math.abs(distance.minors);
  const isWithin = minors === 0 ? limit.patches === 'any' : minors <= (limit.minors ?? minors);
  return isWithin ? undefined : { kind, minors };
}
