import { describe, expect, test } from 'vitest';
import type { VirtualFleetOptions } from './fleet-plan.ts';
import { planFleet, seedsOf, serverAt } from './fleet-plan.ts';

const options: VirtualFleetOptions = { clusters: { east: 'member', north: 'leader+member', west: 'member' } };

describe('the plan of a fleet', () => {
  test('gives each cluster its own Service CIDR, in the order of the options, unless the options name one', () => {
    const { clusters } = planFleet({ ...options, serviceCIDRs: { north: '10.96.0.0/16,fd00::/108' } });
    expect(clusters.map(({ name, serviceCIDR }) => [name, serviceCIDR])).toEqual([
      ['east', '10.96.0.0/16'],
      ['north', '10.96.0.0/16,fd00::/108'],
      ['west', '10.98.0.0/16'],
    ]);
  });

  test('has the default Namespaces and seed, and finds the leader', () => {
    const { area, home, seed, leaderName } = planFleet(options);
    expect([area, home, seed, leaderName]).toEqual(['antrea-multicluster', 'kube-system', 1, 'north']);
  });

  test.each([
    ['north.test', 'north'],
    ['api.example.org', 'west'],
  ])('finds the API server at %s', (hostname, server) => {
    expect(serverAt(hostname, planFleet({ ...options, hosts: { 'api.example.org': 'west' } }))).toBe(server);
  });

  test('draws different seeds for each cluster, use and start', () => {
    const plan = planFleet({ ...options, seed: 7 });
    const seeds = plan.clusters.flatMap((cluster) => {
      const { server, clusterControllers, start } = seedsOf(plan, cluster);
      return [server, clusterControllers, start(0), start(1)];
    });
    expect(new Set(seeds).size).toBe(seeds.length);
  });
});
