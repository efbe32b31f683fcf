import { bundleDigest, componentBundle, readFile } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { web } from '../testing/web.ts';
import { nodeCrypto } from '../../world/node-crypto.ts';
import { aBundle } from './testing/a-bundle.ts';

function digestOf(text: string): string {
  const result = readFile(componentBundle, text, 'b');
  if (result.kind === 'refused') throw new Error('not read');
  return bundleDigest(result.written, nodeCrypto.sha256);
}

interface Listed {
  readonly number: number;
  readonly text?: string | undefined;
  readonly uri?: string | undefined;
  readonly releaseVersion?: string | undefined;
}

const index = (...listed: readonly Listed[]) => `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ChannelIndex
metadata: {name: index}
spec:
  bundles:
${listed
  .map(({ number, text = aBundle(), uri = 'b.yaml', releaseVersion }) =>
    JSON.stringify({
      name: `bundle-${number}`,
      channel: 'stable',
      number,
      releaseVersion,
      createdAt: '2026-11-01T00:00:00Z',
      uri,
      digest: digestOf(text),
    }),
  )
  .map((line) => `    - ${line}\n`)
  .join('')}`;

interface World {
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly pages?: Readonly<Record<string, string>> | undefined;
}

async function latest({ files = {}, pages = {} }: World, ...args: readonly string[]) {
  const io = madeUpIo({ files, network: web(pages) });
  return { exit: await runCli(io, ['upgrade', 'bundle', 'latest', ...args]), out: io.out, err: io.err };
}

describe('isthmus upgrade bundle latest', () => {
  it('finds the highest number, and reads the bundle beside the index of a folder', async () => {
    const files = { 'd/index.yaml': index({ number: 6 }, { number: 7 }), 'd/b.yaml': aBundle() };
    expect(await latest({ files }, 'd/')).toEqual({
      exit: 0,
      out: `bundle-7 (number 7, channel stable) ${digestOf(aBundle())}\nd/b.yaml\nNo findings.\n`,
      err: '',
    });
  });

  it('fetches index and bundle from a URL, and prints the bundle as it was fetched', async () => {
    const pages = {
      'https://x.example/bundles/index.yaml': index({ number: 7, uri: '../b/7.yaml' }),
      'https://x.example/b/7.yaml': aBundle(),
    };
    expect(await latest({ pages }, 'https://x.example/bundles', '-o', 'yaml')).toEqual({
      exit: 0,
      out: aBundle(),
      err: '',
    });
  });

  it('finds the highest build of a release', async () => {
    const builds = [3, 1, 10, 9].map((build) => ({ number: build, releaseVersion: `v0.0.1-alpha+build.${build}` }));
    const ten = aBundle().replace('number: 7', 'number: 10').replace('bundle-7', 'bundle-10');
    const files = { 'index.yaml': index(...builds.map((one) => ({ ...one, text: ten }))), 'b.yaml': ten };
    const { exit, out } = await latest({ files }, 'index.yaml', '--release', 'v0.0.1-alpha+latest', '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      bundle: 'bundle-10',
      releaseVersion: 'v0.0.1-alpha+build.10',
      findings: [],
    });
    const none = await latest({ files }, 'index.yaml', '--release', 'v0.0.2-alpha');
    expect(none).toEqual({
      exit: 1,
      out: '',
      err: 'error: index.yaml: channel stable has no release v0.0.2-alpha; its latest is v0.0.1-alpha+build.10\n',
    });
  });

  it('passes over what is for another isthmus, and reports it; what was asked for by name is rejected', async () => {
    const numbered = (number: number, engine = '') =>
      aBundle().replace('number: 7', `number: ${number}${engine}`).replace('bundle-7', `bundle-${number}`);
    const newer = numbered(8, '\n  engine: {min: 9.0.0}');
    const listed = [{ number: 7 }, { number: 8, text: newer, uri: '8.yaml', releaseVersion: 'v8.0.0' }];
    const files = { 'index.yaml': index(...listed), 'b.yaml': aBundle(), '8.yaml': newer };
    const { exit, out } = await latest({ files }, 'index.yaml');
    expect(exit).toBe(0);
    expect(out).toContain('bundle-7 (number 7, channel stable)');
    expect(out).toContain('the bundle bundle-8 requires isthmus >=9.0.0, but this is isthmus');
    const named = await latest({ files }, 'index.yaml', '--release', 'v8.0.0', '-o', 'yaml');
    expect([named.exit, named.out]).toEqual([3, '']);
    const only = { 'index.yaml': index(listed[1] ?? { number: 8 }), '8.yaml': newer };
    expect((await latest({ files: only }, 'index.yaml')).exit).toBe(3);
  });

  it('refuses a bundle with another content, and does not hand it on', async () => {
    const files = { 'index.yaml': index({ number: 7 }), 'b.yaml': aBundle().replace('sha256:1', 'sha256:3') };
    const { exit, out, err } = await latest({ files }, 'index.yaml', '-o', 'yaml');
    expect([exit, out]).toEqual([3, '']);
    expect(err).toContain('this is not the published content');
  });

  it('refuses a bundle that is another one', async () => {
    const files = { 'index.yaml': index({ number: 8 }), 'b.yaml': aBundle() };
    const { exit, out } = await latest({ files }, 'index.yaml');
    expect(exit).toBe(3);
    expect(out).toContain('its number is 7, but the index index.yaml has 8');
    expect(out).toContain('its name is bundle-7, but the index index.yaml has bundle-8');
  });

  it.each([
    ['file:///etc/passwd', '"file:///etc/passwd" is not an http or https URL'],
    ['/etc/passwd', 'cannot fetch https://x.example/etc/passwd: the server answers with 404'],
  ])('reads no file of this machine for an index from the network: %s', async (uri, message) => {
    const pages = { 'https://x.example/index.yaml': index({ number: 7, uri }) };
    const { exit, err } = await latest({ pages, files: { '/etc/passwd': aBundle() } }, 'https://x.example/index.yaml');
    expect(exit).toBe(1);
    expect(err).toContain(message);
  });

  it.each(['/etc/passwd', '../b.yaml'])('reads no file outside the folder of a local index: %s', async (uri) => {
    const files = { 'd/index.yaml': index({ number: 7, uri }), '/etc/passwd': aBundle(), 'b.yaml': aBundle() };
    const { exit, out, err } = await latest({ files }, 'd/index.yaml');
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(`d/index.yaml: cannot read "${uri}": it is not a file in the folder of the index`);
  });

  it('reads a Release of EKS Anywhere, whose bundles have no digest there', async () => {
    const release = `apiVersion: anywhere.eks.amazonaws.com/v1alpha1
kind: Release
metadata: {name: eks-a-release}
spec:
  latestVersion: v0.19.0
  releases:
    - {version: v0.18.0, number: 55, bundleManifestUrl: "https://x.example/55.yaml"}
    - {version: v0.19.0, number: 56, date: "2024-02-13T21:11:37Z", bundleManifestUrl: "https://x.example/56.yaml"}
`;
    const bundles = `apiVersion: anywhere.eks.amazonaws.com/v1alpha1
kind: Bundles
metadata: {name: bundles-56}
spec: {number: 56, versionsBundles: [{kubeVersion: "1.31", flux: {version: v2.3.0}}]}
`;
    const pages = { 'https://x.example/release.yaml': release, 'https://x.example/56.yaml': bundles };
    const { exit, out } = await latest({ pages }, 'https://x.example/release.yaml');
    expect(exit).toBe(2);
    expect(out).toContain('bundles-56 (number 56, channel eks-anywhere)');
    expect(out).toContain('has no digest of the bundle');
  });

  it.each([
    ['an index that is not there', ['x.yaml'], 'cannot read x.yaml: no such file'],
    [
      'another channel',
      ['index.yaml', '--channel', 'beta'],
      'the index has no bundle of channel beta; its channels: stable',
    ],
    ['a version that is none', ['index.yaml', '--release', 'xxx'], '"xxx" is not a valid version'],
    ['no release', ['index.yaml', '--release', '+latest'], '--release +latest does not name a release'],
    ['a file that is no index', ['b.yaml'], 'b.yaml has '],
  ])('ends with 1 for %s', async (_what, args, message) => {
    const { exit, out, err } = await latest(
      { files: { 'index.yaml': index({ number: 7 }), 'b.yaml': aBundle() } },
      ...args,
    );
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });
});
