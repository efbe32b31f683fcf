import { compareBuilds } from '../version/compare-builds.ts';
import { compareReleases } from '../version/compare-versions.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { ChannelIndex } from './channel-index.ts';

/** One bundle in an index; indexes of other publishers may lack digests. */
export type IndexedBundle = Omit<ChannelIndex['spec']['bundles'][number], 'digest'> & {
  readonly digest?: string | undefined;
};

/** The bundles of an index in any format. */
export interface BundleList {
  readonly bundles: readonly IndexedBundle[];
}

/** The result of a look-up. */
export type LookUp =
  | { readonly kind: 'found'; readonly bundle: IndexedBundle }
  /** There is no latest bundle, or it is ambiguous; `why` names the bundles that exist. */
  | { readonly kind: 'none'; readonly why: string };

/**
 * The latest bundle of a channel: the one with the highest number. Two of one number are refused:
 * neither can be meant.
 */
export function latestBundle({ bundles }: BundleList, channel: string): LookUp {
  const inChannel = bundles.filter((one) => one.channel === channel);
  if (inChannel.length === 0) {
    const channels = [...new Set(bundles.map((one) => one.channel))].toSorted().join(', ') || 'none';
    return none(`the index has no bundle of channel ${channel}; its channels: ${channels}`);
  }
  const number = inChannel.reduce((highest, one) => Math.max(highest, one.number), 0);
  const newest = inChannel.filter((one) => one.number === number);
  const [bundle, second] = newest;
  if (bundle === undefined || second !== undefined) {
    const names = newest.map(({ name }) => name).toSorted();
    return none(`channel ${channel} has ${newest.length} bundles with number ${number}: ${names.join(', ')}`);
  }
  return { kind: 'found', bundle };
}

/**
 * The bundle of a release by its version: the exact text first; where the build that is wanted is
 * the word `latest`, the highest build among those of the same release
 * (docs/spec/upgrades.md §1.1). Builds whose order is not known (two hashes) are not guessed at.
 * Where several bundles have that version, the one with the highest number.
 */
export function bundleOfRelease(list: BundleList, channel: string, wanted: string): LookUp {
  const released = list.bundles.filter((one) => one.channel === channel && one.releaseVersion !== undefined);
  const exact = released.filter((one) => one.releaseVersion === wanted);
  if (exact.length > 0) return highestNumber(exact);
  const asked = parseVersion(wanted);
  if (asked.core === undefined) {
    return none(
      `${JSON.stringify(wanted)} is not a valid version: expected major.minor.patch, such as v0.19.0, v0.19.0+build.4 or v0.19.0+latest`,
    );
  }
  const read = released.map((bundle) => ({ bundle, version: parseVersion(bundle.releaseVersion ?? '') }));
  const same = read.filter(({ version }) => version.core !== undefined && compareReleases(version, asked) === 0);
  if (asked.build !== 'latest') return none(missing(wanted, channel, same.length > 0 ? same : read));
  if (same.length === 0) return none(missing(wanted, channel, read));
  const highest = same.filter(({ version }) =>
    same.every((other) => ['newer', 'equal'].includes(compareBuilds(other.version.build, version.build))),
  );
  if (highest.length > 0) return highestNumber(highest.map(({ bundle }) => bundle));
  const builds = same.map(({ version }) => version.text).toSorted();
  return none(`the latest build of ${wanted.replace(/\+latest$/, '')} cannot be determined from ${builds.join(', ')}`);
}

function highestNumber(bundles: readonly IndexedBundle[]): LookUp {
  const [first, second] = bundles.toSorted((a, b) => b.number - a.number);
  if (first === undefined) return none('there is none');
  if (second?.number !== first.number || second.digest === first.digest) return { kind: 'found', bundle: first };
  return none(`the bundles ${first.name} and ${second.name} have the same version and number, but different content`);
}

/** Names the latest version that there is, so that a person sees what to ask for. */
function missing(wanted: string, channel: string, read: readonly { readonly bundle: IndexedBundle }[]): string {
  const newest = read.map(({ bundle }) => bundle).toSorted((a, b) => b.number - a.number)[0];
  const latest = newest === undefined ? 'it has no releases' : `its latest is ${newest.releaseVersion}`;
  return `channel ${channel} has no release ${wanted}; ${latest}`;
}

function none(why: string): LookUp {
  return { kind: 'none', why };
}
