import { describe, expect, it } from 'vitest';
import { written } from '../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../fleet/testing/snapshot-of.ts';
import type { Plan } from './format/plan.ts';
import type { Waves } from './input/plan-input.ts';
import { loadedOf, planOf } from './testing/plan-of.ts';

const at = (id: string, upstream: string, more: object = {}) => written({ id, version: { upstream }, ...more });
const bundle = loadedOf([
  at('mc-leader', 'v2.7.0', { unit: 'antrea-mc', roles: ['leader'] }),
  at('mc-member', 'v2.7.0', { unit: 'antrea-mc', roles: ['member'] }),
]);

/** ClusterSets of these names, each with a leader and so many members. */
function fleetOf(names: readonly string[], members: number) {
  const membersOf = (set: string) => Array.from({ length: members }, (_, at) => `${set}-m${at}`);
  const clusters = names.flatMap((set) => [
    { name: `${set}-lead`, roles: ['leader'], clusterSet: set, components: [running('mc-leader', 'v2.6.0')] },
    ...membersOf(set).map((name) => ({
      name,
      roles: ['member'],
      clusterSet: set,
      components: [running('mc-member', 'v2.6.0')],
    })),
  ]);
  const clusterSets = names.map((name) => ({ name, leader: `${name}-lead`, members: membersOf(name) }));
  return snapshotOf({ clusterSets, clusters });
}

function planned(names: readonly string[], members: number, waves: Partial<Waves>): Plan['spec'] {
  const all = { canary: 1, percent: [25, 100], nodesAtOnce: 1, ...waves };
  return planOf(bundle, fleetOf(names, members), { waves: all }).spec;
}

/** The clusters of each wave, in the order of the plan. */
function wavesIn({ steps }: Plan['spec'], group: string): readonly (readonly string[])[] {
  const own = steps.filter((one) => one.group === group && one.kind === 'upgrade');
  return [...Map.groupBy(own, ({ wave }) => wave).values()].map((some) => some.map(({ cluster = '' }) => cluster));
}

/**
 * The most clusters of a group that are at work at once, if every step begins as soon as it may.
 */
function mostAtOnce({ steps }: Plan['spec'], group: string): number {
  const done = new Set<string>();
  let most = 0;
  while (done.size < steps.length) {
    const ready = steps.filter(({ id, after }) => !done.has(id) && after.every((one) => done.has(one)));
    most = Math.max(most, ready.filter((one) => one.group === group && one.kind === 'upgrade').length);
    for (const { id } of ready) done.add(id);
  }
  return most;
}

describe('the waves of a fleet', () => {
  it('begin with one leader of several: the others follow when it is upgraded', () => {
    const spec = planned(['s', 't', 'u'], 1, {});
    expect(wavesIn(spec, 'leader')).toEqual([['s-lead'], ['t-lead', 'u-lead']]);
    expect(mostAtOnce(planned(['s'], 1, {}), 'leader')).toBe(1);
    const first = spec.steps.find(({ cluster, kind }) => cluster === 's-lead' && kind === 'upgrade');
    const others = spec.steps.filter(({ group, wave }) => group === 'leader' && wave === 2);
    expect(others.filter(({ kind }) => kind === 'upgrade').map(({ after }) => after)).toEqual([
      [first?.id],
      [first?.id],
    ]);
  });

  it('grow with the shares over many leaders, and have none for one', () => {
    const sets = Array.from({ length: 9 }, (_, index) => `s${index}`);
    expect(wavesIn(planned(sets, 1, {}), 'leader').map((wave) => wave.length)).toEqual([1, 2, 6]);
    expect(planned(['s'], 1, {}).steps.find(({ group }) => group === 'leader')?.wave).toBe(0);
  });

  it('do not exceed the size that was asked for, counted over all ClusterSets', () => {
    const free = planned(['s', 't'], 21, {});
    expect(wavesIn(free, 'members').map((wave) => wave.length)).toEqual([2, 10, 30]);
    const small = planned(['s', 't'], 21, { size: 8 });
    expect(wavesIn(small, 'members').map((wave) => wave.length)).toEqual([2, 8, 2, 8, 8, 8, 6]);
    expect(wavesIn(small, 'members').flat().toSorted()).toEqual(wavesIn(free, 'members').flat().toSorted());
  });

  it('divide clusters of no ClusterSet too, and each only member of a ClusterSet', () => {
    const clusters = Array.from({ length: 10 }, (_, index) => ({
      name: `c${index}`,
      components: [running('x', 'v1.0.0')],
    }));
    const wavesWith = (waves: Partial<Waves>) => {
      const all = { canary: 1, percent: [100], nodesAtOnce: 1, ...waves };
      const { spec } = planOf(loadedOf([at('x', 'v1.1.0')]), snapshotOf({ clusters }), { waves: all });
      return wavesIn(spec, 'clusters').map((wave) => wave.length);
    };
    expect(wavesWith({})).toEqual([1, 9]);
    expect(wavesWith({ canary: 2, percent: [50, 100] })).toEqual([2, 3, 5]);
    expect(wavesWith({ size: 4 })).toEqual([1, 4, 4, 1]);
    expect(wavesIn(planned(['s', 't', 'u'], 1, {}), 'members')).toEqual([['s-m0'], ['t-m0', 'u-m0']]);
  });

  it.each([
    { canary: 1, percent: [25, 50, 100], clusters: 8, waves: [1, 1, 2, 4] },
    { canary: 1, percent: [25, 50, 100], clusters: 3, waves: [1, 1, 1] },
    { canary: 2, percent: [25, 100], clusters: 8, waves: [2, 6] },
    { canary: 0, percent: [10, 100], clusters: 5, waves: [1, 4] },
    { canary: 9, percent: [50, 100], clusters: 4, waves: [4] },
    { canary: 3, percent: [], clusters: 4, waves: [3, 1] },
    { canary: 0, percent: [50, 20, 20, 100], clusters: 10, waves: [2, 3, 5] },
  ])(
    'of $clusters members with $canary canaries and shares of $percent have sizes of $waves',
    ({ canary, percent, clusters, waves }) => {
      const spec = planned(['s'], clusters, { canary, percent });
      expect(wavesIn(spec, 'members').map((wave) => wave.length)).toEqual(waves);
    },
  );

  it('begin with the members that a person names, in each ClusterSet that has one, whatever their number', () => {
    const spec = planned(['s', 't'], 4, { canaries: ['s-m3', 's-m1'] });
    expect(wavesIn(spec, 'members')).toEqual([
      ['s-m1', 's-m3', 't-m0'],
      ['s-m0', 's-m2', 't-m1', 't-m2', 't-m3'],
    ]);
  });

  it('have the only member of a ClusterSet in the first wave, beside the canaries of others', () => {
    const { spec: fleet } = fleetOf(['s', 't'], 3);
    const isKept = (name: string) => !['t-m1', 't-m2'].includes(name);
    const clusterSets = fleet.clusterSets.map((one) => ({ ...one, members: one.members.filter(isKept) }));
    const clusters = fleet.clusters.filter(({ name }) => isKept(name));
    const waves = { canary: 1, percent: [100], nodesAtOnce: 1 };
    const { spec } = planOf(bundle, snapshotOf({ clusterSets, clusters }), { waves });
    expect(wavesIn(spec, 'members')).toEqual([
      ['s-m0', 't-m0'],
      ['s-m1', 's-m2'],
    ]);
  });

  it('begin with the leaders that a person names, where there are several', () => {
    const spec = planned(['s', 't', 'u'], 2, { canaries: ['u-lead', 't-m1'] });
    expect(wavesIn(spec, 'leader')).toEqual([['u-lead'], ['s-lead', 't-lead']]);
    expect(wavesIn(spec, 'members')).toEqual([
      ['s-m0', 't-m1', 'u-m0'],
      ['s-m1', 't-m0', 'u-m1'],
    ]);
  });

  it('are waves of the clusters that the plan changes: what is left out is not a canary, and does not count', () => {
    const leftOut = new Map(['s-lead', 's-m0', 's-m1', 't-m0'].map((name) => [name, 'it is excluded']));
    const waves = { canary: 1, percent: [50, 100], nodesAtOnce: 1 };
    const { spec: fleet } = fleetOf(['s', 't'], 6);
    const clusters = fleet.clusters.map((one) => ({ ...one, components: [running('x', 'v1.0.0')] }));
    const { spec } = planOf(loadedOf([at('x', 'v1.1.0', { roles: ['member'] })]), snapshotOf({ ...fleet, clusters }), {
      waves,
      leftOut,
    });
    expect(wavesIn(spec, 'members')).toEqual([
      ['s-m2', 't-m1'],
      ['s-m3', 't-m2', 't-m3'],
      ['s-m4', 's-m5', 't-m4', 't-m5'],
    ]);
    const others = new Map(['s-lead', 's-m0'].map((name) => [name, 'it is excluded']));
    const alone = planOf(bundle, fleetOf(['s', 't'], 1), { waves, leftOut: others });
    expect(alone.spec.steps.map(({ wave }) => wave)).not.toContain(1);
  });

  it('of Kubernetes begin after those of a leader or a management cluster, and with the others where there is none', () => {
    const part = at('kube-proxy', 'v1.32.0', { method: 'kubernetes', scope: 'node' });
    const target = loadedOf([], { perKubernetes: { '1.32': { components: [part] } } });
    const cluster = (name: string, more: object) => ({
      name,
      components: [running('kube-proxy', 'v1.31.0', ['n'])],
      ...more,
    });
    const wavesOf = (clusters: readonly object[], clusterSets: readonly object[]) => {
      const snapshot = snapshotOf({ clusterSets, clusters });
      const { steps } = planOf(target, snapshot, {
        kubernetes: '1.32',
        waves: { canary: 1, percent: [100], nodesAtOnce: 1 },
      }).spec;
      return steps
        .filter(({ kind }) => kind === 'upgrade')
        .map((one) => `${one.cluster ?? ''} ${one.group} ${one.wave}`);
    };
    const sets = [{ name: 's', leader: 'lead', members: ['m'] }];
    const joined = [
      cluster('lead', { roles: ['leader'], clusterSet: 's' }),
      cluster('m', { roles: ['member'], clusterSet: 's' }),
    ];
    expect(wavesOf(joined, sets)).toEqual(['lead kubernetes 0', 'm kubernetes 1']);
    expect(wavesOf([cluster('a', {})], [])).toEqual(['a kubernetes 0']);
  });

  it('leave clusters of no ClusterSet in their own, and those of a ClusterSet in theirs, where a size was asked for', () => {
    const single = ['x', 'y', 'z'].map((name) => ({ name, components: [running('mc-member', 'v2.6.0')] }));
    const { spec } = fleetOf(['s'], 3);
    const fleet = snapshotOf({ ...spec, clusters: [...spec.clusters, ...single] });
    const plan = planOf(
      loadedOf([at('mc-leader', 'v2.7.0', { roles: ['leader'] }), at('mc-member', 'v2.7.0')]),
      fleet,
      {
        waves: { canary: 1, percent: [100], nodesAtOnce: 1, size: 5 },
      },
    );
    expect(wavesIn(plan.spec, 'members')).toEqual([['s-m0'], ['s-m1', 's-m2']]);
    expect(wavesIn(plan.spec, 'clusters')).toEqual([['x'], ['y', 'z']]);
  });

  it('have no more clusters at work at once than was asked for', () => {
    expect(mostAtOnce(planned(['s'], 20, {}), 'members')).toBe(15);
    const spec = planned(['s'], 20, { clustersAtOnce: 3 });
    expect(mostAtOnce(spec, 'members')).toBe(3);
    expect(wavesIn(spec, 'members').map((wave) => wave.length)).toEqual([1, 4, 15]);
  });

  it('soak once behind a wave, not between its clusters where few are at work at once', () => {
    const soaking = ({ steps }: Plan['spec']) =>
      steps.filter(({ gates }) => gates.some(({ kind }) => kind === 'soak')).map(({ cluster }) => cluster);
    const waves = { canary: 3, percent: [100], soakSeconds: 60 };
    expect(soaking(planned(['s'], 5, waves))).toEqual(['s-m0', 's-m1', 's-m2']);
    expect(soaking(planned(['s'], 5, { ...waves, clustersAtOnce: 2 }))).toEqual(['s-m1', 's-m2']);
    expect(soaking(planned(['s'], 5, { ...waves, clustersAtOnce: 1 }))).toEqual(['s-m2']);
  });
});
