import { ClusterInfoImport, ClusterSet, Gateway, MemberClusterAnnounce } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { clusterSetName, createVirtualFleet, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;

const differs = ({ server, name }: VirtualCluster) => {
  const namespace = name === 'north' ? leaderNamespace : memberNamespace;
  const { status } = server.admin.get(ClusterSet, { namespace, name: clusterSetName }) ?? {};
  return conditionOf(status?.conditions, 'SettingsDiffer');
};
const reasons = (fleet: VirtualFleet) => fleet.clusters.map((cluster) => differs(cluster)?.reason ?? '-').join(' ');

function restart(cluster: VirtualCluster, endpointIPType: 'ClusterIP' | 'PodIP'): void {
  cluster.kill();
  cluster.start('member', { endpointIPType });
}

const allReport = (reason: string) => [reason, reason, reason].join(' ');

describe('members with different settings', () => {
  it('have the type of endpoints of each on the ClusterSets of all, until it is the same again', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    expect(reasons(fleet)).toBe('- - -');
    const west = fleet.cluster('west');
    restart(west, 'PodIP');
    const all = ['EndpointIPTypeDiffers', 'EndpointIPTypeDiffers', 'EndpointIPTypeDiffers'].join(' ');
    await fleet.until('all report it', () => reasons(fleet) === all, 5_000);
    const messages = new Set(fleet.clusters.map((cluster) => differs(cluster)?.message));
    expect([...messages]).toEqual([
      'endpointIPType is ClusterIP in east; PodIP in west. Set the same endpointIPType in the configuration of every cluster: endpoints of the other type may not be reachable.',
    ]);
    restart(west, 'ClusterIP');
    await fleet.until('nobody reports it', () => reasons(fleet) === '- - -', 5_000);
  });

  it('stop to differ when one of them leaves', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    restart(west, 'PodIP');
    await fleet.until('all report it', () => !reasons(fleet).includes('-'), 5_000);
    west.server.admin.delete(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    await fleet.until('nobody else reports it', () => reasons(fleet) === '- - -', 5_000);
  });

  it('stop to differ when one of them has sent no heartbeat for half a minute, and differ again when it does', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    restart(west, 'PodIP');
    await fleet.until('all report it', () => !reasons(fleet).includes('-'), 5_000);
    west.kill();
    await fleet.until('the others do not report it', () => reasons(fleet).startsWith('- - '), 60_000);
    west.start('member', { endpointIPType: 'PodIP' });
    await fleet.until('all report it again', () => !reasons(fleet).includes('-'), 30_000);
  });

  it('are not compared with a member of Antrea, which announces none', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    restart(west, 'PodIP');
    await fleet.until('all report it', () => !reasons(fleet).includes('-'), 5_000);
    west.kill();
    const ref = { namespace: leaderNamespace, name: 'member-announce-from-west' };
    const beat = { metadata: { annotations: { 'touch-ts': '2026-11-21T10:05:00Z' } } };
    fleet.leader.server.admin.patch(MemberClusterAnnounce, ref, beat);
    await fleet.until('the others do not report it', () => reasons(fleet).startsWith('- - '), 5_000);
  });

  it('have their enableStretchedNetworkPolicy on the ClusterSets of all, until it is the same again', async () => {
    await using fleet = await createVirtualFleet({
      clusters: three,
      leaderConfig: { enableStretchedNetworkPolicy: true },
    });
    const west = fleet.cluster('west');
    west.kill();
    west.start('member', { enableStretchedNetworkPolicy: true });
    const all = allReport('StretchedNetworkPolicyDiffers');
    await fleet.until('all report it', () => reasons(fleet) === all, 5_000);
    expect(differs(fleet.cluster('east'))?.message).toBe(
      'enableStretchedNetworkPolicy is false in east; true in west. Set the same enableStretchedNetworkPolicy in the configuration of every cluster: rules with scope ClusterSet select only Pods of clusters where it is true.',
    );
    west.kill();
    west.start('member', { enableStretchedNetworkPolicy: false });
    await fleet.until('nobody reports it', () => reasons(fleet) === '- - -', 5_000);
  });

  it('report no difference in enableStretchedNetworkPolicy while a member of Antrea or of Isthmus 0.1.0 announces none', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const west = fleet.cluster('west');
    west.kill();
    const ref = { namespace: leaderNamespace, name: 'member-announce-from-west' };
    const { admin } = fleet.leader.server;
    const at = '2026-11-21T10:05:00Z';
    const older = { 'touch-ts': at, 'isthmus.dev/marks-at': at, 'isthmus.dev/stretched-network-policy': null };
    admin.patch(MemberClusterAnnounce, ref, { metadata: { annotations: older } });
    const east = fleet.cluster('east');
    east.kill();
    east.start('member', { enableStretchedNetworkPolicy: true });
    await fleet.clock.advance(15_000);
    expect(reasons(fleet)).toBe('- - -');
  });

  it('have the data plane that their Gateways name on the ClusterSets of all', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const putGateway = (name: string, number: number, dataPlane: string) =>
      fleet.cluster(name).server.admin.put(Gateway, {
        metadata: {
          name: 'node-1',
          namespace: memberNamespace,
          annotations: { 'isthmus.dev/dataplane': dataPlane },
        },
        gatewayIP: `192.0.2.${number}`,
        serviceCIDR: `10.${95 + number}.0.0/16`,
      });
    putGateway('east', 1, 'antrea');
    putGateway('west', 2, 'isthmus/gbp');
    await fleet.until('all report it', () => !reasons(fleet).includes('-'), 5_000);
    expect(differs(fleet.cluster('east'))).toMatchObject({
      reason: 'DataPlaneDiffers',
      message: expect.stringContaining('The data plane is antrea in east; isthmus/gbp in west.') as string,
    });
    const ofWest = { namespace: memberNamespace, name: 'west-clusterinfo' };
    const seen = () => fleet.cluster('east').server.admin.get(ClusterInfoImport, ofWest)?.metadata.annotations;
    expect(seen()?.['isthmus.dev/dataplane']).toBe('isthmus/gbp');
    putGateway('west', 2, 'antrea');
    await fleet.until('nobody reports it', () => reasons(fleet) === '- - -', 5_000);
    expect(seen()?.['isthmus.dev/dataplane']).toBe('antrea');
  });

  it('have the cluster ID of a leader that was created again with another one on the ClusterSets of all', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: clusterSetName };
    const set = admin.get(ClusterSet, ref);
    const createAgain = async (clusterID: string) => {
      admin.delete(ClusterSet, ref);
      await fleet.until('it is gone', () => admin.get(ClusterSet, ref) === undefined, 5_000);
      admin.put(ClusterSet, {
        metadata: { ...ref },
        spec: { ...set?.spec, clusterID, leaders: [{ clusterID }] },
      });
    };
    await createAgain('hub');
    const all = ['LeaderIDDiffers', 'LeaderIDDiffers', 'LeaderIDDiffers'].join(' ');
    await fleet.until('all report it', () => reasons(fleet) === all, 15_000);
    expect(differs(fleet.cluster('east'))?.message).toContain(
      'The cluster ID of the leader is hub, but spec.leaders[0].clusterID is "north" in east, west.',
    );
    await createAgain('north');
    await fleet.until('nobody reports it', () => reasons(fleet) === '- - -', 15_000);
  });
});
