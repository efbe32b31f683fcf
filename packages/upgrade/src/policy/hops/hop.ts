import type { Component } from '../../bundle/component.ts';
import type { Finding } from '../../finding.ts';
import { compareReleases, compareVersions } from '../../version/compare-versions.ts';
import { minorDistance } from '../../version/minor-distance.ts';
import type { Version } from '../../version/version.ts';
import type { HopContext, HopLimit } from './hop-limits.ts';
import { hopLimits } from './hop-limits.ts';
import type { Rules } from '../rule-set.ts';
import { rulesOf } from '../rule-set.ts';
import { typeOf } from '../../bundle/type-of.ts';

/**
 * How a component gets from one version to another: at once, over stops (oldest first, the target
 * not among them), or not at all.
 */
export type Hop =
  | { readonly kind: 'direct'; readonly findings: readonly Finding[] }
  | { readonly kind: 'hops'; readonly via: readonly Version[]; readonly findings: readonly Finding[] }
  | { readonly kind: 'blocked'; readonly findings: readonly Finding[] };

/**
 * The shortest way that the hop rules of the component's type and the component itself allow
 * (docs/spec/upgrades.md §2.2), over versions that are to be had: of several ways of the same
 * length the one whose stops are newest. Limits that only warn do not make a way longer; they are
 * reported. A downgrade is never split: it is allowed where the rules and the component's
 * `rollback` both bear it, and reported as a warning. Without a rule and without a word of the
 * component every way is direct.
 */
export function hopOf(
  from: Version,
  to: Version,
  component: Component,
  { policies, known }: { readonly policies: Rules; readonly known: readonly Version[] },
): Hop {
  const rules = rulesOf(policies).hops.filter(({ subject }) => subject === typeOf(component));
  const context: HopContext = { rules, component, target: to, known };
  const order = compareVersions(from, to);
  if (order === 'equal' || isSameRelease(from, to)) return { kind: 'direct', findings: [] };
  if (order === 'older') return downgrade(from, to, context);
  const limits = hopLimits(from, to, context);
  const blocking = limits.filter(({ severity }) => severity === 'block');
  const reported = limits
    .filter((limit) => !blocking.includes(limit))
    .map((limit) => findingOf(limit, from, to, component));
  if (blocking.length === 0) return { kind: 'direct', findings: reported };
  const stops = stopsBetween(from, to, context);
  const { way, nearest } = shortest(from, to, stops, context);
  if (way !== undefined) return { kind: 'hops', via: way, findings: reported };
  const unblock =
    nearest === undefined
      ? `pass a bundle with an intermediate version; none of the given bundles leads from ${from.text} towards ${to.text}`
      : `upgrade to ${nearest.text} first, and pass a bundle with a version between it and ${to.text}`;
  return {
    kind: 'blocked',
    findings: blocking.map((limit) => ({ ...findingOf(limit, from, to, component), unblock })),
  };
}

/**
 * Versions that may be stopped at, newest first: releases between both ends that are to be had,
 * those of `upgradeFrom.via` alone where it names any.
 */
function stopsBetween(from: Version, to: Version, { component, known }: HopContext): readonly Version[] {
  const named = component.upgradeFrom.via;
  const bare = (text: string) => text.replace(/^[vV]/, '');
  const isNamed = ({ text, core }: Version) =>
    named.length === 0 ||
    named.some((one) => bare(one) === bare(text)) ||
    (core?.major === from.core?.major && core?.minor === from.core?.minor);
  const between = known.filter(
    (one) =>
      compareReleases(one, from) > 0 && compareReleases(to, one) > 0 && one.prerelease.length === 0 && isNamed(one),
  );
  const sorted = between.toSorted(
    (a, b) => compareReleases(b, a) || b.revision - a.revision || (a.text < b.text ? -1 : 1),
  );
  return sorted.filter((one, at) => sorted[at - 1]?.text !== one.text);
}

/**
 * The shortest way, and else the newest version that can be reached. Each stop is looked at once,
 * nearer ones first.
 */
function shortest(
  from: Version,
  to: Version,
  stops: readonly Version[],
  context: HopContext,
): { readonly way?: readonly Version[]; readonly nearest?: Version | undefined } {
  const mayGo = (a: Version, b: Version) => hopLimits(a, b, context).every(({ severity }) => severity !== 'block');
  // From the target backwards, so that among ways of one length the newest stop can be taken at
  // every turn.
  const length = new Map<Version, number>([[to, 0]]);
  for (let level: readonly Version[] = [to]; level.length > 0;) {
    level = [...stops, from].filter((stop) => !length.has(stop) && level.some((next) => mayGo(stop, next)));
    const far = length.size === 0 ? 0 : Math.max(...length.values()) + 1;
    for (const stop of level) length.set(stop, far);
  }
  const total = length.get(from);
  if (total === undefined) return { nearest: farthest(from, stops, mayGo) };
  const way: Version[] = [];
  for (let left = total - 1, at = from; left > 0; left--) {
    const next = stops.find((stop) => length.get(stop) === left && mayGo(at, stop));
    if (next === undefined) break;
    way.push(next);
    at = next;
  }
  return { way };
}

function farthest(from: Version, stops: readonly Version[], mayGo: (a: Version, b: Version) => boolean) {
  const reached = new Set([from]);
  for (let grown = true; grown;) {
    const more = stops.filter((stop) => !reached.has(stop) && [...reached].some((one) => mayGo(one, stop)));
    for (const stop of more) reached.add(stop);
    grown = more.length > 0;
  }
  return stops.find((stop) => reached.has(stop));
}

function downgrade(from: Version, to: Version, { rules, component }: HopContext): Hop {
  const rollback = component.rollback;
  const subject = { component: component.id };
  const what = `${component.id} ${from.text} → ${to.text} is a downgrade`;
  const blocked = (rule: string, why: string, source: string): Hop => {
    const unblock = `keep ${from.text}, or choose a bundle that is not older`;
    return { kind: 'blocked', findings: [{ rule, severity: 'block', subject, why: `${what}${why}`, unblock, source }] };
  };
  const refusal = rules.find((rule) => rule.downgrade !== 'consecutive-minor');
  if (refusal !== undefined) return blocked(refusal.id, ', which is not supported', refusal.source);
  const distance = minorDistance(to, from, rules[0]?.minors);
  const minors = distance.kind === 'known' ? distance.minors : Number.POSITIVE_INFINITY;
  const source = `the bundle, ${component.id}.rollback`;
  if (rollback === 'none') return blocked('bundle.rollback', ', which the component does not support', source);
  if (minors > (rollback === 'patch' ? 0 : 1))
    return blocked('bundle.rollback', ` further than its rollback ${rollback} allows`, source);
  const why = `${what}, which the component supports (rollback ${rollback})`;
  const reported: Finding = {
    rule: 'bundle.rollback',
    severity: 'warn',
    subject,
    why,
    unblock: 'check that this is intended',
    source,
  };
  return { kind: 'direct', findings: [reported] };
}

/** Rebuilds and packagings are no way at all. */
function isSameRelease(from: Version, to: Version): boolean {
  return from.core !== undefined && to.core !== undefined && compareReleases(from, to) === 0;
}

function findingOf(limit: HopLimit, from: Version, to: Version, component: Component): Finding {
  return {
    rule: limit.rule,
    severity: limit.severity,
    subject: { component: component.id },
    why: `${component.id} ${from.text === '' ? '(unknown version)' : from.text} → ${to.text} ${limit.why}`,
    unblock: 'stop at an intermediate version',
    source: limit.source,
  };
}
