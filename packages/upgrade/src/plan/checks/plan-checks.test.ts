import { describe, expect, it } from 'vitest';
import { digest, written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { Policy } from '../../policy/policy.ts';
import { shippedPolicies } from '../../policy/shipped/shipped-policies.ts';
import { findDifferences } from '../differences/find-differences.ts';
import type { PlanInput } from '../input/plan-input.ts';
import { plannerContext } from '../input/planner-context.ts';
import { withHops } from '../paths/hop-paths.ts';
import { inputOf, loadedOf } from '../testing/plan-of.ts';
import { fleetFindings } from './plan-checks.ts';

interface Case {
  readonly components?: readonly object[];
  readonly bundle?: object;
  readonly clusters?: readonly object[];
  readonly input?: Partial<PlanInput>;
}
function findings({ components = [], bundle = {}, clusters = [], input = {} }: Case) {
  const context = plannerContext(inputOf(loadedOf(components, bundle), snapshotOf({ clusters }), input));
  const { changes } = withHops(findDifferences(context).moving, context, 'as-rules-demand');
  return fleetFindings(changes, context);
}
const said = (one: Case) =>
  findings(one).map(({ rule, severity, subject: { cluster = '', component = '' }, why }) => [
    `${rule} ${severity} ${cluster}/${component}`,
    why,
  ]);
const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });

describe('clusters that did not answer', () => {
  const down = (name: string, more: object = {}) => ({ name, reachable: false, ...more });
  const blocked = (why: string) => [['plan.unreachable block /', why]];

  it.each<readonly [string, Case, readonly (readonly string[])[]]>([
    ['none', { clusters: [{ name: 'a' }] }, []],
    ['one, and none may', { clusters: [down('a'), { name: 'b' }] }, blocked('a cluster did not answer (a), and 0 may')],
    [
      'two, and one may',
      { clusters: [down('b'), down('a')], input: { unreachableAllowed: 1 } },
      blocked('2 clusters did not answer (a, b), and 1 may'),
    ],
    ['as many as may', { clusters: [down('a')], input: { unreachableAllowed: 1 } }, []],
    ['one that is paused', { clusters: [down('a', { paused: true })] }, []],
    ['one that is excluded', { clusters: [down('a')], input: { leftOut: new Map([['a', 'later']]) } }, []],
  ])('%s', (_, one, expected) => {
    expect(said(one)).toEqual(expected);
  });

  const repair = 'and take the snapshot again, set paused: true in the snapshot, or use --max-unreachable';
  const gone = 'delete clusters from the snapshot that no longer exist';
  it.each<readonly [string, readonly object[], string]>([
    ['one', [down('a')], `repair it ${repair} 1; ${gone}`],
    ['two', [down('a'), down('b')], `repair them ${repair} 2; ${gone}`],
    [
      'one that nobody was asked for',
      [down('a', { notRead: 'no context' })],
      `repair it, or pass the missing contexts, ${repair} 1; ${gone}`,
    ],
    [
      'one that did not answer by its context',
      [down('a', { context: 'a', notRead: 'refused' })],
      `repair it ${repair} 1; ${gone}`,
    ],
  ])('what to do: %s', (_, clusters, unblock) => {
    expect(findings({ clusters }).map((one) => one.unblock)).toEqual([unblock]);
  });
});

describe('the bundle', () => {
  it.each<readonly [string, string | undefined, boolean]>([
    ['does not expire', undefined, false],
    ['has expired', '2026-11-21T08:59:59Z', true],
    ['expires at the time of the snapshot', '2026-11-21T09:00:00Z', true],
    ['expires a second later', '2026-11-21T09:00:01Z', false],
  ])('%s', (_, expiresAt, expired) => {
    expect(said({ bundle: expiresAt === undefined ? {} : { expiresAt } })).toEqual(
      expired ? [['plan.expired warn /', `the bundle bundle-7 expired at ${expiresAt}`]] : [],
    );
  });

  const [shipped] = shippedPolicies();
  const name = shipped?.metadata.name ?? '';
  const policyDigests = new Map([[name, digest(1)]]);
  it.each<readonly [string, object, string | undefined]>([
    ['that is available', { name }, undefined],
    ['of the same digest', { name, digest: digest(1) }, undefined],
    [
      'of another digest',
      { name, digest: digest(2) },
      `the bundle bundle-7 requires the policy ${name} with the digest ${digest(2)}, but the available one has ${digest(1)}`,
    ],
    ['that is not available', { name: 'mine' }, 'the bundle bundle-7 requires the policy mine, which is not available'],
  ])('requires a policy %s', (_, policy, why) => {
    expect(said({ bundle: { policies: [policy] }, input: { policyDigests } })).toEqual(
      why === undefined ? [] : [['plan.policy block /', why]],
    );
  });

  const clusters = [{ name: 'c', components: [running('kube-apiserver', 'v1.31.0'), running('kubelet', 'v1.31.0')] }];
  const kubelet = (upstream: string) => at('kubelet', upstream, { method: 'kubernetes' });
  const lacks = (minor: string, rest: string) => [
    [
      'plan.kubernetes block c/',
      `Kubernetes ${minor} was requested, but the bundle bundle-7 (number 7) does not have it for this cluster${rest}`,
    ],
  ];
  it.each<readonly [string, Case, readonly (readonly string[])[]]>([
    [
      'has the Kubernetes that is asked for',
      { components: [kubelet('v1.32.0')], clusters, input: { kubernetes: '1.32' } },
      [],
    ],
    ['is not asked for a Kubernetes', { components: [kubelet('v1.32.0')], clusters }, []],
    [
      'has another one',
      { components: [kubelet('v1.31.0')], clusters, input: { kubernetes: '1.32' } },
      lacks('1.32', '; it has 1.31'),
    ],
    ['has none', { clusters, input: { kubernetes: '1.32' } }, lacks('1.32', '')],
    [
      'has none, and the cluster is excluded',
      { clusters, input: { kubernetes: '1.32', leftOut: new Map([['c', 'later']]) } },
      [],
    ],
    [
      'has none, and that of the cluster is not known',
      { clusters: [{ name: 'c' }], input: { kubernetes: '1.32' } },
      [],
    ],
    [
      'does not have that minor at all, which is told elsewhere',
      { bundle: { perKubernetes: { '1.31': { components: [] } } }, clusters, input: { kubernetes: '1.32' } },
      [],
    ],
  ])('%s', (_, one, expected) => {
    expect(said(one)).toEqual(expected);
  });

  it('without Kubernetes needs no --kubernetes; one with another minor needs that', () => {
    const unblock = (components: readonly object[]) =>
      findings({ components, clusters, input: { kubernetes: '1.32' } }).map((one) => one.unblock);
    expect(unblock([])).toEqual([
      'leave out --kubernetes, since the bundle has no components of Kubernetes, or use a bundle that has them',
    ]);
    expect(unblock([kubelet('v1.31.0')])).toEqual(['choose a minor that the bundle has (--kubernetes)']);
  });
});

describe('the notes of policies about a release', () => {
  const note = (more: object = {}): readonly Policy[] => {
    const [first] = shippedPolicies();
    if (first === undefined) throw new Error('no policy');
    const spec = Object.fromEntries(
      Object.entries(first.spec).map(([key, value]) => [key, Array.isArray(value) ? [] : value]),
    );
    const notes = [
      { id: 'n', component: 'x', to: '>=1.1.0', severity: 'info', text: 'Look at it.', source: 'the release', ...more },
    ];
    return [{ ...first, spec: { ...spec, notes } } as unknown as Policy];
  };
  const settledBy = { fact: 'looked', equals: 'yes', roles: ['member'] };
  const cluster = (name: string, more: object = {}) => ({
    name,
    roles: ['member'],
    clusterSet: 's',
    components: [running('x', 'v1.0.0')],
    ...more,
  });
  const yes = { facts: { looked: 'yes' } };
  const notes = (policies: readonly Policy[], clusters: readonly object[]) =>
    findings({ components: [at('x', 'v1.1.0')], clusters, input: { policies } })
      .filter(({ rule }) => rule === 'n')
      .map(({ subject }) => `${subject.cluster}/${subject.component}`);

  it.each<readonly [string, object, readonly object[], readonly string[]]>([
    ['are told of each cluster that goes there', {}, [cluster('a'), cluster('b')], ['a/x', 'b/x']],
    ['are not told of one that is there', {}, [cluster('a', { components: [running('x', 'v1.1.0')] })], []],
    ['are not told of another component', { component: 'y' }, [cluster('a')], []],
    ['are not told where a fact settles them', { settledBy }, [cluster('a', yes)], []],
    ['are told where the fact is another', { settledBy }, [cluster('a', { facts: { looked: 'no' } })], ['a/x']],
    [
      'are told where one cluster of the family lacks the fact',
      { settledBy },
      [cluster('a', yes), cluster('b')],
      ['a/x', 'b/x'],
    ],
    [
      'are told in the family that lacks it',
      { settledBy },
      [cluster('a', yes), cluster('b', { clusterSet: 't' })],
      ['b/x'],
    ],
    [
      'do not need the fact of clusters of another role',
      { settledBy },
      [cluster('a', yes), cluster('b', { roles: ['leader'] })],
      [],
    ],
    [
      'are told where no cluster has the role',
      { settledBy: { ...settledBy, roles: ['management'] } },
      [cluster('a', yes)],
      ['a/x'],
    ],
  ])('%s', (_, more, clusters, expected) => {
    expect(notes(note(more), clusters)).toEqual(expected);
  });
});

describe('the requirements of what changes', () => {
  const x = (requirement: object) => at('x', 'v1.1.0', { requires: [{ component: 'y', ...requirement }] });
  const cluster = (...components: readonly object[]) => [
    { name: 'c', components: [running('x', 'v1.0.0'), ...components] },
  ];
  const unmet = (what: string, why: string) => [['plan.requires block c/x', `x v1.1.0 requires ${what}, and ${why}`]];

  it.each<readonly [string, Case, readonly (readonly string[])[]]>([
    ['are met by the bundle', { components: [x({ range: '>=1.0.0' }), at('y', 'v1.0.0')], clusters: cluster() }, []],
    [
      'are met by the cluster',
      { components: [x({ range: '>=1.0.0' })], clusters: cluster(running('y', 'v1.0.0')) },
      [],
    ],
    [
      'are met by neither',
      { components: [x({ reason: 'it reads it' })], clusters: cluster() },
      unmet('y (it reads it)', 'it is neither in the cluster nor in the bundle'),
    ],
    [
      'are not met by the bundle, which counts before the cluster',
      { components: [x({ range: '>=1.1.0' }), at('y', 'v1.0.0')], clusters: cluster(running('y', 'v1.1.0')) },
      unmet('y >=1.1.0', 'v1.0.0 will run'),
    ],
    [
      'are not met by the cluster',
      {
        components: [x({ range: '>=1.1.0' })],
        clusters: cluster({
          id: 'y',
          live: [
            { version: 'v1.0.0', name: 'a' },
            { version: '', name: 'b' },
          ],
        }),
      },
      unmet('y >=1.1.0', 'v1.0.0, an unknown version will run'),
    ],
    [
      'are not met by a component that its owner excludes',
      {
        components: [x({ range: '>=1.1.0' }), at('y', 'v1.1.0')],
        clusters: cluster({ ...running('y', 'v1.0.0'), skip: 'by hand' }),
      },
      unmet('y >=1.1.0', 'v1.0.0 will run'),
    ],
    [
      'of a contract are met',
      { components: [x({ contract: 'c/v1' }), at('y', 'v1.0.0', { contracts: ['c/v1'] })], clusters: cluster() },
      [],
    ],
    [
      'of a contract are not met',
      { components: [x({ contract: 'c/v2' }), at('y', 'v1.0.0', { contracts: ['c/v1'] })], clusters: cluster() },
      unmet('y with the contract c/v2', 'v1.0.0 has c/v1'),
    ],
    [
      'of a contract are met by none',
      { components: [x({ contract: 'c/v2' }), at('y', 'v1.0.0')], clusters: cluster() },
      unmet('y with the contract c/v2', 'v1.0.0 has none'),
    ],
    [
      'of a contract of what stays are not known',
      { components: [x({ contract: 'c/v2' })], clusters: cluster(running('y', 'v1.0.0')) },
      unmet('y with the contract c/v2', 'it is not upgraded, so its contracts are unknown'),
    ],
    [
      'do not matter where nothing changes',
      { components: [x({})], clusters: [{ name: 'c', components: [running('x', 'v1.1.0')] }] },
      [],
    ],
  ])('%s', (_, one, expected) => {
    expect(said(one)).toEqual(expected);
  });
});
