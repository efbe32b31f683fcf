import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusterNetworks } from '../testing/random-cluster.ts';
import type { ImportedService } from './cluster-network.ts';
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

  test('is what it is from the start also where only some clusters are reached no more, or again', () => {
    const changes = fc.array(fc.nat(7), { maxLength: 4 });
    fc.assert(
      fc.property(clusterNetworks(), changes, (cluster, rounds) => {
        const plan = createNetworkPlanner();
        for (const round of [0, ...rounds]) {
          const remotes = cluster.remotes.map((one, index) =>
            ((round >> index) & 1) === 1 ? { ...one, isUnreached: true } : one,
          );
          expect(plan({ ...cluster, remotes })).toEqual(desiredNetwork({ ...cluster, remotes }));
        }
      }),
    );
  });

  test('is what it is from the start also where only endpoints of some Services change', () => {
    const changes = fc.array(fc.array(fc.tuple(fc.nat(), fc.nat(4)), { maxLength: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(clusterNetworks(), changes, (cluster, rounds) => {
        const plan = createNetworkPlanner();
        let { services } = cluster;
        for (const round of [[], ...rounds]) {
          for (const [place, count] of round)
            services = services.map((service, index) =>
              index === place % services.length
                ? { ...service, endpoints: cluster.services[index]?.endpoints.slice(0, count) ?? [] }
                : service,
            );
          expect(plan({ ...cluster, services })).toEqual(desiredNetwork({ ...cluster, services }));
        }
      }),
    );
  });

  test('has the same sets as before where one endpoint of a Service is another, and only its chain differs', () => {
    // No policy denies it, because its ports are in the sets of policies.
    const cluster = fc
      .sample(clusterNetworks(), { seed: 20_261_128, numRuns: 200 })
      .map((one) => ({ ...one, egress: [] }))
      .find(({ services }) => services.some(isPlain));
    if (cluster === undefined) throw new Error('no cluster has such a Service');
    const plan = createNetworkPlanner();
    const before = plan(cluster);
    const place = cluster.services.findIndex(isPlain);
    const services = cluster.services.map((service, index) =>
      index === place ? { ...service, endpoints: service.endpoints.slice(1) } : service,
    );
    const after = plan({ ...cluster, services });
    expect(after.sets).toBe(before.sets);
    expect([...after.chains].filter(([name, chain]) => before.chains.get(name) !== chain)).toHaveLength(1);
    expect(after).toEqual(desiredNetwork({ ...cluster, services }));
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

/** Whether all its endpoints are used, even if one is missing, and only its own chain has them. */
const isPlain = ({ endpoints, affinitySeconds, isNodeLocal }: ImportedService) =>
  affinitySeconds === undefined &&
  isNodeLocal !== true &&
  endpoints.length > 2 &&
  endpoints.every(({ clusterID, isTerminating, isUncertain }) => clusterID !== '' && !isTerminating && !isUncertain);
