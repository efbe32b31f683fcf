import { ClusterSet, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  importedSlices,
  memberNamespace,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const ref = { namespace: memberNamespace, name: clusterSetName };
const announced = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.list(MemberClusterAnnounce).map(({ clusterID }) => clusterID);
const exported = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.list(ResourceExport).map(({ metadata }) => metadata.name);
const westExports = ['west-shop-cart-endpoints', 'west-shop-cart-service'];

async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  exportCart(fleet.cluster('west'), '10.20.1.5', westPorts);
  await fleet.until('west has imported', () => importedSlices(fleet.cluster('west')).length === 1);
  return fleet;
}

describe('a member whose spec.clusterID is changed', () => {
  it('keeps the cluster ID that it joined with, and reports how to change it', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const before = importedSlices(west);
    west.server.admin.patch(ClusterSet, ref, { spec: { clusterID: 'west-new' } });
    await fleet.until('it is said', () => clusterSetCondition(west) === 'True ClusterIDChanged');
    await fleet.clock.advance(60_000);
    expect(announced(fleet)).toEqual(['east', 'west']);
    expect(exported(fleet)).toEqual(westExports);
    expect(importedSlices(west)).toEqual(before);
    const { status } = west.server.admin.get(ClusterSet, ref) ?? {};
    expect(conditionOf(status?.conditions, 'Ready')?.message).toMatch(
      /joined as west .* delete the ClusterSet and create it again/,
    );
  });

  it('keeps the old cluster ID over a restart, and joins with the new one after it has left', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const { spec } = west.server.admin.patch(ClusterSet, ref, { spec: { clusterID: 'west-new' } });
    west.kill();
    west.start();
    await fleet.clock.advance(30_000);
    expect(announced(fleet)).toEqual(['east', 'west']);
    west.server.admin.delete(ClusterSet, ref);
    await fleet.until('west has left', () => west.server.admin.get(ClusterSet, ref) === undefined);
    expect(exported(fleet)).toEqual([]);
    west.server.admin.put(ClusterSet, { metadata: ref, spec });
    await fleet.until(
      'it exports anew',
      () => exported(fleet).join() === westExports.map((name) => name.replace('west-', 'west-new-')).join(),
    );
    expect(announced(fleet)).toEqual(['east', 'west-new']);
  });
});
