import { Annotation, ClusterSet, EndpointSlice, Label, ResourceImport, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportCart, importedSlices, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const inArea = (name: string) => ({ namespace: leaderNamespace, name });

const isHeld = (fleet: VirtualFleet) => {
  const [clusterSet] = fleet.cluster('south').server.admin.list(ClusterSet, memberNamespace);
  return conditionOf(clusterSet?.status?.conditions, 'WithdrawalHeld') !== undefined;
};

/**
 * East and west export `shop/cart`, south imports it. The leader has lost the part of west and
 * cannot restore it.
 */
async function fleetThatHoldsWest(forgottenAfterMs?: number): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    forgottenAfterMs,
    clusters: { north: 'leader', east: 'member', west: 'member', south: 'member' },
  });
  exportCart(fleet.cluster('south'), 'none');
  exportCart(fleet.cluster('west'), '10.20.1.1');
  exportCart(fleet.cluster('east'), '10.10.1.1');
  await fleet.until('south has imported both', () => importedSlices(fleet.cluster('south')).length === 2);
  await fleet.clock.advance(10_000);
  fleet.leader.kill();
  fleet.leader.server.admin.delete(ResourceImport, inArea('shop-cart-endpoints.west'));
  await fleet.until('it is held', () => isHeld(fleet), 5_000);
  return fleet;
}

describe('the part of one cluster that is held', () => {
  it('is no longer reported when the merged list of another leader has taken the place of all parts', async () => {
    await using fleet = await fleetThatHoldsWest();
    const subsets = [{ addresses: [{ ip: '10.95.0.1' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }];
    // The whole spec as another leader writes it: without our fields.
    const spec = { endpoints: { subsets }, endpointSlices: null, clusterID: null };
    fleet.leader.server.admin.patch(ResourceImport, inArea('shop-cart-endpoints'), { spec });
    await fleet.until(
      'the list counts',
      () => importedSlices(fleet.cluster('south')).join() === '?: 10.95.0.1 http:80',
      10_000,
    );
    await fleet.until('nothing is held', () => !isHeld(fleet), 5_000);
  });

  it('is recorded on the ServiceImport, and no longer when it is published again', async () => {
    await using fleet = await fleetThatHoldsWest(24 * 60_000);
    const recorded = () =>
      fleet
        .cluster('south')
        .server.admin.list(ServiceImport)
        .map(({ metadata }) => metadata.annotations?.[Annotation.heldFor]);
    await fleet.until('it is recorded', () => recorded().join() === 'west=1m', 150_000);
    fleet.leader.start();
    await fleet.until('it is not any more', () => recorded()[0] === undefined, 10_000);
    expect(importedSlices(fleet.cluster('south'))).toHaveLength(2);
  });

  it('is no longer reported when somebody has deleted its endpoints here', async () => {
    await using fleet = await fleetThatHoldsWest();
    const { admin } = fleet.cluster('south').server;
    for (const { metadata } of admin.list(EndpointSlice, 'shop'))
      if (metadata.labels?.[Label.mcsSourceCluster] === 'west') admin.delete(EndpointSlice, metadata);
    await fleet.until('nothing is held', () => !isHeld(fleet), 10_000);
    expect(importedSlices(fleet.cluster('south'))).toHaveLength(1);
  });
});
