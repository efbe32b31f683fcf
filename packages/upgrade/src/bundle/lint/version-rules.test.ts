import { describe, expect, it } from 'vitest';
import { bundleOf, written } from '../testing/bundle-of.ts';
import { versionRules } from './version-rules.ts';

const at = (id: string, version: object, more: object = {}) => written({ id, version, ...more });
const found = (components: readonly object[], more: object = {}) =>
  [...versionRules(bundleOf({ components, ...more }))].map(({ rule, severity, subject, why }) => [
    rule,
    severity,
    subject.path,
    why,
  ]);
const one = (version: object, more: object = {}) => found([at('x', version, more)]);

describe('the version of a component', () => {
  const whole = 'expected major.minor.patch, such as v1.13.2';

  it.each<readonly [string, object, readonly (readonly unknown[])[]]>([
    ['that is one', { upstream: 'v1.13.2' }, []],
    [
      'that is none',
      { upstream: 'v1.13' },
      [
        [
          'bundle.version',
          'block',
          'spec.components[0].version.upstream',
          `the version "v1.13" of x does not match scheme semver: ${whole}`,
        ],
      ],
    ],
    ['by its date', { upstream: '2026.11.3', scheme: 'calver' }, []],
    [
      'by its date, which is none',
      { upstream: 'v1', scheme: 'calver' },
      [
        [
          'bundle.version',
          'block',
          'spec.components[0].version.upstream',
          'the version "v1" of x does not match scheme calver: expected year.month or year.month.count, such as 2026.11.3',
        ],
      ],
    ],
    ['of no scheme', { upstream: 'blue', scheme: 'opaque' }, []],
    [
      'with a build in capitals',
      { upstream: 'v1.13.2+Build.5' },
      [
        [
          'bundle.build-case',
          'block',
          'spec.components[0].version.upstream',
          'the build Build.5 of x has upper-case letters; clusterctl lower-cases versions and would not find it',
        ],
      ],
    ],
    ['with a build', { upstream: 'v1.13.2', build: 'build.5' }, []],
    [
      'that is switched off, which is all that is said of it',
      { upstream: 'deprecated' },
      [
        [
          'bundle.disabled',
          'info',
          'spec.components[0].version.upstream',
          'x is switched off: its version or a location is `deprecated` or a placeholder',
        ],
      ],
    ],
  ])('%s', (_, version, expected) => {
    expect(one(version)).toEqual(expected);
  });

  it('is judged for each Kubernetes, at its place', () => {
    const perKubernetes = { '1.31': { components: [at('x', { upstream: 'v1' })] } };
    expect(found([], { perKubernetes }).map(([rule, , path]) => [rule, path])).toEqual([
      ['bundle.version', 'spec.perKubernetes[1.31].components[0].version.upstream'],
    ]);
  });
});

describe('the stops on the way to a version', () => {
  const stops = (via: readonly string[], version: object = { upstream: 'v1.13.2' }) =>
    one(version, { upgradeFrom: { via } }).map(([rule, , path, why]) => [rule, path, why]);
  const wrong = (index: number, why: string) => [
    ['bundle.upgrade-from', `spec.components[0].upgradeFrom.via[${index}]`, why],
  ];

  it.each<readonly [string, readonly string[], readonly (readonly unknown[])[]]>([
    ['oldest first', ['v1.11.0', 'v1.12.0'], []],
    ['that are no version', ['v1.11.0', 'main'], wrong(1, '"main" is not a version with major, minor and patch')],
    ['that are the version', ['v1.13.2'], wrong(0, 'the stop v1.13.2 on the way to v1.13.2 is not older than it')],
    ['that are newer', ['v1.14.0'], wrong(0, 'the stop v1.14.0 on the way to v1.13.2 is not older than it')],
    ['newest first', ['v1.12.0', 'v1.11.0'], wrong(1, 'the stop v1.11.0 is not newer than v1.12.0, which precedes it')],
    ['twice', ['v1.12.0', 'v1.12.0'], wrong(1, 'the stop v1.12.0 is not newer than v1.12.0, which precedes it')],
    ['after one that is none', ['main', 'v1.11.0'], wrong(0, '"main" is not a version with major, minor and patch')],
  ])('%s', (_, via, expected) => {
    expect(stops(via)).toEqual(expected);
  });

  it('are judged by themselves where the version has another form', () => {
    expect(stops(['v1.12.0', 'v1.11.0'], { upstream: 'main' }).map(([rule]) => rule)).toEqual([
      'bundle.version',
      'bundle.upgrade-from',
    ]);
  });
});

describe('a range of versions', () => {
  it.each<readonly [string, object, string | undefined]>([
    ['of a requirement', { requires: [{ component: 'x' }, { component: 'x', range: '>>1' }] }, 'requires[1].range'],
    ['of an upgrade', { upgradeFrom: { range: '>>1' } }, 'upgradeFrom.range'],
    [
      'of a hook',
      { hooks: [{ id: 'h', at: 'before', roles: ['member'], title: 'Do it', whenFrom: '>>1' }] },
      'hooks[0].whenFrom',
    ],
    ['that is one', { upgradeFrom: { range: '>=1.13.0 <2.0.0' } }, undefined],
  ])('%s', (_, more, path) => {
    const reported = one({ upstream: 'v1.13.2' }, more).map(([rule, , place]) => [rule, place]);
    expect(reported).toEqual(path === undefined ? [] : [['bundle.range', `spec.components[0].${path}`]]);
  });

  it('is judged of a component that is switched off', () => {
    expect(one({ upstream: 'deprecated' }, { upgradeFrom: { range: '>>1' } }).map(([rule]) => rule)).toEqual([
      'bundle.disabled',
      'bundle.range',
    ]);
  });
});

describe('the components of one unit', () => {
  const why = (a: string, b: string) => `${a} and ${b} share the unit u and must have one version`;
  const part = (id: string, upstream: string, more: object = {}) => at(id, { upstream }, { unit: 'u', ...more });

  it.each<readonly [string, readonly object[], readonly string[]]>([
    ['have one version', [part('a', 'v1.0.0'), part('b', 'v1.0.0')], []],
    ['do not have one', [part('a', 'v1.0.0'), part('b', 'v1.0.1')], [why('a v1.0.0', 'b v1.0.1')]],
    [
      'are compared with the first',
      [part('a', 'v1.0.0'), part('b', 'v1.0.1'), part('c', 'v1.0.1')],
      [why('a v1.0.0', 'b v1.0.1'), why('a v1.0.0', 'c v1.0.1')],
    ],
    ['do not include one that is switched off', [part('a', 'v1.0.0'), part('b', 'deprecated')], []],
    ['are not those of other units', [part('a', 'v1.0.0'), at('b', { upstream: 'v1.0.1' })], []],
    ['include one of that id', [part('a', 'v1.0.0'), at('u', { upstream: 'v1.0.1' })], [why('a v1.0.0', 'u v1.0.1')]],
  ])('%s', (_, components, expected) => {
    expect(found(components).flatMap(([rule, , , text]) => (rule === 'bundle.unit' ? [text] : []))).toEqual(expected);
  });

  it('are judged for each Kubernetes, and reported once', () => {
    const perKubernetes = {
      '1.30': { components: [part('b', 'v1.0.1')] },
      '1.31': { components: [part('b', 'v1.0.1')] },
      '1.32': { components: [part('b', 'v1.0.0')] },
    };
    expect(found([part('a', 'v1.0.0')], { perKubernetes })).toEqual([
      ['bundle.unit', 'block', 'spec.perKubernetes[1.30].components[0].version', why('a v1.0.0', 'b v1.0.1')],
    ]);
  });
});
