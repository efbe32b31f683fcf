import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { Policy } from '../../policy/policy.ts';
import { policy } from '../../policy/policy.ts';
import { problemLine, readFile } from '../../read/read-file.ts';
import { findDifferences } from '../differences/find-differences.ts';
import { plannerContext } from '../input/planner-context.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import { hopsOf, withHops } from './hop-paths.ts';
import type { Stopping } from './hop-paths.ts';

/** One minor at a time for each of these types. */
function oneMinorAtATime(...types: readonly string[]): readonly Policy[] {
  const hops = types.map((subject) => ({ id: `${subject}.hop`, subject, maxMinors: 1, source: 'us' }));
  const file = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'Policy',
    metadata: { name: 'ours' },
    spec: { product: 'Ours', hops },
  };
  const result = readFile(policy, JSON.stringify(file), 'policy.json');
  if (result.kind === 'refused') throw new Error(result.problems.map(problemLine).join('\n'));
  return [result.value];
}

interface Case {
  readonly target: readonly object[];
  /** The components of earlier bundles, oldest first. */
  readonly earlier?: readonly (readonly object[])[];
  readonly clusters?: readonly object[];
  readonly clients?: readonly object[];
  readonly limited?: readonly string[];
  readonly stopping?: Stopping;
}
function hops({
  target,
  earlier = [],
  clusters = [],
  clients = [],
  limited = ['x'],
  stopping = 'as-rules-demand',
}: Case) {
  const otherBundles = earlier.map((components, at) => loadedOf(components, { number: at + 1 }));
  const context = plannerContext(
    inputOf(loadedOf(target, { number: 9 }), snapshotOf({ clusters, clients }), {
      policies: oneMinorAtATime(...limited),
      otherBundles,
    }),
  );
  const { changes, findings } = withHops(findDifferences(context).moving, context, stopping);
  return {
    /** Each change: what it becomes in each round, `-` where it stays. */
    ways: changes.map(({ row, path }) => `${row.id}: ${path.map((one) => one?.version.upstream ?? '-').join(' ')}`),
    findings: findings.map(
      ({ rule, severity, subject: { cluster = '', component = '' } }) => `${rule} ${severity} ${cluster}/${component}`,
    ),
    stops: changes.map(hopsOf),
  };
}
const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });
const x = (upstream: string, more: object = {}) => at('x', upstream, more);
const cluster = (name: string, ...components: readonly object[]) => ({ name, clusterSet: 's', components });
const minors = [[x('v1.1.0')], [x('v1.2.0')]];

describe('the hops of a change', () => {
  it.each<readonly [string, Case, readonly string[]]>([
    [
      'are one where the rules allow it',
      { target: [x('v1.1.0')], clusters: [cluster('a', running('x', 'v1.0.0'))] },
      ['a/x: v1.1.0'],
    ],
    [
      'stop at known versions',
      { target: [x('v1.3.0')], earlier: minors, clusters: [cluster('a', running('x', 'v1.0.0'))] },
      ['a/x: v1.1.0 v1.2.0 v1.3.0'],
    ],
    [
      'are one where nothing runs',
      { target: [x('v1.3.0')], earlier: minors, clusters: [cluster('a')] },
      ['a/x: v1.3.0'],
    ],
    [
      'are one from a version that has no order',
      { target: [x('v1.3.0')], earlier: minors, clusters: [cluster('a', running('x', 'mine'))] },
      ['a/x: v1.3.0'],
    ],
    [
      'are those of the oldest version that runs',
      {
        target: [x('v1.3.0')],
        earlier: minors,
        clusters: [
          cluster('a', {
            id: 'x',
            live: [
              { version: 'v1.2.0', name: '1' },
              { version: 'v1.0.0', name: '2' },
            ],
          }),
        ],
      },
      ['a/x: v1.1.0 v1.2.0 v1.3.0'],
    ],
    [
      'are the same rounds in all clusters of a family; what runs a stop stays in that round',
      {
        target: [x('v1.3.0')],
        earlier: minors,
        clusters: [cluster('a', running('x', 'v1.1.0')), cluster('b', running('x', 'v1.0.0')), cluster('c')],
      },
      ['a/x: - v1.2.0 v1.3.0', 'b/x: v1.1.0 v1.2.0 v1.3.0', 'c/x: - - v1.3.0'],
    ],
    [
      'are their own in another family',
      {
        target: [x('v1.3.0')],
        earlier: minors,
        clusters: [cluster('a', running('x', 'v1.1.0')), { ...cluster('b', running('x', 'v1.0.0')), clusterSet: 't' }],
      },
      ['a/x: v1.2.0 v1.3.0', 'b/x: v1.1.0 v1.2.0 v1.3.0'],
    ],
    [
      'are those of the longest way of a unit',
      {
        target: [x('v1.3.0', { unit: 'u' }), at('y', 'v1.3.0', { unit: 'u' })],
        earlier: ['v1.1.0', 'v1.2.0'].map((one) => [x(one, { unit: 'u' }), at('y', one, { unit: 'u' })]),
        clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.0.0'))],
      },
      ['a/x: v1.1.0 v1.2.0 v1.3.0', 'a/y: v1.1.0 v1.2.0 v1.3.0'],
    ],
    [
      'are its own where the unit stops at versions that it does not have',
      {
        target: [x('v1.3.0', { unit: 'u' }), at('y', 'v1.3.0', { unit: 'u' })],
        earlier: [[x('v1.1.0', { unit: 'u' }), at('y', 'v1.1.0', { unit: 'u' })], [x('v1.2.0', { unit: 'u' })]],
        clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.0.0'))],
      },
      ['a/x: v1.1.0 v1.2.0 v1.3.0', 'a/y: v1.3.0'],
    ],
    [
      'are its own beside another unit',
      {
        target: [x('v1.3.0'), at('y', 'v1.3.0')],
        earlier: ['v1.1.0', 'v1.2.0'].map((one) => [x(one), at('y', one)]),
        clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.0.0'))],
      },
      ['a/x: v1.1.0 v1.2.0 v1.3.0', 'a/y: v1.3.0'],
    ],
  ])('%s', (_, one, expected) => {
    const { ways, findings } = hops(one);
    expect([ways, findings]).toEqual([expected, []]);
  });

  it('that no bundle leads to are blocked, once for each cluster', () => {
    const clusters = ['a', 'b'].map((name) =>
      cluster(name, {
        id: 'x',
        live: [
          { version: 'v1.0.0', name: '1' },
          { version: 'v1.0.0', name: '2' },
        ],
      }),
    );
    expect(hops({ target: [x('v1.3.0')], clusters })).toMatchObject({
      ways: ['a/x: v1.3.0', 'b/x: v1.3.0'],
      findings: ['x.hop block a/x', 'x.hop block b/x'],
    });
  });

  it('are listed without the rounds in which nothing changes', () => {
    const clusters = [cluster('a', running('x', 'v1.1.0')), cluster('b', running('x', 'v1.0.0'))];
    expect(hops({ target: [x('v1.3.0')], earlier: minors, clusters }).stops).toEqual([
      ['v1.2.0', 'v1.3.0'],
      ['v1.1.0', 'v1.2.0', 'v1.3.0'],
    ]);
  });
});

describe('what comes along with the bundles of the stops', () => {
  const stopping = 'with-the-bundle';
  const both = (upstream: string) => [x(upstream), at('y', upstream)];
  const target = both('v1.3.0');
  const earlier = ['v1.1.0', 'v1.2.0'].map(both);

  it.each<readonly [string, Case, string]>([
    [
      'stops with the longest way of its family',
      { target, earlier, clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.0.0'))] },
      'a/y: v1.1.0 v1.2.0 v1.3.0',
    ],
    [
      'stays where it runs the version of a stop',
      { target, earlier, clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.1.0'))] },
      'a/y: - v1.2.0 v1.3.0',
    ],
    [
      'stays where the bundle of a stop does not have it',
      {
        target,
        earlier: [[x('v1.1.0')], both('v1.2.0')],
        clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.0.0'))],
      },
      'a/y: - v1.2.0 v1.3.0',
    ],
    [
      'stays where a stop has its target already',
      {
        target: [x('v1.3.0'), at('y', 'v1.2.0')],
        earlier,
        clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.0.0'))],
      },
      'a/y: v1.1.0 - v1.2.0',
    ],
    [
      'stays until its target where nothing of it runs',
      { target, earlier, clusters: [cluster('a', running('x', 'v1.0.0'))] },
      'a/y: - - v1.3.0',
    ],
    [
      'has its own way where it has one',
      {
        target,
        earlier,
        limited: ['x', 'y'],
        clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.1.0'))],
      },
      'a/y: v1.2.0 v1.3.0',
    ],
    [
      'does not stop with another family',
      {
        target,
        earlier,
        clusters: [
          cluster('b', running('x', 'v1.0.0'), running('y', 'v1.3.0')),
          { ...cluster('a', running('x', 'v1.3.0'), running('y', 'v1.0.0')), clusterSet: 't' },
        ],
      },
      'a/y: v1.3.0',
    ],
    [
      'does not stop where nothing has to',
      { target: both('v1.1.0'), clusters: [cluster('a', running('x', 'v1.0.0'), running('y', 'v1.0.0'))] },
      'a/y: v1.1.0',
    ],
  ])('%s', (_, one, expected) => {
    expect(hops({ ...one, stopping }).ways.filter((way) => way.startsWith('a/y'))).toEqual([expected]);
  });

  it('includes programs of people, by the longest way of all', () => {
    const client = (upstream: string) => at('tool', upstream, { scope: 'client' });
    const found = hops({
      target: [...target, client('v1.3.0')],
      earlier: ['v1.1.0', 'v1.2.0'].map((one) => [...both(one), client(one)]),
      clusters: [
        cluster('a', running('x', 'v1.2.0'), running('y', 'v1.3.0')),
        { ...cluster('b', running('x', 'v1.0.0'), running('y', 'v1.3.0')), clusterSet: 't' },
      ],
      clients: [{ component: 'tool', version: 'v1.0.0' }],
      stopping,
    });
    expect(found.ways).toContain('tool: v1.1.0 v1.2.0 v1.3.0');
  });
});
