import { buildNumber, compareNumberedBuilds } from './compare-builds.ts';
import { compareReleases, compareVersions } from './compare-versions.ts';
import type { Comparison, Relation, Revision, Version, VersionOrder } from './version.ts';

/**
 * Classifies a change from one revision to another by the table of docs/spec/upgrades.md §1.2.
 * Revisions are different if text or digests differ, and ordered if the core, a packaging revision
 * or a sequence orders them. A missing record, or an empty text, is `unknown`, and so a change.
 *
 * Another packaging of the same release is a rebuild in either direction; `order` has the direction
 * if it is known.
 */
export function compareRevisions(from: Revision | undefined, to: Revision): Comparison {
  if (from === undefined || from.version.text === '') {
    return unknown(`nothing is recorded; ${quoted(to)} follows`);
  }
  const [before, after] = [from.version, to.version];
  const sides = `${quoted(from)} and ${quoted(to)}`;
  const drifted = driftedNames(from, to);
  if (before.text !== after.text && (before.core === undefined || after.core === undefined)) {
    return unknown(`${sides} differ, and ${reasonWithoutOrder(before, after)}`);
  }
  const order = compareVersions(before, after);
  if (order === 'equal') {
    if (drifted.length > 0) {
      const reason = `the version is ${quoted(to)} on both sides, but the content of ${drifted.join(', ')} differs`;
      return { relation: 'content-drift', order, reason };
    }
    return { relation: 'same', order, reason: `${quoted(to)} on both sides` };
  }
  if (compareReleases(before, after) === 0) return rebuild(from, to);
  const relation: Relation = order === 'older' ? 'downgrade' : stepOf(before, after);
  return { relation, order, reason: `${quoted(to)} is ${order} than ${quoted(from)}` };
}

function rebuild(from: Revision, to: Revision): Comparison {
  const order = orderOfBuilds(from, to);
  const known = order === 'unknown' ? 'which of them is newer is unknown' : `the latter is ${order}`;
  const reason = `${quoted(from)} and ${quoted(to)} are builds of one release; ${known}`;
  return { relation: 'rebuild', order, reason };
}

/**
 * By the packaging revision, then a sequence that both sides have, then the numbers of the builds.
 */
function orderOfBuilds(from: Revision, to: Revision): VersionOrder {
  const byVersion = compareVersions(from.version, to.version);
  if (byVersion === 'newer' || byVersion === 'older') return byVersion;
  if (from.sequence !== undefined && to.sequence !== undefined) return compareSequences(from.sequence, to.sequence);
  const numbered = compareSequences(buildNumber(from.version.build), buildNumber(to.version.build));
  return numbered === 'unknown' ? compareNumberedBuilds(from.version.build, to.version.build) : numbered;
}

/** Two builds of the same number that are not the same build have no order. */
function compareSequences(from: number | undefined, to: number | undefined): VersionOrder {
  if (from === undefined || to === undefined || from === to) return 'unknown';
  return to > from ? 'newer' : 'older';
}

/** The highest part that grew; a step among pre-releases, or out of them, counts as a patch. */
function stepOf(before: Version, after: Version): Relation {
  if (before.core?.major !== after.core?.major) return 'major';
  return before.core?.minor === after.core?.minor ? 'patch' : 'minor';
}

/** The names that both sides have with different digests, bytewise. */
function driftedNames(from: Revision, to: Revision): readonly string[] {
  return Object.keys(to.digests)
    .filter((name) => Object.hasOwn(from.digests, name) && from.digests[name] !== to.digests[name])
    .toSorted();
}

function reasonWithoutOrder(before: Version, after: Version): string {
  if (before.scheme === 'opaque' || after.scheme === 'opaque') return 'versions of the scheme opaque have no order';
  const odd = before.core === undefined ? before : after;
  return `${JSON.stringify(odd.text)} is not a version with major, minor and patch`;
}

function unknown(reason: string): Comparison {
  return { relation: 'unknown', order: 'unknown', reason };
}

function quoted({ version }: Revision): string {
  return version.text === '' ? '""' : version.text;
}
