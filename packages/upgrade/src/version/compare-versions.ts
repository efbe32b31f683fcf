import type { Version, VersionOrder } from './version.ts';

/**
 * How `to` stands to `from`: by core, then pre-release (semver §11), then packaging revision. Builds have no order: different ones of the same
 * release are `unknown`, and so is all that has no core. A leading `v` makes no difference.
 */
export function compareVersions(from: Version, to: Version): VersionOrder {
  if (from.text === to.text) return 'equal';
  if (from.core === undefined || to.core === undefined) return 'unknown';
  const order =
    to.core.major - from.core.major ||
    to.core.minor - from.core.minor ||
    to.core.patch - from.core.patch ||
    comparePrereleases(to.prerelease, from.prerelease) ||
    to.revision - from.revision;
  if (order !== 0) return order > 0 ? 'newer' : 'older';
  return from.build === to.build ? 'equal' : 'unknown';
}

/** Positive where `a` is the later one; none at all is later than any. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = compareIdentifiers(a[at] ?? '', b[at] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers by value, words by their bytes, a number before any word. */
function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) {
    const difference = BigInt(a) - BigInt(b);
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  }
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
