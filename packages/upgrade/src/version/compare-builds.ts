import { compareIdentifiers, isNumeric } from './compare-identifiers.ts';
import type { VersionOrder } from './version.ts';

/**
 * The order of the build `to` relative to the build `from` (docs/spec/upgrades.md §1.2). The first
 * identifier that differs decides, split at dots and plusses. Numbers are compared by value, and a
 * number comes before a word; two different words are unknown. If all are equal, the longer one is
 * newer.
 *
 * For look-ups among builds of one publisher (`+latest`). A hash may begin with a digit or be a
 * number: no plan treats a build as newer by this alone.
 */
export function compareBuilds(from: string, to: string): VersionOrder {
  const [first, last] = [identifiersOf(from), identifiersOf(to)];
  for (let at = 0; at < Math.min(first.length, last.length); at++) {
    const [a = '', b = ''] = [first[at], last[at]];
    const order = compareIdentifiers(b, a);
    if (order !== 0) return isNumeric(a) || isNumeric(b) ? orderOf(order) : 'unknown';
  }
  return orderOf(last.length - first.length);
}

/**
 * The order of two builds that differ only in numbers and have the same length; otherwise unknown.
 * Plans may use it.
 */
export function compareNumberedBuilds(from: string, to: string): VersionOrder {
  const [first, last] = [identifiersOf(from), identifiersOf(to)];
  if (first.length !== last.length) return 'unknown';
  const differ = first.flatMap((a, at) => (a === last[at] ? [] : [a, last[at] ?? '']));
  return differ.every(isNumeric) ? compareBuilds(from, to) : 'unknown';
}

/**
 * The number of a build that is called `build.N`, or `build.N+` and a hash, as EKS Anywhere counts
 * its releases, or `kubernetes-1-31-eks-N`, as EKS Distro counts those of a Kubernetes minor.
 */
export function buildNumber(build: string): number | undefined {
  const [, digits] = /^(?:build\.|kubernetes-\d+-\d+-eks-)(\d{1,15})(?:\+|$)/.exec(build) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function identifiersOf(build: string): readonly string[] {
  return build === '' ? [] : build.split(/[.+]/);
}

function orderOf(difference: number): VersionOrder {
  return difference > 0 ? 'newer' : difference < 0 ? 'older' : 'equal';
}
