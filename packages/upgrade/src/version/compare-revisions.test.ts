import { anyCharacter } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBuilds } from './compare-builds.ts';
import { compareRevisions } from './compare-revisions.ts';
import { compareVersions } from './compare-versions.ts';
import { parseVersion } from './parse-version.ts';
import type { Relation, Revision, VersionOrder, VersionScheme } from './version.ts';
import { versionSchemes } from './version.ts';

interface Side {
  readonly text: string;
  readonly digest?: string | undefined;
  readonly sequence?: number | undefined;
}

function revision({ text, digest, sequence }: Side, scheme: VersionScheme): Revision {
  return { version: parseVersion(text, scheme), digests: digest === undefined ? {} : { image: digest }, sequence };
}

function verdict(from: string | Side, to: string | Side, scheme: VersionScheme = 'semver') {
  const [a, b] = [from, to].map((side) => revision(typeof side === 'string' ? { text: side } : side, scheme));
  if (b === undefined) throw new Error('two sides');
  return compareRevisions(a, b);
}

describe('a change of version', () => {
  it.each<readonly [string, string, Relation, VersionOrder, VersionScheme]>([
    ['v1.13.2+aaaaaaa', 'v1.13.2+bbbbbbb', 'rebuild', 'unknown', 'semver'],
    ['v0.4.2', 'v0.4.2+build-2', 'rebuild', 'unknown', 'semver'],
    ['v0.4.2+build-2', 'v0.4.2+build-10', 'rebuild', 'unknown', 'semver'],
    ['v1.18.1-1', 'v1.18.1-2', 'rebuild', 'newer', 'eks-suffix'],
    ['v1.18.1-2', 'v1.18.1-1', 'rebuild', 'older', 'eks-suffix'],
    ['v1.18.1-1', 'v1.18.1-2', 'patch', 'newer', 'semver'],
    ['v1.18.1', 'v1.18.1-1', 'rebuild', 'newer', 'eks-suffix'],
    ['v1.18.1', 'v1.18.1-1', 'downgrade', 'older', 'semver'],
    ['v0.19.0-dev+build.170+6a04c21', 'v0.19.0-dev+build.171+0000000', 'rebuild', 'newer', 'semver'],
    ['v0.19.0-dev+build.170+6a04c21', 'v0.19.0-dev+build.170+0000000', 'rebuild', 'unknown', 'semver'],
    ['v1.0.0+3.4', 'v1.0.0+3.10', 'rebuild', 'newer', 'semver'],
    ['v1.0.0+3', 'v1.0.0+3.10', 'rebuild', 'unknown', 'semver'],
    ['v1.0.0+1234567', 'v1.0.0+a234567', 'rebuild', 'unknown', 'semver'],
    ['v1.31.14-eks-1-31-47', 'v1.31.14+kubernetes-1-31-eks-47', 'same', 'equal', 'semver'],
    ['v1.31.14+kubernetes-1-31-eks-47', 'v1.31.14-eks-d-1-31-47', 'same', 'equal', 'eks-suffix'],
    ['v1.31.14-eks-1-31-9', 'v1.31.14+kubernetes-1-31-eks-47', 'rebuild', 'newer', 'semver'],
    ['v1.31.14+kubernetes-1-31-eks-48', 'v1.31.14-eks-1-31-47', 'rebuild', 'older', 'semver'],
    ['v1.31.13-eks-1-31-46', 'v1.31.14+kubernetes-1-31-eks-47', 'patch', 'newer', 'semver'],
    ['v1.31.14-eks-5d4a308', 'v1.31.14+kubernetes-1-31-eks-47', 'rebuild', 'unknown', 'semver'],
    ['v1.31.14-eks-1-30-47', 'v1.31.14+kubernetes-1-31-eks-47', 'rebuild', 'unknown', 'semver'],
    ['v1.6.2', 'v1.6.1', 'downgrade', 'older', 'semver'],
    ['v1.6.1', 'v1.6.2', 'patch', 'newer', 'semver'],
    ['v1.6.1', 'v1.7.0', 'minor', 'newer', 'semver'],
    ['v1.6.1', 'v2.0.0', 'major', 'newer', 'semver'],
    ['1.0.0-rc.1', '1.0.0', 'patch', 'newer', 'semver'],
    ['v1.6.2', 'deprecated', 'unknown', 'unknown', 'semver'],
    ['1.6.2', 'v1.6.2', 'same', 'equal', 'semver'],
    ['2026.11.3', '2027.1.0', 'major', 'newer', 'calver'],
    ['2026.11.3', '2026.12.0', 'minor', 'newer', 'calver'],
    ['release-7', 'release-8', 'unknown', 'unknown', 'opaque'],
    ['release-7', 'release-7', 'same', 'equal', 'opaque'],
  ])('from %s to %s is a %s, %s, under %s', (from, to, relation, order, scheme) => {
    expect(verdict(from, to, scheme)).toMatchObject({ relation, order });
  });

  it('of the build alone is a rebuild of unknown order', () => {
    expect(verdict('v1.13.2+aaaaaaa', 'v1.13.2+bbbbbbb')).toEqual({
      relation: 'rebuild',
      order: 'unknown',
      reason: 'v1.13.2+aaaaaaa and v1.13.2+bbbbbbb are builds of one release; which of them is newer is unknown',
    });
  });

  it('does not exist where version and digests are the same', () => {
    const side = { text: 'v1.0.0', digest: 'sha256:a' };
    expect(verdict(side, side)).toEqual({ relation: 'same', order: 'equal', reason: 'v1.0.0 on both sides' });
  });

  it.each(['11', '11.1', 'xxx', '11.1.1.1'])('from the recorded version %j is unknown', (recorded) => {
    expect(verdict(recorded, 'v1.0.0')).toEqual({
      relation: 'unknown',
      order: 'unknown',
      reason: `${recorded} and v1.0.0 differ, and "${recorded}" is not a version with major, minor and patch`,
    });
  });

  it('from no recorded version is unknown, and a change', () => {
    const expected = { relation: 'unknown', order: 'unknown', reason: 'nothing is recorded; v1.0.0 follows' };
    expect(verdict('', 'v1.0.0')).toEqual(expected);
    expect(compareRevisions(undefined, revision({ text: 'v1.0.0' }, 'semver'))).toEqual(expected);
  });

  it('of Cilium from v1.18.1-1 to v1.18.1-2 is a rebuild, or a pre-release step, by the scheme', () => {
    expect(verdict('v1.18.1-1', 'v1.18.1-2', 'eks-suffix')).toMatchObject({ relation: 'rebuild', order: 'newer' });
    expect(verdict('v1.18.1-1', 'v1.18.1-2')).toMatchObject({ relation: 'patch', order: 'newer' });
  });

  it('to something older is a downgrade', () => {
    expect(verdict('v1.6.2', 'v1.6.1')).toEqual({
      relation: 'downgrade',
      order: 'older',
      reason: 'v1.6.1 is older than v1.6.2',
    });
  });

  it.each(versionSchemes)('of the content under the same version is content-drift, under %s', (scheme) => {
    const [from, to] = ['sha256:a', 'sha256:b'].map((digest) => ({ text: 'v1.0.0', digest, sequence: 1 }));
    expect(verdict(from ?? '', to ?? '', scheme)).toEqual({
      relation: 'content-drift',
      order: 'equal',
      reason: 'the version is v1.0.0 on both sides, but the content of image differs',
    });
  });

  it('is ordered by sequences where both sides have one; the same text stays the same', () => {
    expect(verdict({ text: 'v1.0.0+x', sequence: 3 }, { text: 'v1.0.0+y', sequence: 4 }).order).toBe('newer');
    expect(verdict({ text: 'v1.0.0+x', sequence: 3 }, 'v1.0.0+y').order).toBe('unknown');
    expect(verdict({ text: 'v1.0.0', sequence: 4 }, { text: 'v1.0.0', sequence: 3 }).relation).toBe('same');
  });

  const text = fc.oneof(
    fc.string({ unit: anyCharacter() }),
    fc
      .tuple(fc.nat(1), fc.nat(1), fc.nat(2), fc.constantFrom('', '-1', '-2', '-rc.1'), fc.constantFrom('', '+1', '+a'))
      .map(([major, minor, patch, suffix, build]) => `${major}.${minor}.${patch}${suffix}${build}`),
  );
  const side = fc.record({
    text,
    digest: fc.constantFrom(undefined, 'sha256:a', 'sha256:b'),
    sequence: fc.constantFrom(undefined, 1, 2),
  });
  const scheme = fc.constantFrom(...versionSchemes);

  it('is judged for any two texts, and turns round when the sides do', () => {
    const mirrored = { equal: 'equal', unknown: 'unknown', newer: 'older', older: 'newer' } as const;
    fc.assert(
      fc.property(side, side, scheme, (a, b, by) => {
        const [there, back] = [verdict(a, b, by), verdict(b, a, by)];
        expect(back.order).toBe(mirrored[there.order]);
        expect(verdict(a, a, by).relation).toBe(a.text === '' ? 'unknown' : 'same');
        // Upwards one way is downwards the other; all other relations are their own mirror.
        const upwards = (relation: Relation) => ['patch', 'minor', 'major'].includes(relation);
        if (upwards(there.relation)) expect(back.relation).toBe('downgrade');
        else if (there.relation === 'downgrade') expect(upwards(back.relation)).toBe(true);
        else if (a.text !== '' && b.text !== '') expect(back.relation).toBe(there.relation);
      }),
    );
  });
});

describe('the order of versions and builds', () => {
  it.each<readonly [string, string, VersionOrder]>([
    ['build.9', 'build.10', 'newer'],
    ['build.1234', 'build.1235', 'newer'],
    ['build.2340', 'build.423', 'older'],
    ['build.1235', 'build.1235.custom', 'newer'],
    ['build.5', 'build.x', 'newer'],
    ['build.1235', 'build.custom', 'newer'],
    ['f4fe', 'abcd', 'unknown'],
    ['f4fe.f234f', 'f4fe.werwe', 'unknown'],
    ['build.7', 'build.7', 'equal'],
    ['build.007', 'build.7', 'equal'],
    ['build.99999999999999999998', 'build.100000000000000000000', 'newer'],
    ['', 'build.1', 'newer'],
  ])('from %s to %s: %s', (from, to, order) => {
    expect(compareBuilds(from, to)).toBe(order);
  });

  const build = fc.array(fc.constantFrom('1', '2', '10', 'a', 'b'), { maxLength: 3 }).map((parts) => parts.join('.'));
  const version = fc
    .tuple(fc.nat(1), fc.nat(1), fc.constantFrom('', '-1', '-2', '-rc.1', '-rc.x'), build)
    .map(([minor, patch, suffix, tail]) => `1.${minor}.${patch}${suffix}${tail === '' ? '' : `+${tail}`}`);

  it.each([
    ['builds', build, () => compareBuilds],
    [
      'versions',
      version,
      (scheme: VersionScheme) => (a: string, b: string) =>
        compareVersions(parseVersion(a, scheme), parseVersion(b, scheme)),
    ],
  ] as const)('carries over from one to the next, of %s', (_what, texts, orderBy) => {
    fc.assert(
      fc.property(texts, texts, texts, fc.constantFrom(...versionSchemes), (a, b, c, scheme) => {
        const order = orderBy(scheme);
        if (order(a, b) === 'newer' && order(b, c) === 'newer') expect(order(a, c)).toBe('newer');
        if (order(a, b) === 'equal' && order(b, c) === 'equal') expect(order(a, c)).toBe('equal');
      }),
      { numRuns: 2000 },
    );
  });
});
