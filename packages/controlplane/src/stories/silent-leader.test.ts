import { ClusterSet, MemberClusterAnnounce, ResourceExport, RoleBinding, ServiceExport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
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
  putService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', west: 'member' } as const;
const ref = { namespace: memberNamespace, name: clusterSetName };

const message = (cluster: VirtualCluster) =>
  conditionOf(cluster.server.admin.get(ClusterSet, ref)?.status?.conditions, 'Ready')?.message ?? '';

async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: pair });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  await fleet.until('exported', () => exportCondition(fleet.cluster('west'), 'Ready') === 'True Exported');
  await fleet.clock.advance(20_000);
  return fleet;
}

describe('an export whose leader has not answered a heartbeat for thirty seconds', () => {
  it('is not Ready, names the leader and what happens, and is Ready again when it answers', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const link = fleet.link('west-member', 'north');
    link.cut('refuse');
    await fleet.clock.advance(15_000);
    expect(exportCondition(west, 'Ready')).toBe('True Exported');
    await fleet.until('it is reported', () => exportCondition(west, 'Ready') === 'Unknown Disconnected', 35_000);
    expect(exportMessage(west, 'Ready')).toMatch(
      /^Leader north at https:\/\/north\.test:6443 has not answered a heartbeat of this cluster since 2026-\S+Z\. Other clusters keep their imports\. Changes are exported later; after 24 hours without a heartbeat, the leader removes the export\. To see why, run: kubectl -n kube-system describe clusterset fleet$/,
    );
    expect(exportCondition(west, 'Conflict')).toBe('False NoConflicts');
    expect(importedSlices(west)).toHaveLength(1);
    link.heal();
    await fleet.until('it is gone', () => exportCondition(west, 'Ready') === 'True Exported', 5_000);
  });

  it('is written once, through a change of the Service and a restart', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').cut('silence');
    await fleet.until('it is reported', () => exportCondition(west, 'Ready') === 'Unknown Disconnected', 45_000);
    const before = west.server.admin.get(ServiceExport, cart);
    putService(west, [{ name: 'http', protocol: 'TCP', port: 81 }]);
    await fleet.clock.advance(120_000);
    west.kill();
    west.start();
    await fleet.clock.advance(120_000);
    expect(west.server.admin.get(ServiceExport, cart)).toEqual(before);
  });

  it('is not Ready after the leader has removed it, and is made again when the leader answers', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const link = fleet.link('west-member', 'north');
    link.cut('refuse');
    // There are no more heartbeats, and another client removes the announcement: the leader
    // considers the member as gone, as it does by itself after a day.
    const { admin } = fleet.leader.server;
    admin.delete(MemberClusterAnnounce, { namespace: leaderNamespace, name: 'member-announce-from-west' });
    await fleet.until('the leader has removed it', () => admin.list(ResourceExport).length === 0);
    await fleet.clock.advance(60_000);
    expect(exportCondition(west, 'Ready')).toBe('Unknown Disconnected');
    expect(importedSlices(west)).toHaveLength(1);
    link.heal();
    await fleet.until('it is exported', () => exportCondition(west, 'Ready') === 'True Exported', 90_000);
    expect(admin.list(ResourceExport)).toHaveLength(2);
  });
});

it('an export that waits for a leader whose controller does not run reports it', async () => {
  await using fleet = await createVirtualFleet({ clusters: pair });
  const west = fleet.cluster('west');
  await fleet.clock.advance(20_000);
  fleet.leader.kill();
  exportCart(west, '10.20.1.5');
  await fleet.until(
    'it is reported',
    () => exportMessage(west, 'Ready').includes('its controller has not answered a heartbeat for 40 s'),
    60_000,
  );
  expect(exportMessage(west, 'Ready')).toMatch(/^Waiting for leader north to merge the export: The API server of/);
});

describe('a leader that rejects the heartbeats', () => {
  it('for want of the RoleBinding is reported with the command that makes it', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    const bindings = admin.list(RoleBinding, leaderNamespace).filter(({ metadata }) => metadata.name === 'members');
    expect(bindings).toHaveLength(1);
    for (const { metadata } of bindings) admin.delete(RoleBinding, metadata);
    await fleet.until('it is reported', () => clusterSetCondition(west) === 'False Refused', 20_000);
    expect(message(west)).toMatch(
      /ServiceAccount antrea-multicluster\/(\S+) on leader north is not bound to Role antrea-mc-member-cluster-role, or the Role is missing\. Run on the leader: kubectl -n antrea-multicluster create rolebinding \1 --role=antrea-mc-member-cluster-role --serviceaccount=antrea-multicluster:\1\. /,
    );
    for (const binding of bindings) {
      const { name, namespace } = binding.metadata;
      admin.put(RoleBinding, { ...binding, metadata: { name, namespace } });
    }
    await fleet.until('it is gone', () => clusterSetCondition(west) === 'True Connected', 5_000);
  });

  it('for another Common Area is reported with the command that names the right one', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    west.server.admin.patch(ClusterSet, ref, { spec: { namespace: 'elsewhere' } });
    await fleet.until('it is reported', () => clusterSetCondition(west) === 'False Refused', 10_000);
    expect(message(west)).toContain(
      `which does not have permissions in Namespace "elsewhere". If antrea-multicluster is the Namespace of the leader's controller, run here: kubectl -n kube-system patch clusterset fleet --type merge -p '{"spec":{"namespace":"antrea-multicluster"}}'. `,
    );
    west.server.admin.patch(ClusterSet, ref, { spec: { namespace: 'antrea-multicluster' } });
    await fleet.until('it is gone', () => clusterSetCondition(west) === 'True Connected', 5_000);
  });
});

it('a leader that does not answer is reported with its address and what to check', async () => {
  await using fleet = await createVirtualFleet({ clusters: pair });
  const west = fleet.cluster('west');
  fleet.link('west-member', 'north').cut('silence');
  await fleet.until('it is reported', () => clusterSetCondition(west) === 'False Disconnected', 35_000);
  expect(message(west)).toBe(
    'Disconnected from leader: no answer within 5 s from https://north.test:6443. Check that the API server runs there and can be reached from this cluster: curl -k https://north.test:6443/livez',
  );
});

describe('a cluster that leaves while the controller of the leader does not run', () => {
  it('reports what it waits for, for how long, and the command that skips it', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    fleet.leader.kill();
    west.server.admin.delete(ClusterSet, ref);
    await fleet.until('it is reported', () => message(west).includes('To leave without waiting'), 5_000);
    expect(clusterSetCondition(west)).toBe('False Leaving');
    const [, command = ''] = /-p '(.*)'; then/.exec(message(west)) ?? [];
    expect(message(west)).toBe(
      `This cluster is leaving the ClusterSet. It waits up to 60 s for leader north to remove the exports of this cluster (its controller has not removed MemberClusterAnnounce member-announce-from-west yet). To leave without waiting, run: kubectl -n kube-system patch clusterset fleet --type merge -p '${command}'; then delete MemberClusterAnnounce antrea-multicluster/member-announce-from-west on the leader.`,
    );
    expect(JSON.parse(command)).toEqual({ metadata: { finalizers: [] } });
    west.server.admin.remove(ClusterSet, ref);
    await fleet.until('it has left', () => west.server.admin.get(ClusterSet, ref) === undefined, 1_000);
    await fleet.until('nothing is imported', () => importedSlices(west).length === 0, 5_000);
    expect(fleet.leader.server.admin.list(MemberClusterAnnounce)).toHaveLength(1);
  });
});
