import { ClusterSet, MemberClusterAnnounce } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  importedSlices,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { conditionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';

const pair = { north: 'leader', west: 'member' } as const;
const announceRef = { namespace: leaderNamespace, name: 'member-announce-from-west' };
const leaderRef = { namespace: leaderNamespace, name: clusterSetName };

const message = (cluster: VirtualCluster) => {
  const ref = { namespace: memberNamespace, name: clusterSetName };
  return conditionOf(cluster.server.admin.get(ClusterSet, ref)?.status?.conditions, 'Ready')?.message;
};
const announce = (fleet: VirtualFleet) => fleet.leader.server.admin.get(MemberClusterAnnounce, announceRef);

describe("a leader's controller that does not run while its API server does", () => {
  it('is reported on the ClusterSet of the member within a minute, and no longer when it is back', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    await fleet.clock.advance(60_000);
    expect(clusterSetCondition(west)).toBe('True Connected');
    fleet.leader.kill();
    await fleet.until('it is reported', () => clusterSetCondition(west) === 'False LeaderControllerSilent', 56_000);
    expect(message(west)).toBe(
      'The API server of leader north answers, but its controller has not answered a heartbeat for 40 s. Check it there: kubectl -n antrea-multicluster get pods,clustersets. Existing imports are kept.',
    );
    expect(importedSlices(west)).toHaveLength(1);
    fleet.leader.start();
    await fleet.until('it is gone', () => clusterSetCondition(west) === 'True Connected', 5_000);
  });

  it('is reported for as long as no controller of any make runs', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    await fleet.clock.advance(30_000);
    fleet.leader.kill();
    await fleet.until('it is reported', () => clusterSetCondition(west) === 'False LeaderControllerSilent', 45_000);
    for (let minute = 0; minute < 5; minute++) {
      await fleet.clock.advance(60_000);
      expect(clusterSetCondition(west)).toBe('False LeaderControllerSilent');
    }
    fleet.leader.start();
    await fleet.until('it is gone', () => clusterSetCondition(west) === 'True Connected', 5_000);
    expect(announce(fleet)?.metadata.finalizers).toEqual(['memberclusterannounce.finalizer.antrea.io/west']);
  });

  it('is not reported any more where one of Antrea has taken its place without a handover', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    await fleet.clock.advance(30_000);
    fleet.leader.kill();
    runAntreaLeader(fleet);
    await fleet.clock.advance(60_000);
    expect(clusterSetCondition(west)).toBe('True Connected');
    await fleet.clock.advance(300_000);
    expect(clusterSetCondition(west)).toBe('True Connected');
    expect(importedSlices(west)).toHaveLength(1);
  });

  it('is reported where it has never run', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const west = fleet.cluster('west');
    fleet.join();
    west.start();
    await fleet.until('it is reported', () => clusterSetCondition(west) === 'False LeaderControllerSilent', 45_000);
    fleet.leader.start();
    await fleet.until('it is gone', () => clusterSetCondition(west) === 'True Connected', 5_000);
  });

  it('is not assumed where the leader accepts announcements and never answers, as Antrea does', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const west = fleet.cluster('west');
    fleet.join();
    west.start();
    await fleet.until('it is announced', () => announce(fleet) !== undefined);
    fleet.leader.server.admin.patch(MemberClusterAnnounce, announceRef, {
      metadata: { finalizers: ['memberclusterannounce.finalizer.antrea.io/west'] },
    });
    const accepted = announce(fleet)?.metadata.finalizers;
    await fleet.clock.advance(300_000);
    expect(announce(fleet)?.metadata.finalizers).toEqual(accepted);
    expect(clusterSetCondition(west)).toBe('True Connected');
  });

  it('costs the leader one write for two heartbeats, and none between', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    await fleet.clock.advance(30_000);
    const from = fleet.leader.server.requestLog().length;
    await fleet.clock.advance(60_000);
    const patches = fleet.leader.server
      .requestLog()
      .slice(from)
      .filter((line) => line.includes('PATCH') && line.includes('/memberclusterannounces/'));
    const byLeader = patches.filter((line) => line.includes('antrea-mc-controller'));
    expect(byLeader).toHaveLength(2);
    expect(patches.length - byLeader.length).toBe(4);
  });
});

describe('the ClusterSet of the leader', () => {
  it('is reported as missing on the ClusterSet of the member, within five seconds, until it is there', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    const spec = admin.get(ClusterSet, leaderRef)?.spec;
    admin.delete(ClusterSet, leaderRef);
    await fleet.until('it is reported', () => clusterSetCondition(west) === 'False LeaderClusterSetMissing', 5_000);
    expect(message(west)).toBe(
      'Leader north has no ClusterSet in Namespace antrea-multicluster. Create ClusterSet "fleet" there; one in another Namespace has no effect.',
    );
    admin.put(ClusterSet, { metadata: leaderRef, spec });
    await fleet.until('it is gone', () => clusterSetCondition(west) === 'True Connected', 5_000);
  });

  it('is reported on the ClusterSet of the member where it has another name', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    const spec = admin.get(ClusterSet, leaderRef)?.spec;
    admin.delete(ClusterSet, leaderRef);
    admin.put(ClusterSet, { metadata: { ...leaderRef, name: 'acme' }, spec });
    await fleet.until('it is reported', () => clusterSetCondition(west) === 'False OtherClusterSet', 5_000);
    expect(message(west)).toBe(
      'Leader north serves ClusterSet "acme", but this cluster\'s ClusterSet is named "fleet". If the name of this one is right, delete the leader\'s ClusterSet and create it again with that name: no import changes. Otherwise delete this one, which removes the imports and exports of this cluster, and create it again with the leader\'s name.',
    );
  });
});
