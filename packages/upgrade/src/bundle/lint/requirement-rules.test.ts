import { describe, expect, it } from 'vitest';
import { bundleOf, written } from '../testing/bundle-of.ts';
import { requirementRules } from './requirement-rules.ts';

const of = (components: readonly object[], perKubernetes: object = {}) => [
  ...requirementRules(bundleOf({ components, perKubernetes })),
];
const found = (components: readonly object[], perKubernetes: object = {}) =>
  of(components, perKubernetes).map(({ rule, severity, why }) => [rule, severity, why]);
const x = (requirement: object, more: object = {}) =>
  written({ id: 'x', requires: [{ component: 'y', ...requirement }], ...more });
const y = (more: object = {}) => written({ id: 'y', ...more });
const needing = (id: string, ...ids: readonly string[]) =>
  written({ id, requires: ids.map((component) => ({ component })) });

describe('a requirement', () => {
  it.each<readonly [string, readonly object[], readonly (readonly string[])[]]>([
    ['that the bundle has', [x({}), y()], []],
    [
      'that it does not have',
      [x({})],
      [['bundle.requirement-unknown', 'block', 'x requires y, which the bundle does not have']],
    ],
    [
      'that is switched off',
      [x({}), y({ version: { upstream: 'deprecated' } })],
      [['bundle.requirement-unknown', 'block', 'x requires y, which is switched off']],
    ],
    ['in a range', [x({ range: '>=1.0.0' }), y()], []],
    [
      'out of its range',
      [x({ range: '>=1.1.0' }), y()],
      [['bundle.requirement-unmet', 'block', 'x requires y >=1.1.0; the bundle has v1.0.0']],
    ],
    ['in a range that is none: another rule tells that', [x({ range: '>>1' }), y()], []],
    ['of a contract', [x({ contract: 'c/v1' }), y({ contracts: ['c/v1'] })], []],
    [
      'of a contract that it has not',
      [x({ contract: 'c/v2' }), y({ contracts: ['c/v1'] })],
      [['bundle.requirement-unmet', 'block', 'x requires the contract c/v2 of y v1.0.0; it implements c/v1']],
    ],
    [
      'of a contract, of which it has none',
      [x({ contract: 'c/v2' }), y()],
      [['bundle.requirement-unmet', 'block', 'x requires the contract c/v2 of y v1.0.0; it implements none']],
    ],
    ['in the same clusters', [x({}, { roles: ['leader', 'member'] }), y({ roles: ['member'] })], []],
    [
      'in other clusters',
      [x({}, { roles: ['leader', 'management'] }), y({ roles: ['member'] })],
      [
        [
          'bundle.requirement-apart',
          'warn',
          'x is for clusters with the role leader or management and requires y, which is for the role member: only a cluster with both roles has it',
        ],
      ],
    ],
    ['in every cluster', [x({}, { roles: ['leader'] }), y()], []],
    ['of a component of every cluster', [x({}), y({ roles: ['leader'] })], []],
    [
      'in other clusters and out of its range: both',
      [x({ range: '>=1.1.0' }, { roles: ['leader'] }), y({ roles: ['member'] })],
      [
        ['bundle.requirement-apart', 'warn', expect.any(String)],
        ['bundle.requirement-unmet', 'block', 'x requires y >=1.1.0; the bundle has v1.0.0'],
      ],
    ],
  ])('%s', (_, components, expected) => {
    expect(found(components)).toEqual(expected);
  });

  it('is at its place', () => {
    const requires = [{ component: 'y' }, { component: 'z' }];
    expect(of([y(), written({ id: 'x', requires })]).map(({ subject }) => subject)).toEqual([
      { component: 'x', path: 'spec.components[1].requires[1]' },
    ]);
  });

  it.each<readonly [string, object, readonly string[]]>([
    [
      'for each: it is told once',
      { '1.30': { components: [] }, '1.31': { components: [] } },
      ['x requires y, which the bundle does not have'],
    ],
    [
      'for one: that one is named',
      { '1.30': { components: [y()] }, '1.31': { components: [] }, '1.32': { components: [] } },
      ['x requires y, which the bundle does not have (for Kubernetes 1.31, 1.32)'],
    ],
    ['for none', { '1.30': { components: [y()] }, '1.31': { components: [y()] } }, []],
  ])('that is not met %s', (_, perKubernetes, expected) => {
    expect(of([x({})], perKubernetes).map(({ why }) => why)).toEqual(expected);
  });
});

describe('a circle of requirements', () => {
  const circles = (...components: readonly object[]) =>
    of(components).flatMap(({ rule, why, subject }) =>
      rule === 'bundle.requirement-cycle' ? [[subject.component, /circular: (.*);/.exec(why)?.[1]].join(': ')] : [],
    );

  it.each<readonly [string, readonly object[], readonly string[]]>([
    ['is none of a chain', [needing('a', 'b'), needing('b', 'c'), needing('c')], []],
    ['is none where two need one', [needing('a', 'b', 'c'), needing('b', 'd'), needing('c', 'd'), needing('d')], []],
    ['of two', [needing('a', 'b'), needing('b', 'a')], ['a: a → b → a']],
    ['of one', [needing('a', 'a')], ['a: a → a']],
    ['begins with its first component', [needing('z', 'b'), needing('b', 'c'), needing('c', 'b')], ['b: b → c → b']],
    ['behind another component', [needing('a', 'c'), needing('c', 'b'), needing('b', 'c')], ['b: b → c → b']],
    ['is told once where a requirement comes twice', [needing('a', 'b', 'b'), needing('b', 'a')], ['a: a → b → a']],
    [
      'and another',
      [needing('a', 'b'), needing('b', 'a'), needing('c', 'd'), needing('d', 'c')],
      ['a: a → b → a', 'c: c → d → c'],
    ],
    ['of which one component is unknown is none', [needing('a', 'z')], []],
  ])('%s', (_, components, expected) => {
    expect(circles(...components)).toEqual(expected);
  });
});
