import { describe, expect, test } from 'vitest';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { desiredNetwork } from '../desired/desired-network.ts';
import { ruleText } from '../network/render-rule.ts';
import { address, cidr } from '../testing/addresses.ts';
import { directClusters, directEveryMs, directTargets } from './direct-targets.ts';

const cluster = (more: Partial<ClusterNetwork> = {}): ClusterNetwork => ({
  node: 'node-1',
  nodes: [{ name: 'node-1', address: address('172.30.1.1'), podCIDRs: [cidr('10.10.1.0/24')], isGateway: true }],
  podCIDRs: [cidr('10.10.0.0/16')],
  remotes: [
    {
      clusterID: 'west',
      podCIDRs: [cidr('10.20.0.0/16')],
      gatewayIPs: [address('172.30.2.1')],
      directProbes: ['10.20.1.0', 'fd00:2::', '10.20.2.0', '10.20.3.0'].map(address),
    },
    { clusterID: 'south', podCIDRs: [cidr('10.30.0.0/16')], gatewayIPs: [address('172.30.3.1')] },
  ],
  services: [],
  settings: { port: 8479, underlayMTU: 1500, findsDirectPaths: true },
  ...more,
});

describe('direct paths', () => {
  test('are asked for at two addresses of each cluster that announces some, in the families that this Node has', () => {
    const targets = [...directTargets(cluster()).values()];
    expect(targets.map(({ clusterID, address: at, port }) => [clusterID, at, port])).toEqual([
      ['west', '10.20.1.0', 8484],
      ['west', '10.20.2.0', 8484],
    ]);
    const off = { port: 8479, underlayMTU: 1500 };
    expect(directTargets(cluster({ settings: off })).size).toBe(0);
  });

  test('are used from when all addresses answer until none does', () => {
    const after = (before: readonly string[], ...silent: readonly string[]) => [
      ...directClusters(
        directTargets(cluster()).values(),
        new Set(silent.map((one) => `west IPv4 ${one}`)),
        new Set(before),
      ),
    ];
    expect(after([], '10.20.1.0')).toEqual([]);
    expect(after([])).toEqual(['west IPv4']);
    expect(after(['west IPv4'], '10.20.1.0')).toEqual(['west IPv4']);
    expect(after(['west IPv4'], '10.20.1.0', '10.20.2.0')).toEqual([]);
    // An address without an announcement is not known to answer.
    expect([...directClusters([], new Set(), new Set(['west IPv4']))]).toEqual([]);
  });

  test('are asked for every two seconds, and more rarely the more Nodes and clusters there are', () => {
    const { nodes, remotes } = cluster();
    expect(directEveryMs({ nodes, remotes })).toBe(2_000);
    const many = <T>(one: T | undefined, count: number) => Array.from({ length: count }, () => one as T);
    expect(directEveryMs({ nodes: many(nodes[0], 100), remotes: many(remotes[0], 50) })).toBe(10_000);
  });
});

describe('the network of a Node with a direct path', () => {
  const routes = (network: ReturnType<typeof desiredNetwork>) => [...network.routes.values()].map(({ to }) => to);

  test('has no route to Pods that need no tunnel, keeps their sources as in a tunnel, and is else as before', () => {
    const before = desiredNetwork(cluster());
    const after = desiredNetwork(cluster({ direct: new Set(['west IPv4']) }));
    expect(routes(before)).toEqual(['10.20.0.0/16', '10.30.0.0/16']);
    expect(routes(after)).toEqual(['10.30.0.0/16']);
    expect([...(after.sets.get('direct4')?.elements.keys() ?? [])]).toEqual(['10.20.0.0/16']);
    expect(before.sets.get('direct4')?.elements.size).toBe(0);
    expect(after.chains).toEqual(before.chains);
    expect(after.rules).toEqual(before.rules);
  });

  test('leads to endpoints of its cluster, whether or not gateways of that answer', () => {
    const endpoint = (clusterID: string, text: string) => ({ clusterID, address: address(text), port: 8080 });
    const reached = (more: Partial<ClusterNetwork>) => {
      const { remotes } = cluster();
      const services = [
        {
          namespace: 'shop',
          name: 'cart',
          protocol: 'TCP' as const,
          address: address('10.99.0.1'),
          port: 80,
          endpoints: [endpoint('west', '10.20.1.5'), endpoint('south', '10.30.1.5')],
        },
      ];
      const unreached = remotes.map((one) => (one.clusterID === 'west' ? { ...one, isUnreached: true } : one));
      const { chains } = desiredNetwork(cluster({ services, remotes: unreached, ...more }));
      return chains.get('import/shop/cart/tcp/80/4')?.map(ruleText).join().includes('10.20.1.5');
    };
    expect([reached({}), reached({ direct: new Set(['west IPv4']) })]).toEqual([false, true]);
  });

  test('has nothing for direct paths where none are looked for', () => {
    const off = desiredNetwork(cluster({ settings: { port: 8479, underlayMTU: 1500 } }));
    const names = [...off.chains.keys(), ...off.sets.keys()].filter((name) => name.startsWith('direct'));
    expect(names).toEqual([]);
    expect([...off.rules.values()].every(({ udp }) => udp === undefined)).toBe(true);
  });
});
