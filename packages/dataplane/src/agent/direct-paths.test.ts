import { memoryLog, noMetrics } from '@isthmus/kube';
import { addressText, seededRandom } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, test } from 'vitest';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import type { DirectPeer, DirectSocket } from '../probes/direct-probe.ts';
import { address, cidr } from '../testing/addresses.ts';
import { createDirectPaths } from './direct-paths.ts';
import type { DirectAccess } from './options.ts';

const node = (name: string, third: number) => ({
  name,
  address: address(`172.30.1.${third}`),
  podCIDRs: [cidr(`10.10.${third}.0/24`), cidr(`fd00:1:0:${third}::/64`)],
  isGateway: third === 1,
});
const cluster = (more: Partial<ClusterNetwork> = {}): ClusterNetwork => ({
  node: 'node-1',
  nodes: [node('node-1', 1), node('node-2', 2), node('node-3', 3)],
  podCIDRs: [cidr('10.10.0.0/16')],
  remotes: [
    {
      clusterID: 'west',
      podCIDRs: [cidr('10.20.0.0/16')],
      gatewayIPs: [address('172.30.2.1')],
      directProbes: ['10.20.1.0', '10.20.2.0'].map(address),
    },
  ],
  services: [],
  settings: { port: 8479, underlayMTU: 1500 },
  ...more,
});

/** The direct paths of an agent. Addresses of cluster west answer its questions. */
function start(more: Partial<Parameters<typeof createDirectPaths>[0]> = {}) {
  const clock = createVirtualClock({ startMs: 0 });
  const answering = new Set<string>();
  const listeners = new Set<(text: string, from: DirectPeer) => void>();
  const socket: DirectSocket = {
    async send(text, to) {
      if (answering.has(to.address))
        clock.after(2, () => listeners.forEach((listener) => listener(text.replace('?', '!'), to)));
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  let count = 0;
  const direct: DirectAccess = { socket, nonce: () => (++count).toString(16).padStart(32, '0') };
  const log = memoryLog();
  const paths = createDirectPaths(
    {
      direct,
      settings: { port: 8479 },
      world: { clock, random: seededRandom(1), log, metrics: noMetrics },
      ...more,
    },
    () => 'east',
  );
  void paths.run(new AbortController().signal);
  return { clock, answering, paths, log };
}

describe('the direct paths of an agent', () => {
  test('are used when both addresses answer, shown, logged, and given up seconds after none does', async () => {
    const { clock, answering, paths, log } = start();
    let changes = 0;
    paths.subscribe(() => changes++);
    const network = paths.in(cluster());
    expect(paths.in(cluster({ settings: cluster().settings })).settings).toEqual(network.settings);
    await clock.advance(10_000);
    expect([...paths.used()]).toEqual([]);
    answering.add('10.20.1.0');
    await clock.advance(10_000);
    expect([...paths.used()]).toEqual([]);
    answering.add('10.20.2.0');
    await clock.advance(20_000);
    const used = paths.used();
    expect([...used]).toEqual(['west IPv4']);
    expect(paths.used()).toBe(used);
    expect(paths.status(network)).toEqual({
      clusters: [{ clusterID: 'west', family: 'IPv4', isUsed: true, asked: 2, answering: 2, roundTripMs: 2 }],
    });
    answering.clear();
    await clock.advance(8_000);
    expect([...paths.used()]).toEqual([]);
    expect(changes).toBeGreaterThan(2);
    expect(log.entries.map(({ message }) => message)).toEqual([
      'Pods of a cluster are reached without a tunnel',
      'Pods of a cluster are reached by tunnels',
    ]);
  });

  test('are logged for the cluster that they begin or end for, and asked addresses that do not answer do not count', async () => {
    const { paths, clock, answering, log } = start();
    const [west] = cluster().remotes;
    const south = {
      clusterID: 'south',
      podCIDRs: [cidr('10.30.0.0/16')],
      gatewayIPs: [address('172.30.3.1')],
      directProbes: [address('10.30.1.0')],
    };
    const network = paths.in(cluster({ remotes: west === undefined ? [] : [west, south] }));
    answering.add('10.30.1.0');
    await clock.advance(40_000);
    expect([...paths.used()]).toEqual(['south IPv4']);
    expect(paths.status(network).clusters).toEqual([
      { clusterID: 'west', family: 'IPv4', isUsed: false, asked: 2, answering: 0 },
      { clusterID: 'south', family: 'IPv4', isUsed: true, asked: 1, answering: 1, roundTripMs: 2 },
    ]);
    answering.add('10.20.1.0').add('10.20.2.0');
    await clock.advance(40_000);
    expect([...paths.used()].toSorted()).toEqual(['south IPv4', 'west IPv4']);
    answering.delete('10.20.1.0');
    answering.delete('10.20.2.0');
    await clock.advance(40_000);
    expect([...paths.used()]).toEqual(['south IPv4']);
    expect(log.entries.map(({ message, fields }) => [message, fields?.['remoteCluster']])).toEqual([
      ['Pods of a cluster are reached without a tunnel', 'south IPv4'],
      ['Pods of a cluster are reached without a tunnel', 'west IPv4'],
      ['Pods of a cluster are reached by tunnels', 'west IPv4'],
    ]);
  });

  test('are announced by addresses of this Node and the next one, in both families', () => {
    const { paths } = start();
    const at = (network: ClusterNetwork) => paths.answersAt(paths.in(network)).map(addressText);
    expect(at(cluster())).toEqual(['10.10.1.0', 'fd00:1:0:1::', '10.10.2.0', 'fd00:1:0:2::']);
    expect(at(cluster({ node: 'node-3' }))).toEqual(['10.10.3.0', 'fd00:1:0:3::', '10.10.1.0', 'fd00:1:0:1::']);
    expect(at(cluster({ nodes: [node('node-1', 1)] }))).toEqual(['10.10.1.0', 'fd00:1:0:1::']);
  });

  test.each([
    ['packets are encrypted', { settings: { port: 8479, wireGuardPort: 51_821 } }, {}, /are encrypted/],
    ['packets carry labels', { enableStretchedNetworkPolicy: true }, {}, /numbers of labels/],
    ['they are off', { direct: { off: '--direct-paths is off' } }, {}, /--direct-paths is off/],
    [
      'other clusters know Pods by virtual addresses',
      {},
      { virtualCIDRs: [{ own: cidr('10.10.0.0/16'), virtual: cidr('100.64.0.0/16') }] },
      /virtual addresses/,
    ],
  ])(
    'are neither looked for nor announced where %s, and the status contains the reason',
    (_, options, network, why) => {
      const { paths } = start(options);
      const now = paths.in(cluster(network));
      expect(now.settings.findsDirectPaths).toBeUndefined();
      expect([paths.answersAt(now), [...paths.used()]]).toEqual([[], []]);
      expect(paths.status(now)).toEqual({ off: expect.stringMatching(why), clusters: [] });
    },
  );
});
