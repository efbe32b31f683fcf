import { anyCharacter } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';
import { minorDistance } from './minor-distance.ts';
import { parseVersion } from './parse-version.ts';
import type { VersionScheme } from './version.ts';
import { versionSchemes } from './version.ts';

describe('parsing a version', () => {
  it('takes all that follows the first + for the build', () => {
    expect(parseVersion('v0.19.0-dev+build.170+6a04c21')).toMatchObject({
      core: { major: 0, minor: 19, patch: 0 },
      prerelease: ['dev'],
      build: 'build.170+6a04c21',
    });
  });

  it('reads the suffix -1 as a packaging, or as a pre-release, by the scheme', () => {
    expect(parseVersion('v1.19.4-1', 'eks-suffix')).toMatchObject({ prerelease: [], revision: 1 });
    expect(parseVersion('v1.19.4-1')).toMatchObject({ prerelease: ['1'], revision: 0 });
  });

  it.each(['11', '11.1', '', 'xxx', '11.1.1.1', 'deprecated', '99999999999999999999.0.0'])('%j has no core', (text) => {
    expect(parseVersion(text).core).toBeUndefined();
  });
});

describe('the order of two versions', () => {
  it.each<readonly [string, string, string, VersionScheme]>([
    ['v1.13.2+aaaaaaa', 'v1.13.2+bbbbbbb', 'unknown', 'semver'],
    ['v1.6.2', 'v1.6.1', 'older', 'semver'],
    ['v1.18.1-1', 'v1.18.1-2', 'newer', 'eks-suffix'],
    ['v1.18.1', 'v1.18.1-1', 'newer', 'eks-suffix'],
    ['v1.18.1', 'v1.18.1-1', 'older', 'semver'],
    ['1.0.0-rc.9', '1.0.0-rc.10', 'newer', 'semver'],
    ['v1.0.0', '1.0.0', 'equal', 'semver'],
    ['2026.11.3', '2026.12.0', 'newer', 'calver'],
    ['24.04', '24.10', 'newer', 'calver'],
    ['24.10', '25.04.1', 'newer', 'calver'],
    ['24.10', '24.10.0', 'equal', 'calver'],
    ['24.04', '24.10', 'unknown', 'semver'],
    ['kubernetes-1-31-eks-8', 'kubernetes-1-31-eks-9', 'unknown', 'opaque'],
  ])('%s → %s is %s under %s', (from, to, order, scheme) => {
    expect(compareVersions(parseVersion(from, scheme), parseVersion(to, scheme))).toBe(order);
  });

  const small = fc.tuple(
    fc.nat(2),
    fc.nat(2),
    fc.nat(2),
    fc.constantFrom('', '-1', '-2', '-rc.1', '-rc.x'),
    fc.constantFrom('', '+a', '+b'),
  );
  const version = fc
    .tuple(small, fc.constantFrom(...versionSchemes))
    .map(([[major, minor, patch, suffix, build], scheme]) =>
      parseVersion(`v${major}.${minor}.${patch}${suffix}${build}`, scheme),
    );

  it('turns round when the sides do', () => {
    const mirrored = { equal: 'equal', unknown: 'unknown', newer: 'older', older: 'newer' } as const;
    fc.assert(fc.property(version, version, (a, b) => compareVersions(b, a) === mirrored[compareVersions(a, b)]));
  });

  const oddText = fc.oneof(fc.string({ unit: anyCharacter() }), fc.stringMatching(/^[v0-9.+~ab-]{0,20}$/));

  it('keeps any text as it is, and never throws', () => {
    fc.assert(
      fc.property(oddText, fc.constantFrom(...versionSchemes), (text, scheme) => {
        const parsed = parseVersion(text, scheme);
        return parsed.text === text && compareVersions(parsed, parsed) === 'equal';
      }),
    );
  });
});

describe('the distance in minors', () => {
  const antrea = { name: 'antrea', minors: ['1.13', '1.14', '1.15', '2.0', '2.1'] };

  it.each([
    ['1.13.2', '2.0.0', antrea, 3],
    ['2.1.0', '1.15.1', antrea, -2],
    ['1.31.0', '1.33.4', undefined, 2],
    ['2.1.0', '2.3.0', antrea, 2],
  ])('from %s to %s', (from, to, sequence, minors) => {
    expect(minorDistance(parseVersion(from), parseVersion(to), sequence)).toEqual({ kind: 'known', minors });
  });

  it('is unknown over majors that no sequence joins, and for what is not a version', () => {
    expect(minorDistance(parseVersion('1.15.0'), parseVersion('2.0.0'))).toEqual({
      kind: 'unknown',
      why: 'no release sequence defines how many minors lie between 1.15 and 2.0',
    });
    expect(minorDistance(parseVersion('main'), parseVersion('2.0.0'), antrea)).toEqual({
      kind: 'unknown',
      why: '"main" is not a version with major, minor and patch',
    });
  });
});
