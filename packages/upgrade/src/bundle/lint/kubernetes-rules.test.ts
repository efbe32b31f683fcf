import { describe, expect, it } from 'vitest';
import { bundleOf, digest, written } from '../testing/bundle-of.ts';
import { kubernetesRules } from './kubernetes-rules.ts';

const found = (components: readonly object[], perKubernetes: Readonly<Record<string, readonly object[]>> = {}) => {
  const entries = Object.entries(perKubernetes).map(([minor, list]) => [minor, { components: list }]);
  const bundle = bundleOf({ components, perKubernetes: Object.fromEntries(entries) as object });
  return [...kubernetesRules(bundle)].map(({ rule, severity, subject, why }) => [rule, severity, subject.path, why]);
};

describe('the minors of a bundle', () => {
  it.each<readonly [string, boolean]>([
    ['1.31', true],
    ['1.0', true],
    ['v1.31', false],
    ['1.31.0', false],
    ['1', false],
    ['01.3', false],
    ['1.03', false],
  ])('%s is a minor: %s', (minor, isMinor) => {
    expect(found([], { [minor]: [] })).toEqual(
      isMinor
        ? []
        : [
            [
              'bundle.kubernetes-range',
              'block',
              `spec.perKubernetes[${minor}]`,
              `"${minor}" is not a Kubernetes minor: expected two numbers, such as "1.31"`,
            ],
          ],
    );
  });
});

describe('the minors that a component supports', () => {
  const x = (min: string, max: string, more: object = {}) =>
    written({ id: 'x', supports: { kubernetes: { min, max } }, ...more });
  const path = 'spec.components[0].supports.kubernetes';

  it.each<readonly [string, readonly object[], readonly string[], readonly (readonly unknown[])[]]>([
    ['include all of the bundle', [x('1.30', '1.32')], ['1.30', '1.31', '1.32'], []],
    [
      'do not include the oldest and the newest',
      [x('1.31', '1.31')],
      ['1.30', '1.31', '1.32'],
      [
        [
          'bundle.kubernetes-range',
          'block',
          path,
          'x runs on Kubernetes 1.31 to 1.31; the bundle also has it for 1.30, 1.32',
        ],
      ],
    ],
    ['are compared as numbers', [x('1.9', '1.10')], ['1.9', '1.10'], []],
    [
      'are an empty range',
      [x('1.32', '1.31')],
      ['1.30'],
      [['bundle.kubernetes-range', 'block', path, 'x runs on Kubernetes from 1.32 to 1.31, which is an empty range']],
    ],
    ['are one', [x('1.31', '1.31')], ['1.31'], []],
    [
      'do not matter where it is switched off',
      [x('1.32', '1.31', { version: { upstream: 'deprecated' } })],
      ['1.30'],
      [],
    ],
    ['are not named', [written({ id: 'x' })], ['1.30'], []],
    [
      'are not compared with what is no minor',
      [x('1.31', '1.31')],
      ['1.31', 'v2'],
      [
        [
          'bundle.kubernetes-range',
          'block',
          'spec.perKubernetes[v2]',
          '"v2" is not a Kubernetes minor: expected two numbers, such as "1.31"',
        ],
      ],
    ],
  ])('%s', (_, components, minors, expected) => {
    expect(found(components, Object.fromEntries(minors.map((minor) => [minor, []])))).toEqual(expected);
  });

  it('are those of the minors that have it', () => {
    const perKubernetes = { '1.30': [x('1.30', '1.30')], '1.31': [] };
    expect(found([x('1.31', '1.31')], perKubernetes)).toEqual([]);
    expect(found([], { '1.30': [x('1.31', '1.31')] }).map(([, , place]) => place)).toEqual([
      'spec.perKubernetes[1.30].components[0].supports.kubernetes',
    ]);
  });
});

describe('a part of the management cluster alone', () => {
  const image = (uri: string, digit: number, more: object = {}) => ({
    name: 'image',
    kind: 'image',
    uri,
    digest: digest(digit),
    ...more,
  });
  const part = (more: object = {}) => written({ id: 'x', roles: ['management'], ...more });
  const of = (first: object, second: object) => found([], { '1.30': [first], '1.31': [second] });
  const disagrees = (why: string) => [
    [
      'bundle.management-disagrees',
      'block',
      'spec.perKubernetes[1.31].components[0]',
      `x belongs only to the management cluster, but differs between Kubernetes 1.30 and 1.31: ${why}`,
    ],
  ];
  const content = 'both v1.0.0, with different content';

  it.each<readonly [string, object, object, readonly (readonly unknown[])[]]>([
    ['is the same for each', part(), part(), []],
    ['has another version', part(), part({ version: { upstream: 'v1.0.1' } }), disagrees('v1.0.0 and v1.0.1')],
    [
      'has another content at one place',
      part({ artifacts: [image('x', 1)] }),
      part({ artifacts: [image('x', 2)] }),
      disagrees(`${content}: image`),
    ],
    [
      'has another kind at one place',
      part({ artifacts: [image('x', 1)] }),
      part({ artifacts: [image('x', 1, { kind: 'binary' })] }),
      disagrees(`${content}: image`),
    ],
    [
      'has another manifest',
      part({ artifacts: [image('x', 1, { kind: 'manifest' })] }),
      part({ artifacts: [image('y', 2, { kind: 'manifest' })] }),
      disagrees(`${content}: image`),
    ],
    [
      'has CRDs for one alone',
      part({ artifacts: [] }),
      part({ artifacts: [image('y', 2, { kind: 'crdset' })] }),
      disagrees(`${content}: image`),
    ],
    [
      'has an image of its own for one',
      part({ artifacts: [image('x', 1)] }),
      part({ artifacts: [image('y', 2)] }),
      [
        [
          'bundle.own-images',
          'info',
          'spec.perKubernetes[1.31].components[0]',
          'x v1.0.0 has its own images for Kubernetes 1.31: image; everything else is the same as for 1.30',
        ],
      ],
    ],
    [
      'is not one of other clusters',
      written({ id: 'x', roles: ['management', 'workload'] }),
      written({ id: 'x', roles: ['management', 'workload'], version: { upstream: 'v1.0.1' } }),
      [],
    ],
    ['is not one of every cluster', written({ id: 'x' }), written({ id: 'x', version: { upstream: 'v1.0.1' } }), []],
  ])('%s', (_, first, second, expected) => {
    expect(of(first, second)).toEqual(expected);
  });

  it('is reported once, with all minors and images of its own', () => {
    const own = (digit: number, ...names: readonly string[]) =>
      part({ artifacts: names.map((name) => ({ ...image(`${name}${digit}`, digit), name })) });
    const perKubernetes = { '1.30': [own(1, 'a', 'b')], '1.31': [own(2, 'b', 'a')], '1.32': [own(3, 'a')] };
    expect(found([], perKubernetes).map(([rule, , , why]) => [rule, why])).toEqual([
      [
        'bundle.own-images',
        'x v1.0.0 has its own images for Kubernetes 1.31, 1.32: a, b; everything else is the same as for 1.30',
      ],
    ]);
    const wrong = { ...perKubernetes, '1.33': [part({ version: { upstream: 'v2.0.0' } })] };
    expect(found([], wrong).map(([rule]) => rule)).toEqual(['bundle.management-disagrees']);
  });
});
