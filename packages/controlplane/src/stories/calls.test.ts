import { ClusterSet, MemberClusterAnnounce, Namespace, ServiceImport } from '@isthmus/api';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  exportCart,
  importedSlices,
  leaderNamespace,
  putPod,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { announce, four, renewGatewayLease } from '../testing/announced-network.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const readyIn = ({ server: { admin } }: VirtualCluster) => {
  const { status, reason } = conditionOf(admin.get(ServiceImport, cart)?.status?.conditions, 'Ready') ?? {};
  return `${status} ${reason}`;
};
const messageIn = ({ server: { admin } }: VirtualCluster) =>
  conditionOf(admin.get(ServiceImport, cart)?.status?.conditions, 'Ready')?.message ?? '';

/** West exports a Service, which east imports. */
async function fleetOf(endpointIPType: 'ClusterIP' | 'PodIP'): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: four, endpointIPType });
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: cart.namespace } });
  exportCart(fleet.cluster('west'), '10.20.1.5', http);
  await fleet.until('east imports it', () => importedSlices(fleet.cluster('east')).length > 0);
  return fleet;
}

/** Writes other than those of the status of the import. */
const otherWrites = (writes: readonly string[]) =>
  writes.filter((line) => !line.includes('/serviceimports/cart/status'));

describe('an import is not Ready', () => {
  it('without gateways that lead to its ClusterIPs (NoDataPlane), and is with one', async () => {
    await using fleet = await fleetOf('ClusterIP');
    const east = fleet.cluster('east');
    await fleet.until('it is reported', () => readyIn(east) === 'False NoDataPlane', 15_000);
    expect(messageIn(east)).toContain('kubectl -n kube-system describe clustersets');
    announce(fleet.cluster('west'), { podCIDRs: ['10.20.0.0/16'] });
    announce(east, { podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 30_000);
  });

  it('while no endpoint has been ready for ten seconds (NoReadyEndpoints), and a rollout changes nothing', async () => {
    await using fleet = await fleetOf('PodIP');
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 10_000);
    const seen = new Set<string>();
    const restart = async (ms: number) => {
      putPod(west, 'cart-1', '10.20.1.5', { ready: false });
      for (let at = 0; at < ms; at += 500) {
        await fleet.clock.advance(500);
        seen.add(readyIn(east));
      }
      putPod(west, 'cart-1', '10.20.1.5');
      await fleet.until('it is back', () => importedSlices(east).length > 0, 5_000);
    };
    await restart(8_000);
    expect([...seen]).toEqual(['True Ready']);
    await restart(15_000);
    expect([...seen]).toEqual(['True Ready', 'False NoReadyEndpoints']);
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 1_000);
  });

  it('while no gateway of a cluster with endpoints answers (ClusterNotReached), without a write of endpoints', async () => {
    await using fleet = await fleetOf('PodIP');
    const east = fleet.cluster('east');
    announce(east, { podCIDRs: ['10.10.0.0/16'] });
    announce(fleet.cluster('west'), { podCIDRs: ['10.20.0.0/16'] });
    const report = async (probes: string, seconds: number) => {
      for (let second = 0; second < seconds; second += 10) {
        renewGatewayLease(fleet, east, { 'isthmus.dev/probes': probes });
        await fleet.clock.advance(10_000);
      }
    };
    await report('west 1/0/1 5ms 0%', 60);
    expect(readyIn(east)).toBe('True Ready');
    const writes = recordWrites(fleet);
    await report('west 0/1/1 100% 192.0.2.2', 30);
    expect(readyIn(east)).toBe('False ClusterNotReached');
    expect(messageIn(east)).toContain('describe clusterinfoimport west-clusterinfo');
    await report('west 1/0/1 5ms 0%', 20);
    expect(readyIn(east)).toBe('True Ready');
    expect(writes().filter((line) => line.includes('endpointslices') || line.includes('/services/'))).toEqual([]);
  });

  it('while packets of full size do not reach a cluster with endpoints (PacketsTooLarge)', async () => {
    await using fleet = await fleetOf('PodIP');
    const east = fleet.cluster('east');
    announce(east, { podCIDRs: ['10.10.0.0/16'] });
    announce(fleet.cluster('west'), { podCIDRs: ['10.20.0.0/16'] });
    const report = async (annotations: Readonly<Record<string, string>>) => {
      for (let second = 0; second < 60; second += 10) {
        renewGatewayLease(fleet, east, { 'isthmus.dev/probes': 'west 1/0/1 5ms 0%', ...annotations });
        await fleet.clock.advance(10_000);
      }
      return readyIn(east);
    };
    expect(await report({})).toBe('True Ready');
    expect(await report({ 'isthmus.dev/small-paths': 'west 1316/1450 192.0.2.2' })).toBe('False PacketsTooLarge');
    expect(await report({})).toBe('True Ready');
  });

  it('if another cluster has the ranges of its endpoints, or of this cluster (NetworkConflict)', async () => {
    await using fleet = await fleetOf('PodIP');
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    announce(fleet.cluster('south'), { podCIDRs: ['10.20.0.0/16'], serviceCIDR: '10.97.0.0/16' });
    await fleet.clock.advance(30_000);
    announce(east, { podCIDRs: ['10.10.0.0/16'], serviceCIDR: '10.98.0.0/16' });
    announce(west, { podCIDRs: ['10.20.0.0/16'], serviceCIDR: '10.99.0.0/16' });
    await fleet.until('east reports it', () => readyIn(east) === 'False NetworkConflict', 60_000);
    expect(messageIn(east)).toContain('10.20.1.5 are in no range of it that is used');
    // East exports the Service, too: Pods of west get no answers from there.
    exportCart(east, '10.10.7.7', http);
    await fleet.until('west imports it', () => importedSlices(west).length > 0, 60_000);
    expect(readyIn(west)).toBe('True Ready');
    for (let second = 0; second < 60; second += 10) {
      renewGatewayLease(fleet, west, { 'isthmus.dev/dataplane': 'isthmus/gbp' });
      await fleet.clock.advance(10_000);
    }
    expect(readyIn(west)).toBe('False NetworkConflict');
    expect(messageIn(west)).toContain('other clusters do not route the Pod CIDRs of this cluster (10.20.0.0/16)');
  });

  it('while the leader has not answered for half a minute (NotConnected), after a restart too, and is kept', async () => {
    await using fleet = await fleetOf('PodIP');
    const east = fleet.cluster('east');
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 10_000);
    const writes = recordWrites(fleet);
    fleet.link('east-member', 'north').cut('refuse');
    await fleet.clock.advance(20_000);
    expect(readyIn(east)).toBe('True Ready');
    await fleet.until('it is reported', () => readyIn(east) === 'Unknown NotConnected', 60_000);
    expect(messageIn(east)).toMatch(/the leader has not answered since .*kubectl -n kube-system describe clustersets/);
    east.kill();
    east.start();
    for (let second = 0; second < 60; second++) {
      await fleet.clock.advance(1_000);
      expect(readyIn(east)).toBe('Unknown NotConnected');
    }
    fleet.link('east-member', 'north').heal();
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 30_000);
    expect(importedSlices(east)).toHaveLength(1);
    const ofEast = otherWrites(writes()).filter((line) => line.startsWith('east ') && line.includes('serviceimports'));
    expect(ofEast).toEqual([]);
  });

  it('while the controller of the leader is silent, though its API server answers (NotConnected)', async () => {
    await using fleet = await fleetOf('PodIP');
    const east = fleet.cluster('east');
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 10_000);
    fleet.leader.kill();
    await fleet.until('it is reported', () => readyIn(east) === 'Unknown NotConnected', 60_000);
    expect(messageIn(east)).toContain('LeaderControllerSilent');
    fleet.leader.start();
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 30_000);
  });

  it('while the controller of a cluster with endpoints is silent (ControllerSilent), and is when it is back', async () => {
    await using fleet = await fleetOf('PodIP');
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 10_000);
    const since = rfc3339(fleet.clock.now()).slice(0, 16);
    west.kill();
    await fleet.until('it is reported', () => readyIn(east) === 'Unknown ControllerSilent', 60_000);
    expect(messageIn(east)).toContain(`no heartbeat of west since ${since}`);
    east.kill();
    east.start();
    await fleet.clock.advance(30_000);
    expect(readyIn(east)).toBe('Unknown ControllerSilent');
    west.start();
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 30_000);
  });

  it.each<[string, (fleet: VirtualFleet) => void]>([
    [
      'whose announcement is lost',
      ({ leader }) =>
        leader.server.admin.remove(MemberClusterAnnounce, {
          namespace: leaderNamespace,
          name: 'member-announce-from-west',
        }),
    ],
    [
      'while the ClusterSet of the leader is wrong',
      ({ leader }) =>
        void leader.server.admin.patch(
          ClusterSet,
          { namespace: leaderNamespace, name: 'fleet' },
          { spec: { leaders: [{ clusterID: 'other' }] } },
        ),
    ],
  ])('where a silent cluster is one %s (ControllerSilent)', async (_, change) => {
    await using fleet = await fleetOf('PodIP');
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 10_000);
    west.kill();
    change(fleet);
    await fleet.until('it is reported', () => readyIn(east) === 'Unknown ControllerSilent', 120_000);
    west.start();
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 60_000);
  });

  it('while the cluster of its ClusterIPs announces no network (ClusterNotReached)', async () => {
    await using fleet = await fleetOf('ClusterIP');
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    announce(east, { podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('it is reported', () => readyIn(east) === 'False ClusterNotReached', 30_000);
    expect(messageIn(east)).toContain('no network of that cluster is known here');
    announce(west, { podCIDRs: ['10.20.0.0/16'] });
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 30_000);
  });

  it('for the kind of its endpoints, whatever endpointIPType this cluster has', async () => {
    await using fleet = await fleetOf('PodIP');
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 10_000);
    west.kill();
    west.start('member', { endpointIPType: 'ClusterIP' });
    await fleet.until('ClusterIPs need gateways', () => readyIn(east) === 'False NoDataPlane', 60_000);
    for (const [cluster, endpointIPType] of [
      [east, 'ClusterIP'],
      [west, 'PodIP'],
    ] as const) {
      cluster.kill();
      cluster.start('member', { endpointIPType });
    }
    await fleet.until('Pods need none', () => readyIn(east) === 'True Ready', 60_000);
  });

  it('and a leader that is away for a short while, or a member that restarts, changes nothing', async () => {
    await using fleet = await fleetOf('PodIP');
    const east = fleet.cluster('east');
    await fleet.until('it is Ready', () => readyIn(east) === 'True Ready', 10_000);
    await fleet.clock.advance(5_000);
    const version = () => east.server.admin.get(ServiceImport, cart)?.metadata.resourceVersion;
    const before = version();
    fleet.link('east-member', 'north').cut('refuse');
    await fleet.clock.advance(20_000);
    fleet.link('east-member', 'north').heal();
    await fleet.clock.advance(60_000);
    east.kill();
    east.start();
    await fleet.clock.advance(60_000);
    expect(version()).toBe(before);
  });
});
