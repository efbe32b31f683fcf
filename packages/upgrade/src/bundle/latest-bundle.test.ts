import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemLine, readFile } from '../read/read-file.ts';
import type { ChannelIndex } from './channel-index.ts';
import { channelIndex } from './channel-index.ts';
import { bundleOfRelease, latestBundle } from './latest-bundle.ts';
import { digest } from './testing/bundle-of.ts';

interface Entry {
  readonly number: number;
  readonly releaseVersion?: string | undefined;
  readonly channel?: string | undefined;
}

function indexOf(...entries: readonly Entry[]): ChannelIndex {
  const bundles = entries.map(({ number, releaseVersion, channel = 'stable' }, at) => ({
    name: `bundle-${number}`,
    channel,
    number,
    releaseVersion,
    createdAt: '2026-11-01T00:00:00Z',
    uri: `bundle-${number}.yaml`,
    digest: digest(at % 10),
  }));
  const text = JSON.stringify({
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'ChannelIndex',
    metadata: { name: 'index' },
    spec: { bundles },
  });
  const result = readFile(channelIndex, text, 'index.yaml');
  if (result.kind === 'refused') throw new Error(result.problems.map(problemLine).join('\n'));
  return result.value;
}

const found = (lookUp: ReturnType<typeof latestBundle>) => (lookUp.kind === 'found' ? lookUp.bundle.name : lookUp.why);

describe('the latest bundle of a channel', () => {
  it('is the one with the highest number, wherever it is in the list', () => {
    const index = indexOf({ number: 9 }, { number: 10 }, { number: 2 }, { number: 99, channel: 'beta' });
    expect(found(latestBundle(index.spec, 'stable'))).toBe('bundle-10');
  });

  it('does not exist where the channel does not, or two have the highest number', () => {
    const index = indexOf({ number: 9 }, { number: 9 }, { number: 2, channel: 'beta' });
    expect(found(latestBundle(index.spec, 'alpha'))).toBe(
      'the index has no bundle of channel alpha; its channels: beta, stable',
    );
    expect(found(latestBundle(index.spec, 'stable'))).toBe(
      'channel stable has 2 bundles with number 9: bundle-9, bundle-9',
    );
  });
});

describe('the bundle of a release', () => {
  const builds = indexOf(
    { number: 3, releaseVersion: 'v0.0.1-alpha+build.3' },
    { number: 1, releaseVersion: 'v0.0.1-alpha+build.1' },
    { number: 4, releaseVersion: 'v0.0.1-alpha+build.10' },
    { number: 5, releaseVersion: 'v0.0.1-alpha+build.9' },
    { number: 6, releaseVersion: 'v0.0.1-alpha+build.4' },
    { number: 7, releaseVersion: 'v0.0.1+build.99' },
    { number: 8 },
    { number: 9, releaseVersion: 'nightly' },
  );

  it.each([
    ['v0.0.1-alpha+latest', 'bundle-4'],
    ['v0.0.1-alpha+build.4', 'bundle-6'],
    ['nightly', 'bundle-9'],
    ['v0.0.2-alpha', 'channel stable has no release v0.0.2-alpha; its latest is nightly'],
    ['v0.0.2-alpha+latest', 'channel stable has no release v0.0.2-alpha+latest; its latest is nightly'],
    ['v0.0.1-alpha', 'channel stable has no release v0.0.1-alpha; its latest is v0.0.1-alpha+build.4'],
    [
      'xxx',
      '"xxx" is not a valid version: expected major.minor.patch, such as v0.19.0, v0.19.0+build.4 or v0.19.0+latest',
    ],
  ])('of the version %s: %s', (wanted, expected) => {
    expect(found(bundleOfRelease(builds.spec, 'stable', wanted))).toBe(expected);
  });

  it('is not guessed where the order of the builds is not known', () => {
    const hashes = indexOf({ number: 1, releaseVersion: 'v1.0.0+f4fe' }, { number: 2, releaseVersion: 'v1.0.0+abcd' });
    expect(found(bundleOfRelease(hashes.spec, 'stable', 'v1.0.0+latest'))).toBe(
      'the latest build of v1.0.0 cannot be determined from v1.0.0+abcd, v1.0.0+f4fe',
    );
  });

  it('is of the highest number among several of the same version', () => {
    const twice = indexOf(
      { number: 2, releaseVersion: 'v1.0.0+build.1' },
      { number: 1, releaseVersion: 'v1.0.0+build.1' },
    );
    expect(found(bundleOfRelease(twice.spec, 'stable', 'v1.0.0+build.1'))).toBe('bundle-2');
    expect(found(bundleOfRelease(twice.spec, 'beta', 'v1.0.0+latest'))).toBe(
      'channel beta has no release v1.0.0+latest; it has no releases',
    );
  });

  it('does not depend on the order of the index', () => {
    const entries = builds.spec.bundles.map((one) => ({ number: one.number, releaseVersion: one.releaseVersion }));
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
        expect(found(bundleOfRelease(indexOf(...shuffled).spec, 'stable', 'v0.0.1-alpha+latest'))).toBe('bundle-4');
      }),
      { numRuns: 20 },
    );
  });
});
