import { compareIdentifiers } from './compare-identifiers.ts';
import type { Version, VersionCore, VersionOrder } from './version.ts';

/**
 * The order of `to` relative to `from`: by core, then pre-release (semver §11), then packaging
 * revision. Builds have no order: different builds of the same release are `unknown`, and so are
 * versions without a core. A leading `v` makes no difference.
 */
export function compareVersions(from: Version, to: Version): VersionOrder {
  if (from.text === to.text) return 'equal';
  if (from.core === undefined || to.core === undefined) return 'unknown';
  const order = compareReleases(to, from) || to.revision - from.revision;
  if (order !== 0) return order > 0 ? 'newer' : 'older';
  return from.build === to.build ? 'equal' : 'unknown';
}

/**
 * By core and pre-release alone: 0 where both are the same release, however packed or built.
 * Positive where `a` is the later one.
 */
export function compareReleases(a: Version, b: Version): number {
  const [left, right] = [a.core ?? none, b.core ?? none];
  return (
    left.major - right.major ||
    left.minor - right.minor ||
    left.patch - right.patch ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

const none: VersionCore = { major: 0, minor: 0, patch: 0 };

/** Positive where `a` is the later one; none at all is later than any. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = compareIdentifiers(a[at] ?? '', b[at] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
