import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusterNetworks } from '../testing/random-cluster.ts';
import { createNetworkPlanner, desiredNetwork } from './desired-network.ts';

describe('the network of a Node', () => {
  test('is after any changes what it is from the start', () => {
    fc.assert(
      fc.property(fc.array(clusterNetworks(), { minLength: 1, maxLength: 6 }), (clusters) => {
        const plan = createNetworkPlanner();
        for (const cluster of clusters) expect(plan(cluster)).toEqual(desiredNetwork(cluster));
      }),
    );
  });

  test('consists of the same parts as before where their objects are the same', () => {
    fc.assert(
      fc.property(clusterNetworks(), (cluster) => {
        const plan = createNetworkPlanner();
        const before = plan(cluster);
        const [first, ...others] = cluster.services;
        if (first === undefined) return;
        const after = plan({ ...cluster, services: [{ ...first, endpoints: [] }, ...others] });
        expect(after.routes).toBe(before.routes);
        for (const [name, chain] of after.chains) expect(before.chains.get(name)).toBe(chain);
      }),
    );
  });
});
