import type { Component } from '../../bundle/component.ts';
import type { Severity } from '../../words.ts';
import { compareReleases } from '../../version/compare-versions.ts';
import { minorDistance } from '../../version/minor-distance.ts';
import { minorOf } from '../../version/parse-version.ts';
import { inRange, parseVersionRange } from '../../version/parse-version-range.ts';
import type { Version } from '../../version/version.ts';
import type { ReadyHopRule } from '../rule-set.ts';

/** Why a version cannot be reached from another one at once. */
export interface HopLimit {
  readonly rule: string;
  readonly severity: Severity;
  /** The end of a sentence that begins with `v1 → v2`. */
  readonly why: string;
  readonly source: string;
}

/** The context of one hop. */
export interface HopContext {
  readonly rules: readonly ReadyHopRule[];
  readonly component: Component;
  /** The version that the whole upgrade leads to: `upgradeFrom.range` is about it alone. */
  readonly target: Version;
  /** Versions to be had, for `newestPatchFirst`. */
  readonly known: readonly Version[];
}

/** All that forbids going from one version to a newer one at once; empty where it may be done. */
export function hopLimits(from: Version, to: Version, context: HopContext): readonly HopLimit[] {
  const rules = context.rules.filter(({ whenFrom }) => whenFrom === undefined || inRange(from, whenFrom));
  return [...rules.flatMap((rule) => ruleLimits(rule, from, to, context.known)), ...ownLimits(from, to, context)];
}

function ruleLimits(rule: ReadyHopRule, from: Version, to: Version, known: readonly Version[]): readonly HopLimit[] {
  const limit = (why: string): readonly HopLimit[] => [
    { rule: rule.id, severity: rule.severity, why, source: rule.source },
  ];
  const major = from.core !== undefined && to.core !== undefined && from.core.major !== to.core.major;
  if (major && rule.majors === 'never') return limit('changes the major, which is not supported in one step');
  const distance = minorDistance(from, to, rule.minors);
  if (distance.kind === 'unknown') return limit(`cannot be measured: ${distance.why}`);
  if (distance.minors > rule.maxMinors)
    return limit(
      `is ${distance.minors} minors, and at most ${rule.maxMinors} ${rule.maxMinors === 1 ? 'is' : 'are'} supported in one step`,
    );
  const newest = rule.newestPatchFirst && distance.minors !== 0 ? newestPatch(from, known) : from;
  return newest === from ? [] : limit(`leaves minor ${minorOf(from)} before its newest patch, ${newest.text}`);
}

/** The limits that the component itself declares. */
function ownLimits(from: Version, to: Version, { component, target }: HopContext): readonly HopLimit[] {
  const limit = (why: string): readonly HopLimit[] => [
    { rule: 'bundle.upgrade-from', severity: 'block', why, source: `the bundle, ${component.id}.upgradeFrom` },
  ];
  const { range: text, maxMinors } = component.upgradeFrom;
  const range = text === undefined || to !== target ? undefined : parseVersionRange(text);
  if (range !== undefined && !('problem' in range) && !inRange(from, range))
    return limit(`does not start from a version in ${text}`);
  if (maxMinors === undefined) return [];
  const distance = minorDistance(from, to);
  if (distance.kind === 'unknown') return limit(`cannot be measured: ${distance.why}`);
  return distance.minors > maxMinors
    ? limit(`is ${distance.minors} minors, but the component supports ${maxMinors} in one step`)
    : [];
}

/**
 * The newest release of the same minor that is to be had, or the version itself; packagings of one
 * release are no patches.
 */
function newestPatch(from: Version, known: readonly Version[]): Version {
  const minor = minorOf(from);
  return known
    .filter((one) => minorOf(one) === minor && one.prerelease.length === 0)
    .reduce((best, one) => (compareReleases(one, best) > 0 ? one : best), from);
}
