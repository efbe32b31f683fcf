import { MemberClusterAnnounce, Namespace, ResourceExport, ResourceImport, Service, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportCondition,
  exportService,
  importedSlices,
  leaderNamespace,
  putService,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const area = (name: string) => ({ namespace: leaderNamespace, name });

async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  await fleet.until('both have imported', () =>
    ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 1),
  );
  await fleet.clock.advance(15_000);
  return fleet;
}

const mistakes: readonly (readonly [what: string, make: (fleet: VirtualFleet) => unknown])[] = [
  [
    'the import of a Service is deleted on the leader',
    ({ leader }) => leader.server.admin.remove(ResourceImport, area('shop-cart-service')),
  ],
  [
    'all imports are deleted on the leader',
    ({ leader }) =>
      leader.server.admin
        .list(ResourceImport)
        .forEach(({ metadata }) => leader.server.admin.remove(ResourceImport, metadata)),
  ],
  [
    'an export is deleted on the leader',
    ({ leader }) => leader.server.admin.delete(ResourceExport, area('west-shop-cart-service')),
  ],
  [
    'all exports are torn away on the leader',
    ({ leader }) =>
      leader.server.admin
        .list(ResourceExport)
        .forEach(({ metadata }) => leader.server.admin.remove(ResourceExport, metadata)),
  ],
  [
    'the announcement is deleted on the leader',
    ({ leader }) => leader.server.admin.delete(MemberClusterAnnounce, area('member-announce-from-west')),
  ],
  [
    'the exported Service is deleted and made anew',
    async (fleet) => {
      const west = fleet.cluster('west');
      west.server.admin.delete(Service, cart);
      await fleet.clock.advance(100);
      putService(west, westPorts);
    },
  ],
  [
    'the ServiceExport is deleted and made anew',
    async (fleet) => {
      unexportService(fleet.cluster('west'));
      await fleet.clock.advance(100);
      exportService(fleet.cluster('west'));
    },
  ],
];

describe('importing clusters keep the Service and its address when', () => {
  it.each(mistakes)('%s', async (_, make) => {
    await using fleet = await fleetWithCart();
    fleet
      .link('north-leader', 'north')
      .add({ match: ({ method }) => method !== 'GET', fault: { kind: 'latency', ms: 5 } });
    const uids = () =>
      ['east', 'west'].map((name) => {
        const { admin } = fleet.cluster(name).server;
        return [admin.get(Service, derivedCart)?.metadata.uid, admin.get(ServiceImport, cart)?.metadata.uid];
      });
    const before = uids();
    await make(fleet);
    await fleet.clock.advance(30_000);
    expect(uids()).toEqual(before);
    const ip = fleet.cluster('west').server.admin.get(Service, cart)?.spec?.clusterIP ?? '';
    expect(importedSlices(fleet.cluster('east'))).toEqual([`west: ${ip} http:80,metrics:9090`]);
  });

  it('but lose it within a second when it is withdrawn in earnest', async () => {
    await using fleet = await fleetWithCart();
    unexportService(fleet.cluster('west'));
    await fleet.until('it is gone', () => fleet.cluster('east').server.admin.list(ServiceImport).length === 0, 1_000);
  });
});

it('an import of one cluster that lost its labels is taken up again, and holds up nobody', async () => {
  await using fleet = await fleetWithCart();
  const { admin } = fleet.leader.server;
  exportCart(fleet.cluster('east'), '10.10.1.5');
  await fleet.until('both export it', () => importedSlices(fleet.cluster('east')).length === 2);
  admin.patch(ResourceImport, area('shop-cart-endpoints.west'), { metadata: { labels: null } });
  await fleet.until(
    'it is labelled',
    () => admin.get(ResourceImport, area('shop-cart-endpoints.west'))?.metadata.labels !== undefined,
  );
  await fleet.clock.advance(5_000);
  expect(importedSlices(fleet.cluster('east'))).toHaveLength(2);
  expect(exportCondition(fleet.cluster('west'), 'Ready')).toBe('True Exported');
});
