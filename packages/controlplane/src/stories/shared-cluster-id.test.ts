import { ClusterSet, MemberClusterAnnounce, ResourceExport, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  exportCondition,
  exportMessage,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  recordWrites,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const ref = { namespace: memberNamespace, name: clusterSetName };

/**
 * `copy` was set up with the ClusterSet of `west`, including its ID, a while after west had joined.
 */
async function fleetWithCopy(
  prepare: (link: ReturnType<VirtualFleet['link']>) => unknown = () => undefined,
): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', west: 'member', copy: 'member' },
    join: false,
  });
  fleet.join();
  const [west, copy] = [fleet.cluster('west'), fleet.cluster('copy')];
  copy.server.admin.patch(ClusterSet, ref, { spec: { clusterID: 'west' } });
  fleet.leader.start();
  west.start();
  await fleet.until('west is connected', () => clusterSetCondition(west) === 'True Connected');
  exportCart(west, '10.20.1.5', westPorts);
  await fleet.until('west has imported', () => importedSlices(west).length === 1);
  prepare(fleet.link('copy-member', 'north'));
  copy.start();
  return fleet;
}

describe('a second member under the same cluster ID', () => {
  it('keeps away, reports it, and writes nothing to the leader', async () => {
    await using fleet = await fleetWithCopy();
    const copy = fleet.cluster('copy');
    exportCart(copy, '10.30.1.5', westPorts);
    await fleet.until('it says so', () => clusterSetCondition(copy) === 'False Refused', 5_000);
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(300_000);
    expect(writes().filter((write) => !write.startsWith('copy '))).toEqual([]);
    expect(exportCondition(copy, 'Ready')).toBe('False Pending');
    expect(exportMessage(copy, 'Ready')).toMatch(/a cluster ID must be unique in the ClusterSet/);
    expect(clusterSetCondition(fleet.cluster('west'))).toBe('True Connected');
    expect(importedSlices(fleet.cluster('west'))).toHaveLength(1);
    expect(copy.server.admin.get(ClusterSet, ref)?.status?.conditions?.[0]?.message).toMatch(
      /another cluster .* announces itself to leader north as west: a cluster ID must be unique/,
    );
  });

  it('withdraws nothing of the first one where it has read its exports before its own first heartbeat is answered', async () => {
    const slow = { kind: 'latency', ms: 1_000 } as const;
    await using fleet = await fleetWithCopy((link) =>
      link.add({
        match: ({ method, path }) => method === 'GET' && path.endsWith('/member-announce-from-west'),
        fault: slow,
      }),
    );
    const copy = fleet.cluster('copy');
    const { admin } = fleet.leader.server;
    const exported = () => admin.list(ResourceExport).map(({ metadata }) => metadata.uid);
    const before = exported();
    await fleet.until('it keeps away', () => clusterSetCondition(copy) === 'False Refused', 10_000);
    await fleet.clock.advance(5_000);
    expect(exported()).toEqual(before);
  });

  it('leaves without taking the first one along', async () => {
    await using fleet = await fleetWithCopy();
    const copy = fleet.cluster('copy');
    await fleet.until('it keeps away', () => clusterSetCondition(copy) === 'False Refused');
    copy.server.admin.delete(ClusterSet, ref);
    await fleet.until('it has left', () => copy.server.admin.get(ClusterSet, ref) === undefined);
    await fleet.clock.advance(60_000);
    const { admin } = fleet.leader.server;
    expect(admin.list(MemberClusterAnnounce).map(({ clusterID }) => clusterID)).toEqual(['west']);
    expect(admin.list(ResourceExport)).toHaveLength(2);
  });

  it('joins under another ID as soon as its spec names one', async () => {
    await using fleet = await fleetWithCopy();
    const copy = fleet.cluster('copy');
    await fleet.until('it keeps away', () => clusterSetCondition(copy) === 'False Refused');
    expect(copy.server.admin.get(ClusterSet, ref)?.metadata.annotations).toBeUndefined();
    copy.server.admin.patch(ClusterSet, ref, { spec: { clusterID: 'copy' } });
    await fleet.until('it is connected', () => clusterSetCondition(copy) === 'True Connected');
    await fleet.until(
      'it notes its ID',
      () => copy.server.admin.get(ClusterSet, ref)?.metadata.annotations?.['isthmus.dev/joined-as'] === 'copy',
    );
    const { admin } = fleet.leader.server;
    expect(admin.list(MemberClusterAnnounce).map(({ clusterID }) => clusterID)).toEqual(['copy', 'west']);
  });

  it('takes the place of one that has fallen silent: a rebuilt cluster joins under its old ID', async () => {
    await using fleet = await fleetWithCopy();
    const copy = fleet.cluster('copy');
    await fleet.until('it keeps away', () => clusterSetCondition(copy) === 'False Refused');
    fleet.cluster('west').kill();
    await fleet.until('it is connected', () => clusterSetCondition(copy) === 'True Connected', 120_000);
    exportCart(copy, '10.30.1.5', westPorts);
    await fleet.until(
      'it imports its own',
      () =>
        copy.server.admin.get(ServiceImport, cart) !== undefined && importedSlices(copy).join().includes('10.30.1.5'),
    );
  });

  it('leaves its place to the first one through a partition of an hour, because it has seen it alive', async () => {
    await using fleet = await fleetWithCopy();
    const [west, copy] = [fleet.cluster('west'), fleet.cluster('copy')];
    const { admin } = fleet.leader.server;
    const exported = () => admin.list(ResourceExport).map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
    await fleet.until('copy keeps away', () => clusterSetCondition(copy) === 'False Refused');
    await fleet.clock.advance(30_000);
    const before = exported();
    const link = fleet.link('west-member', 'north');
    link.cut('silence');
    await fleet.clock.advance(3_600_000);
    expect(clusterSetCondition(copy)).toBe('False Refused');
    expect(copy.server.admin.get(ClusterSet, ref)?.status?.conditions?.[0]?.message).toMatch(
      /seen alive.*kubectl -n \S+ delete memberclusterannounce member-announce-from-west/,
    );
    link.heal();
    await fleet.until('west is back', () => clusterSetCondition(west) === 'True Connected', 60_000);
    expect(exported()).toEqual(before);
  });

  it('takes the place of one that was seen alive when its announcement is deleted', async () => {
    await using fleet = await fleetWithCopy();
    const copy = fleet.cluster('copy');
    await fleet.until('copy keeps away', () => clusterSetCondition(copy) === 'False Refused');
    await fleet.clock.advance(30_000);
    fleet.cluster('west').kill();
    await fleet.clock.advance(60_000);
    const announcement = { namespace: leaderNamespace, name: 'member-announce-from-west' };
    fleet.leader.server.admin.delete(MemberClusterAnnounce, announcement);
    await fleet.until('copy is connected', () => clusterSetCondition(copy) === 'True Connected', 60_000);
  });

  it('is not harmed by the one whose place it has taken when that one comes back, restarted or not', async () => {
    await using fleet = await fleetWithCopy();
    const [west, copy] = [fleet.cluster('west'), fleet.cluster('copy')];
    const { admin } = fleet.leader.server;
    const exported = () => admin.list(ResourceExport).map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
    const link = fleet.link('west-member', 'north');
    link.cut('silence');
    await fleet.until('copy is connected', () => clusterSetCondition(copy) === 'True Connected', 120_000);
    exportCart(copy, '10.30.1.5', westPorts);
    await fleet.until('it exports', () => exportCondition(copy, 'Ready') === 'True Exported');
    // For west, exports under its ID are to be withdrawn.
    unexportService(west);
    const before = exported();
    link.add({
      match: ({ method, path }) => path.endsWith('/member-announce-from-west') && method !== 'DELETE',
      fault: { kind: 'latency', ms: 1_000 },
    });
    link.heal();
    await fleet.until('west keeps away', () => clusterSetCondition(west) === 'False Refused', 60_000);
    west.kill();
    west.start();
    await fleet.clock.advance(60_000);
    expect(clusterSetCondition(west)).toBe('False Refused');
    expect(exported()).toEqual(before);
    expect(clusterSetCondition(copy)).toBe('True Connected');
  });
});
