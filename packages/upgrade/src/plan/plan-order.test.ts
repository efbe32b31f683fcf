import { describe, expect, it } from 'vitest';
import { written } from '../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../fleet/testing/snapshot-of.ts';
import type { Policy } from '../policy/policy.ts';
import { policy } from '../policy/policy.ts';
import { problemLine, readFile } from '../read/read-file.ts';
import { loadedOf, planOf } from './testing/plan-of.ts';

function policyOf(spec: object): Policy {
  const file = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'Policy',
    metadata: { name: 'ours' },
    spec: { product: 'Ours', ...spec },
  };
  const result = readFile(policy, JSON.stringify(file), 'policy.json');
  if (result.kind === 'refused') throw new Error(result.problems.map(problemLine).join('\n'));
  return result.value;
}

/**
 * What runs in one cluster and what runs in another of the same ClusterSet may be one minor apart.
 */
const near = policyOf({
  skew: [
    {
      id: 'x.near',
      subject: 'x',
      reference: 'y',
      scope: 'clusterset',
      newer: { minors: 1 },
      older: { minors: 1 },
      source: 'us',
    },
  ],
});
const waves = { canary: 0, percent: [100], nodesAtOnce: 1 };

/** East has y at 1.1, west has x; both in one wave, and east comes first in the usual order. */
function eastAndWest(x: string, targets: { readonly x: string; readonly y: string }) {
  const left = (id: string) => ({ id, skip: 'not used here' });
  const cluster = (name: string, components: readonly object[]) => ({
    name,
    roles: ['member'],
    clusterSet: 's',
    components,
  });
  const snapshot = snapshotOf({
    clusterSets: [{ name: 's', leader: 'north', members: ['east', 'west'] }],
    clusters: [
      { name: 'north', roles: ['leader'], clusterSet: 's', components: [left('x'), left('y')] },
      cluster('east', [running('y', 'v1.1.0'), left('x')]),
      cluster('west', [running('x', x), left('y')]),
    ],
  });
  const bundle = loadedOf(Object.entries(targets).map(([id, upstream]) => written({ id, version: { upstream } })));
  const { spec } = planOf(bundle, snapshot, { policies: [near], waves });
  const steps = spec.steps.filter(({ kind }) => kind === 'upgrade');
  return { outcome: spec.outcome, steps, findings: spec.findings };
}

describe('the search for an order', () => {
  it('ends a round before the next begins: each hop is a whole upgrade', () => {
    const parts = (upstream: string) => [
      written({ id: 'cilium', unit: 'net', version: { upstream } }),
      written({ id: 'extra', unit: 'net', version: { upstream } }),
    ];
    const components = [running('cilium', 'v1.16.0'), running('extra', 'v1.16.0')];
    const { spec } = planOf(loadedOf(parts('v1.18.0')), snapshotOf({ clusters: [{ name: 'a', components }] }), {
      otherBundles: [loadedOf(parts('v1.17.0'), { number: 5 })],
    });
    const moves = spec.steps.flatMap(({ effects }) => effects.map(({ component, to }) => `${component} ${to}`));
    expect(moves).toEqual(['cilium v1.17.0', 'extra v1.17.0', 'cilium v1.18.0', 'extra v1.18.0']);
  });

  it('leaves programs of people for last, also those that no rule is about', () => {
    const bundle = loadedOf([
      written({ id: 'a-tool', scope: 'client', version: { upstream: 'v1.1.0' } }),
      written({ id: 'x', version: { upstream: 'v1.1.0' } }),
    ]);
    const clusters = [{ name: 'a', components: [running('x', 'v1.0.0')] }];
    const { spec } = planOf(bundle, snapshotOf({ clusters, clients: [{ component: 'a-tool', version: 'v1.0.0' }] }));
    expect(spec.steps.map(({ group, component = '' }) => `${group} ${component}`.trim())).toEqual([
      'clusters x',
      'clients a-tool',
      'post-steps',
    ]);
  });

  it('upgrades API servers one by one', () => {
    const live = ['a', 'b', 'c'].map((name) => ({ name, version: 'v1.31.0' }));
    const part = written({ id: 'kube-apiserver', method: 'kubernetes', version: { upstream: 'v1.32.0' } });
    const clusters = [{ name: 'k', components: [{ id: 'kube-apiserver', live }] }];
    const bundle = loadedOf([], { perKubernetes: { '1.32': { components: [part] } } });
    const { spec } = planOf(bundle, snapshotOf({ clusters }), { kubernetes: '1.32' });
    const moves = spec.steps
      .filter(({ kind }) => kind === 'upgrade')
      .map(({ effects }) => effects.map(({ name }) => name));
    expect(moves).toEqual([['a'], ['b'], ['c']]);
  });

  it('lets one cluster of a wave wait for another where an order rule joins them, and for nothing else of it', () => {
    const order = policyOf({ order: [{ id: 'x.order', first: 'y', next: 'x', scope: 'clusterset', source: 'us' }] });
    const cluster = (name: string, version: string) => ({
      name,
      roles: [name === 'north' ? 'leader' : 'member'],
      clusterSet: 's',
      components: ['x', 'y', 'z'].map((id) => running(id, version)),
    });
    const snapshot = snapshotOf({
      clusterSets: [{ name: 's', leader: 'north', members: ['east', 'west'] }],
      clusters: [cluster('north', 'v1.1.0'), cluster('east', 'v1.0.0'), cluster('west', 'v1.0.0')],
    });
    const bundle = loadedOf(['x', 'y', 'z'].map((id) => written({ id, version: { upstream: 'v1.1.0' } })));
    const { steps } = planOf(bundle, snapshot, { policies: [order], waves }).spec;
    const stepOf = (name: string, component: string) =>
      steps.find((one) => one.cluster === name && one.component === component && one.kind === 'upgrade');
    expect(stepOf('east', 'x')?.after).toContain(stepOf('west', 'y')?.id);
    expect(stepOf('east', 'x')?.after).not.toContain(stepOf('west', 'z')?.id);
    expect(stepOf('west', 'y')?.after).toEqual([]);
  });

  it('lets what has fewer stops come to its target with what has more: the flow aggregator after the agents', () => {
    const parts = (upstream: string) => [
      written({ id: 'antrea-controller', unit: 'antrea', version: { upstream } }),
      written({ id: 'antrea-agent', unit: 'antrea', scope: 'node', version: { upstream } }),
      written({ id: 'flow-aggregator', version: { upstream } }),
    ];
    const components = [running('antrea-controller', 'v2.1.0'), running('antrea-agent', 'v1.15.2', ['n'])];
    const { spec } = planOf(loadedOf(parts('v2.4.0')), snapshotOf({ clusters: [{ name: 'a', components }] }), {
      otherBundles: [loadedOf(parts('v2.1.0'), { number: 5 })],
    });
    const moves = spec.steps.flatMap(({ effects }) => effects.map(({ component, to }) => `${component} ${to}`));
    expect(moves).toEqual([
      'antrea-agent v2.1.0',
      'antrea-controller v2.4.0',
      'antrea-agent v2.4.0',
      'flow-aggregator v2.4.0',
    ]);
  });

  describe('where nothing else decides', () => {
    const movesOf = (components: readonly object[], live: readonly object[], policies: readonly Policy[] = []) => {
      const snapshot = snapshotOf({ clusters: [{ name: 'a', components: live }] });
      const { spec } = planOf(loadedOf(components), snapshot, { policies, waves });
      return spec.steps
        .filter(({ kind }) => kind === 'upgrade')
        .flatMap(({ effects }) => effects.map(({ component }) => component));
    };
    const to = (id: string, more: object = {}) => written({ id, version: { upstream: 'v1.1.0' }, ...more });

    it('takes what runs once in a cluster before what runs on its Nodes, and else goes by name', () => {
      const live = [running('a-agent', 'v1.0.0', ['n']), running('b', 'v1.0.0'), running('c', 'v1.0.0')];
      expect(movesOf([to('a-agent', { scope: 'node' }), to('c'), to('b')], live)).toEqual(['b', 'c', 'a-agent']);
    });

    it('takes what others require first', () => {
      const live = [running('a', 'v1.0.0'), running('b', 'v1.0.0')];
      expect(movesOf([to('a', { requires: [{ component: 'b' }] }), to('b')], live)).toEqual(['b', 'a']);
    });

    it('goes back in the other order', () => {
      const order = policyOf({ order: [{ id: 'x.order', first: 'b', next: 'a', scope: 'cluster', source: 'us' }] });
      const at = (version: string) => [running('a', version), running('b', version)];
      const supported = { rollback: 'consecutive-minor' };
      expect(movesOf([to('a', supported), to('b', supported)], at('v1.0.0'), [order])).toEqual(['b', 'a']);
      expect(movesOf([to('a', supported), to('b', supported)], at('v1.2.0'), [order])).toEqual(['a', 'b']);
    });
  });

  it('lets the one that lags move first where the usual order would leave it too far behind', () => {
    const { outcome, steps } = eastAndWest('v1.0.0', { x: 'v1.1.0', y: 'v1.2.0' });
    expect(outcome).toBe('ready');
    expect(steps.map(({ cluster }) => cluster)).toEqual(['west', 'east']);
  });

  it('keeps clusters of a wave apart where a rule between them would break with both at work, and only there', () => {
    const [first, second] = eastAndWest('v1.0.0', { x: 'v1.1.0', y: 'v1.2.0' }).steps;
    expect(second?.after).toEqual([first?.id]);
    const aside = eastAndWest('v1.1.0', { x: 'v1.2.0', y: 'v1.2.0' }).steps;
    expect(aside.map(({ cluster, after }) => [cluster, after])).toEqual([
      ['east', []],
      ['west', []],
    ]);
  });

  it('is blocked, with the rule, where none is found', () => {
    const { outcome, findings, steps } = eastAndWest('v1.0.0', { x: 'v1.3.0', y: 'v1.3.0' });
    expect([outcome, steps]).toEqual(['blocked', []]);
    expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
      'block plan.order',
      'block plan.order',
      'block x.near',
      'block x.near',
    ]);
  });

  it('takes all along to the stops that some have to make, but for what runs the version of the stop already', () => {
    const hops = policyOf({
      ...near.spec,
      hops: [{ id: 'y.step', subject: 'y', maxMinors: 1, source: 'us' }],
      skew: [
        {
          id: 'z.near',
          subject: 'z',
          reference: 'y',
          scope: 'cluster',
          newer: { minors: 0 },
          older: { minors: 1 },
          source: 'us',
        },
      ],
    });
    const bundle = (version: string, number: number) =>
      loadedOf(
        ['w', 'y', 'z'].map((id) => written({ id, version: { upstream: version } })),
        { number },
      );
    const components = [running('w', 'v1.1.0'), running('y', 'v1.0.0'), running('z', 'v1.0.0')];
    const snapshot = snapshotOf({ clusters: [{ name: 'a', components }] });
    const { spec } = planOf(bundle('v1.2.0', 2), snapshot, {
      policies: [hops],
      waves,
      otherBundles: [bundle('v1.1.0', 1)],
    });
    expect(spec.changes.map(({ component, hops: stops }) => [component, ...stops])).toEqual([
      ['w', 'v1.2.0'],
      ['y', 'v1.1.0', 'v1.2.0'],
      ['z', 'v1.1.0', 'v1.2.0'],
    ]);
  });
});
