import {
  ClusterClaim,
  ClusterSet,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  putAntreaExports,
  recordWrites,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', west: 'member' } as const;
const leaderRef = { namespace: leaderNamespace, name: clusterSetName };
const hour = 3_600_000;

const clusterSet = (fleet: VirtualFleet) => fleet.leader.server.admin.get(ClusterSet, leaderRef);
const statuses = (fleet: VirtualFleet) =>
  (clusterSet(fleet)?.status?.clusterStatuses ?? []).map(({ clusterID, conditions }) => {
    const ready = conditionOf(conditions, 'Ready');
    return `${clusterID} ${ready?.status} ${ready?.reason}`;
  });
const overall = (fleet: VirtualFleet) => clusterSetCondition(fleet.leader, leaderRef);
const overallMessage = (fleet: VirtualFleet) =>
  conditionOf(clusterSet(fleet)?.status?.conditions, 'Ready')?.message ?? '';
const announces = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.list(MemberClusterAnnounce).map(({ metadata }) => metadata.name);
const announce = (name: string, clusterID: string, touchTs?: string): MemberClusterAnnounce => ({
  metadata: {
    name,
    namespace: leaderNamespace,
    annotations: touchTs === undefined ? undefined : { 'touch-ts': touchTs },
  },
  clusterID,
  clusterSetID: clusterSetName,
  leaderClusterID: 'north',
});
const http = [{ name: 'http', protocol: 'TCP', port: 80 }];
const service = (name: string) => ({
  namespace: 'shop',
  name,
  ports: http,
  subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: http }],
});
const exportNames = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.list(ResourceExport).map(({ metadata }) => metadata.name);

/** A leader whose only members are those that a test writes. */
async function loneLeader(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
  await fleet.until('its ClusterSet is served', () => overall(fleet) !== 'none');
  return fleet;
}

describe('the ClusterSet of a leader', () => {
  it('gets its clusterID from the ClusterClaim', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const { admin } = fleet.leader.server;
    fleet.join();
    admin.patch(ClusterSet, leaderRef, { spec: { clusterID: null } });
    admin.put(ClusterClaim, { metadata: { name: 'id.k8s.io', namespace: leaderNamespace }, value: 'north' });
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.until('it is written', () => clusterSet(fleet)?.spec?.clusterID === 'north');
    await fleet.until('and served', () => overall(fleet) === 'True AllClustersReady');
  });

  it('accepts an edited spec', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    fleet.leader.server.admin.patch(ClusterSet, leaderRef, {
      spec: { leaders: [{ clusterID: 'north', server: 'https://north.test:6443' }] },
    });
    await fleet.clock.advance(10_000);
    expect(overall(fleet)).toBe('True AllClustersReady');
    expect(clusterSet(fleet)?.status?.observedGeneration).toBe(clusterSet(fleet)?.metadata.generation);
    expect(fleet.leader.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is dropped when it is deleted, and another one is served then', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const { admin } = fleet.leader.server;
    admin.delete(ClusterSet, leaderRef);
    await fleet.clock.advance(1_000);
    expect(clusterSet(fleet)).toBeUndefined();
    const other = { namespace: leaderNamespace, name: 'another' };
    admin.put(ClusterSet, {
      metadata: other,
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: leaderNamespace },
    });
    await fleet.until('it is served', () => clusterSetCondition(fleet.leader, other) !== 'none');
    const [status] = admin.get(ClusterSet, other)?.status?.clusterStatuses ?? [];
    expect(conditionOf(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'OtherClusterSet' });
  });

  it('is rejected with the reason while its own ID is not among the leaders', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const { admin } = fleet.leader.server;
    admin.patch(ClusterSet, leaderRef, { spec: { leaders: [{ clusterID: 'south' }] } });
    await fleet.until('it is refused', () => overall(fleet) === 'False InvalidLeaders');
    // Later changes do not make it pass.
    admin.patch(ClusterSet, leaderRef, { metadata: { labels: { touched: 'yes' } } });
    await fleet.clock.advance(60_000);
    expect(overall(fleet)).toBe('False InvalidLeaders');
    expect(overallMessage(fleet)).toBe(
      'ClusterSet fleet: spec.leaders names "south", but this cluster is north. Set both to this cluster\'s ID.',
    );
    admin.patch(ClusterSet, leaderRef, { spec: { leaders: [{ clusterID: 'north' }] } });
    await fleet.until('it is served', () => overall(fleet) === 'True AllClustersReady');
  });

  it('is rejected without a cluster ID, and reports what to do', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    fleet.leader.start();
    fleet.join();
    fleet.leader.server.admin.patch(ClusterSet, leaderRef, { spec: { clusterID: null } });
    await fleet.clock.advance(60_000);
    expect(overall(fleet)).toBe('False ClusterIDNotSet');
    expect(overallMessage(fleet)).toMatch(/spec\.clusterID is not set\. Set it/);
  });

  it('is not Ready without members, and reports that there are none', async () => {
    await using fleet = await loneLeader();
    await fleet.clock.advance(60_000);
    expect(overall(fleet)).toBe('Unknown NoMembers');
    expect(clusterSet(fleet)?.status).toMatchObject({ totalClusters: 0, readyClusters: 0 });
  });

  it('is the older of two; it is reported on the other one, which is served when the first goes', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const { admin } = fleet.leader.server;
    const second = { namespace: leaderNamespace, name: 'a-second' };
    await fleet.clock.advance(1_000);
    admin.put(ClusterSet, {
      metadata: second,
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: leaderNamespace },
    });
    await fleet.until('it is told', () => clusterSetCondition(fleet.leader, second) === 'False MultipleClusterSets');
    expect(overall(fleet)).toBe('True AllClustersReady');
    admin.delete(ClusterSet, leaderRef);
    await fleet.until('it is served', () => clusterSetCondition(fleet.leader, second) !== 'False MultipleClusterSets');
  });

  it('publishes the version and the wire to the members', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    expect(clusterSet(fleet)?.metadata.annotations).toEqual({
      'isthmus.dev/version': '0.1.0',
      'isthmus.dev/wire': '2',
    });
    const [member] = fleet.leader.server.admin.list(MemberClusterAnnounce);
    const { 'touch-ts': touchTs, ...announced } = member?.metadata.annotations ?? {};
    expect(announced).toMatchObject({ 'isthmus.dev/version': '0.1.0', 'isthmus.dev/wire': `2 ${touchTs}` });
  });
});

describe('the ClusterSet of a member', () => {
  it('is Connecting until the leader answers the first heartbeat', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    fleet.leader.start();
    const answer = fleet.link('west-member', 'north').add({ match: () => true, fault: { kind: 'latency', ms: 3_000 } });
    fleet.join();
    const west = fleet.cluster('west');
    west.start();
    await fleet.clock.advance(2_000);
    expect(clusterSetCondition(west)).toBe('Unknown Connecting');
    answer();
    await fleet.until('it is connected', () => clusterSetCondition(west) === 'True Connected', 15_000);
  });

  it.each([
    ['InvalidLeaders', 'without the ID of its leader', { leaders: [{ clusterID: '' }] }],
    ['InvalidClusterID', 'with an ID of its own that cannot be part of names', { clusterID: 'West_1' }],
  ])('is %s %s, and joins when that is corrected', async (reason, _, change) => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    fleet.join();
    const west = fleet.cluster('west');
    const { admin } = west.server;
    const own = { namespace: memberNamespace, name: clusterSetName };
    const { clusterID, leaders } = admin.get(ClusterSet, own)?.spec ?? {};
    admin.patch(ClusterSet, own, { spec: { ...change } });
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.until('it is rejected', () => clusterSetCondition(west) === `False ${reason}`, 5_000);
    await fleet.clock.advance(60_000);
    expect(clusterSetCondition(west)).toBe(`False ${reason}`);
    expect(announces(fleet)).toEqual([]);
    admin.patch(ClusterSet, own, { spec: { clusterID, leaders } });
    await fleet.until('it is connected', () => clusterSetCondition(west) === 'True Connected', 35_000);
  });

  const second = { namespace: memberNamespace, name: 'a-second' };

  it('is the older of two; it is reported on the other one, which joins when the first goes', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const { admin } = fleet.cluster('west').server;
    const first = { namespace: memberNamespace, name: clusterSetName };
    await fleet.clock.advance(1_000);
    admin.put(ClusterSet, { metadata: second, spec: admin.get(ClusterSet, first)?.spec });
    await fleet.until(
      'it is told',
      () => clusterSetCondition(fleet.cluster('west'), second) === 'False MultipleClusterSets',
    );
    expect(clusterSetCondition(fleet.cluster('west'))).toBe('True Connected');
    expect(admin.get(ClusterSet, second)?.metadata.finalizers).toBeUndefined();
    admin.delete(ClusterSet, first);
    await fleet.until('the first is left', () => admin.get(ClusterSet, first) === undefined);
    await fleet.until(
      'it is joined, and reports that the leader serves another',
      () => clusterSetCondition(fleet.cluster('west'), second) === 'False OtherClusterSet',
      5_000,
    );
    await fleet.until(
      'and the leader reports the same',
      () => statuses(fleet).join() === 'west False OtherClusterSet',
      5_000,
    );
  });

  it('can be deleted while it is the second one', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const { admin } = fleet.cluster('west').server;
    await fleet.clock.advance(1_000);
    admin.put(ClusterSet, {
      metadata: { ...second, finalizers: ['isthmus.dev/leave'] },
      spec: { clusterID: 'west', leaders: [{ clusterID: 'north' }], namespace: leaderNamespace },
    });
    admin.delete(ClusterSet, second);
    await fleet.until('it is gone', () => admin.get(ClusterSet, second) === undefined);
    expect(clusterSetCondition(fleet.cluster('west'))).toBe('True Connected');
  });
});

describe('a member, as the leader sees it', () => {
  it('is Ready and Connected with its first announcement', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member' } });
    await fleet.until('the leader shows it', () => statuses(fleet).length === 1, 1_000);
    expect(statuses(fleet)).toEqual(['east True Connected']);
    const [status] = clusterSet(fleet)?.status?.clusterStatuses ?? [];
    expect(conditionOf(status?.conditions, 'Ready')?.message).toBe('Member Connected');
    expect(clusterSet(fleet)?.status).toMatchObject({ totalClusters: 1, readyClusters: 1 });
  });

  it('is no longer shown when its announcement is removed', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    fleet.cluster('west').kill();
    fleet.leader.server.admin.delete(MemberClusterAnnounce, {
      namespace: leaderNamespace,
      name: 'member-announce-from-west',
    });
    await fleet.until('none is left', () => statuses(fleet).length === 0, 1_000);
    expect(overall(fleet)).toBe('Unknown NoMembers');
  });

  it('is Disconnected 30 s after its last beat, and Connected with the next', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    await fleet.clock.advance(15_000);
    fleet.cluster('west').kill();
    await fleet.clock.advance(20_000);
    expect(statuses(fleet)).toEqual(['west True Connected']);
    await fleet.until('it is Disconnected', () => statuses(fleet).join() === 'west False Disconnected', 15_000);
    const [status] = clusterSet(fleet)?.status?.clusterStatuses ?? [];
    expect(conditionOf(status?.conditions, 'Ready')?.message).toMatch(
      /^No MemberClusterAnnounce update since 2026-11-21T10:00:\d\dZ$/,
    );
    expect(overall(fleet)).toBe('False NoReadyCluster');
    expect(overallMessage(fleet)).toBe(
      '0 of 1 clusters are ready; not ready: west (Disconnected). status.clusterStatuses has the details. In a cluster that is not ready, check that its controller runs, and read its ClusterSet: kubectl get pods -A -l component=antrea-mc-controller; kubectl describe clustersets -A',
    );
    fleet.cluster('west').start();
    await fleet.until('it is Connected', () => statuses(fleet).join() === 'west True Connected', 2_000);
  });

  it('writes its status once per change, not once per beat', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    await fleet.clock.advance(5_000);
    fleet.cluster('west').kill();
    await fleet.clock.advance(60_000);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(10 * 60_000);
    expect(writes()).toEqual([]);
  });

  it('has only its own exports deleted when its announcement is deleted', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    for (const name of ['east', 'west']) {
      admin.put(MemberClusterAnnounce, announce(`member-announce-from-${name}`, name));
      putAntreaExports(fleet, name, service('cart'));
    }
    await fleet.clock.advance(2_000);
    admin.delete(MemberClusterAnnounce, { namespace: leaderNamespace, name: 'member-announce-from-west' });
    await fleet.until('the announcement is gone', () => announces(fleet).join() === 'member-announce-from-east');
    expect(exportNames(fleet)).toEqual(['east-shop-cart-endpoints', 'east-shop-cart-service']);
  });

  it('keeps everything while its announcement exists', async () => {
    await using fleet = await loneLeader();
    fleet.leader.server.admin.put(MemberClusterAnnounce, announce('member-announce-from-west', 'west'));
    putAntreaExports(fleet, 'west', service('cart'));
    await fleet.clock.advance(10_000);
    expect(exportNames(fleet)).toHaveLength(2);
    expect(announces(fleet)).toEqual(['member-announce-from-west']);
  });

  it('is not invented where there are no announcements', async () => {
    await using fleet = await loneLeader();
    await fleet.clock.advance(13 * hour);
    expect(announces(fleet)).toEqual([]);
    expect(fleet.leader.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.runIf(checksAllPoints())('is kept where its time stamp is current', async () => {
    await using fleet = await loneLeader();
    fleet.leader.server.admin.put(
      MemberClusterAnnounce,
      announce('member-announce-from-west', 'west', '2026-11-21T10:00:00Z'),
    );
    await fleet.clock.advance(23 * hour);
    expect(announces(fleet)).toEqual(['member-announce-from-west']);
  });

  it('is reported where it exports without an announcement, until it announces itself or has no exports', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const { admin } = fleet.leader.server;
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportCart(west, '10.20.1.5');
    await fleet.until('it is imported', () => importedSlices(east).length === 1);
    const ref = { namespace: leaderNamespace, name: clusterSetName };
    const missed = () => conditionOf(admin.get(ClusterSet, ref)?.status?.conditions, 'ExportersNotAnnounced');
    west.kill();
    // As a member's token allows it: without the finalizer of the leader nothing is cleaned up.
    const announcement = { namespace: leaderNamespace, name: 'member-announce-from-west' };
    const letGo = () => {
      admin.patch(MemberClusterAnnounce, announcement, { metadata: { finalizers: null } });
      admin.remove(MemberClusterAnnounce, announcement);
    };
    letGo();
    await fleet.clock.advance(25_000);
    expect(missed()).toBeUndefined();
    await fleet.until('it is missed', () => missed() !== undefined, 15_000);
    expect(missed()).toMatchObject({ status: 'True', reason: 'ExporterNotAnnounced' });
    expect(missed()?.message).toMatch(/do not announce themselves: west\. .* kubectl get resourceexports -n /);
    west.start();
    await fleet.until('it announces itself', () => missed() === undefined, 15_000);

    west.kill();
    letGo();
    await fleet.until('it is missed again', () => missed() !== undefined, 65_000);
    for (const { metadata } of admin.list(ResourceExport))
      admin.delete(ResourceExport, { namespace: leaderNamespace, name: metadata.name });
    await fleet.until('it has no exports', () => missed() === undefined, 15_000);
    const held = conditionOf(admin.get(ClusterSet, ref)?.status?.conditions, 'WithdrawalHeld');
    expect(held?.message).toContain('isthmus.dev/allow-removals-until');
    expect(importedSlices(east)).toHaveLength(1);
  });

  it('is removed with all its exports after 24 h of silence', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    west.kill();
    await fleet.clock.advance(23 * hour);
    expect(exportNames(fleet)).toHaveLength(2);
    await fleet.clock.advance(2 * hour);
    expect(announces(fleet)).toEqual([]);
    expect(exportNames(fleet)).toEqual([]);
    west.start();
    await fleet.until('it is back', () => exportNames(fleet).length === 2);
    await fleet.until('with its import', () => importedSlices(west).length === 1);
  });

  it('is kept while it sends heartbeats, however wrong its clock is', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: 'member-announce-from-west' };
    admin.put(MemberClusterAnnounce, announce(ref.name, 'west', '2020-01-01T00:00:00Z'));
    putAntreaExports(fleet, 'west', service('cart'));
    for (let beat = 1; beat <= 60; beat++) {
      await fleet.clock.advance(10_000);
      const touchTs = `2020-01-01T00:${String(beat % 60).padStart(2, '0')}:00Z`;
      admin.patch(MemberClusterAnnounce, ref, { metadata: { annotations: { 'touch-ts': touchTs } } });
    }
    expect(announces(fleet)).toEqual([ref.name]);
    expect(exportNames(fleet)).toHaveLength(2);
    expect(statuses(fleet)).toEqual(['west True Connected']);
  });

  it('is kept by a leader that restarts, however old its time stamp is', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    admin.put(MemberClusterAnnounce, announce('member-announce-from-west', 'west', '2020-01-01T00:00:00Z'));
    fleet.leader.kill();
    fleet.leader.start();
    await fleet.clock.advance(20_000);
    expect(announces(fleet)).toEqual(['member-announce-from-west']);
  });

  it('is shown under the cluster ID that its name announces; another announcement of that ID changes nothing', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const { admin } = fleet.leader.server;
    exportCart(fleet.cluster('west'), '10.20.1.5');
    await fleet.until('it is exported', () => exportNames(fleet).length === 2);
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    admin.put(MemberClusterAnnounce, announce('impostor', 'west', '2020-01-01T00:00:00Z'));
    await fleet.clock.advance(120_000);
    expect(statuses(fleet)).toEqual(['west True Connected']);
    admin.delete(MemberClusterAnnounce, { namespace: leaderNamespace, name: 'impostor' });
    await fleet.clock.advance(10_000);
    expect(announces(fleet)).toEqual(['member-announce-from-west']);
    expect(exportNames(fleet)).toHaveLength(2);
    expect(writes().filter((line) => !line.includes('impostor'))).toEqual([]);
  });

  it('has on its ClusterSet that its announcement has the wrong name', async () => {
    await using fleet = await loneLeader();
    fleet.leader.server.admin.put(MemberClusterAnnounce, announce('impostor', 'west'));
    await fleet.until('it is shown', () => statuses(fleet).join() === 'west False InvalidAnnounce');
  });

  it('is not taken for all others where its announcement names no cluster', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    admin.put(ResourceExport, {
      metadata: { name: 'a-policy', namespace: leaderNamespace },
      spec: { kind: 'AntreaClusterNetworkPolicy', name: 'deny' },
    });
    admin.put(MemberClusterAnnounce, {
      metadata: { name: 'nobody', namespace: leaderNamespace, finalizers: ['example.com/held'] },
    });
    admin.delete(MemberClusterAnnounce, { namespace: leaderNamespace, name: 'nobody' });
    await fleet.clock.advance(60_000);
    expect(exportNames(fleet)).toEqual(['a-policy']);
  });

  it('can go, and come back, although somebody else holds an export of it', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    admin.put(MemberClusterAnnounce, announce('member-announce-from-west', 'west'));
    putAntreaExports(fleet, 'west', service('cart'));
    await fleet.clock.advance(2_000);
    const held = { namespace: leaderNamespace, name: 'west-shop-cart-service' };
    admin.patch(ResourceExport, held, {
      metadata: { finalizers: ['resourceexport.antrea.io/finalizer', 'example.com/held'] },
    });
    admin.delete(MemberClusterAnnounce, { namespace: leaderNamespace, name: 'member-announce-from-west' });
    await fleet.until('the announcement goes', () => announces(fleet).length === 0, 25_000);
    expect(exportNames(fleet)).toEqual(['west-shop-cart-service']);
    expect(admin.get(ResourceExport, held)?.metadata.finalizers).toEqual(['example.com/held']);
    expect(admin.list(ResourceImport)).toEqual([]);
  });
});
