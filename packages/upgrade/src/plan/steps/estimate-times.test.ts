import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

const bundle = loadedOf([
  written({ id: 'controller', version: { upstream: 'v1.1.0' } }),
  written({
    id: 'agent',
    scope: 'node',
    version: { upstream: 'v1.1.0' },
    requires: [{ component: 'controller', reason: 'order' }],
  }),
]);
type Took = number | undefined;
const live = (tookSeconds: Took, node?: string) => ({ version: 'v1.0.0', node, tookSeconds });
const cluster = (name: string, controller: Took, ...agents: readonly Took[]) => ({
  name,
  roles: ['member'],
  clusterSet: 's',
  components: [
    { id: 'controller', live: [live(controller)] },
    { id: 'agent', live: agents.map((one, at) => live(one, `n${at}`)) },
  ],
});
const planned = (clusters: readonly ReturnType<typeof cluster>[], waves: object = {}) => {
  const names = clusters.map(({ name }) => name);
  const leader = { name: 'lead', roles: ['leader'], clusterSet: 's', components: [], paused: true };
  return planOf(
    loadedOf(bundle.bundle.spec.components.map((one) => ({ ...one, roles: ['member'] }))),
    snapshotOf({
      clusters: [leader, ...clusters],
      clusterSets: [{ name: 's', leader: 'lead', members: names }],
    }),
    { waves: { canary: 1, percent: [100], nodesAtOnce: 1, ...waves } },
  ).spec;
};
const times = (...args: Parameters<typeof planned>) =>
  planned(...args).estimates.map(({ id, seconds, rollouts, notRecorded }) => [id, seconds, rollouts, notRecorded]);

describe('the estimated time of a wave', () => {
  it('is the longest way through its rollouts: one cluster after the other in a lane, clusters side by side', () => {
    const clusters = [cluster('a', 60, 30, 40), cluster('b', 10, 5, 5), cluster('c', 100, 20, 20)];
    expect(times(clusters)).toEqual([
      ['2.1', 130, 3, 0],
      ['2.2', 140, 6, 0],
    ]);
    // Nodes that are at work at once take as long as the slowest.
    expect(times(clusters, { nodesAtOnce: 2 })).toEqual([
      ['2.1', 100, 2, 0],
      ['2.2', 120, 4, 0],
    ]);
    // One cluster of a wave after the other.
    expect(times(clusters, { clustersAtOnce: 1 })[1]).toEqual(['2.2', 160, 6, 0]);
  });

  it('has the wait after the wave in it', () => {
    expect(times([cluster('a', 60, 30), cluster('b', 10, 5)], { soakSeconds: 600 })).toEqual([
      ['2.1', 690, 2, 0],
      ['2.2', 15, 2, 0],
    ]);
  });

  it('takes the median of other clusters where a cluster has no record, and counts rollouts that nobody recorded', () => {
    const others = [cluster('b', 10, undefined), cluster('c', 30, undefined), cluster('d', 20, undefined)];
    expect(times([cluster('a', undefined, undefined), ...others], { canary: 1 })[0]).toEqual(['2.1', 20, 2, 1]);
  });

  it('is absent where nothing is recorded, and does not change the fingerprint of the fleet', () => {
    const without = planned([cluster('a', undefined, undefined)]);
    expect(without.estimates).toEqual([]);
    expect(planned([cluster('a', 60, 30)]).snapshot.fingerprint).toBe(without.snapshot.fingerprint);
  });
});
