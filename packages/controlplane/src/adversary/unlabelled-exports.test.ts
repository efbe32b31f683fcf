import { ClusterSet, Namespace, ResourceExport, Service, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportCondition,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  putAntreaExports,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const halves = ['west-shop-cart-service', 'west-shop-cart-endpoints'].map((name) => ({
  namespace: leaderNamespace,
  name,
}));

/** East imports `shop/cart` of west. */
async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  await fleet.until('east has imported', () => importedSlices(fleet.cluster('east')).length === 1);
  await fleet.clock.advance(15_000);
  return fleet;
}

/** West watches its exports by this label, and cannot see them without it. */
function relabel(fleet: VirtualFleet, sourceClusterID: string | null): void {
  for (const ref of halves)
    fleet.leader.server.admin.patch(ResourceExport, ref, { metadata: { labels: { sourceClusterID } } });
}

const exports = (fleet: VirtualFleet) => halves.map((ref) => fleet.leader.server.admin.get(ResourceExport, ref));
const imported = (fleet: VirtualFleet) =>
  fleet
    .cluster('east')
    .server.admin.list(ServiceImport)
    .map(({ metadata }) => metadata.name);
const uid = (fleet: VirtualFleet) => fleet.cluster('east').server.admin.get(Service, derivedCart)?.metadata.uid;

describe('an export in the name of a cluster', () => {
  it.each([
    ['no label', null],
    ["another cluster's label", 'evil'],
  ])('with %s is not published, and its status reports why', async (_, sourceClusterID) => {
    await using fleet = await fleetWithCart();
    const { admin } = fleet.leader.server;
    fleet.leader.kill();
    putAntreaExports(fleet, 'west', {
      namespace: 'shop',
      name: 'ghost',
      ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
      subsets: [{ addresses: [{ ip: '10.66.6.6' }], ports: [{ name: 'http', port: 80 }] }],
    });
    const refs = ['service', 'endpoints'].map((kind) => ({
      namespace: leaderNamespace,
      name: `west-shop-ghost-${kind}`,
    }));
    for (const ref of refs) admin.patch(ResourceExport, ref, { metadata: { labels: { sourceClusterID } } });
    fleet.leader.start();
    const reported = () =>
      refs.map((ref) =>
        admin
          .get(ResourceExport, ref)
          ?.status?.conditions?.map(({ message }) => message)
          .join(),
      );
    await fleet.until('it is reported', () => reported().every((message) => message !== undefined), 5_000);
    const found = sourceClusterID === null ? '""' : '"evil"';
    expect(reported()[0]).toBe(
      `Not merged: label sourceClusterID is ${found}; it must be "west" to match spec.clusterID, since cluster west sees no other exports. The exporting member must correct it.`,
    );
    await fleet.clock.advance(120_000);
    expect(imported(fleet)).toEqual(['cart']);
  });
});

describe('an export whose label somebody removes', () => {
  it('stays published as it is until its cluster has put the label back', async () => {
    await using fleet = await fleetWithCart();
    const [before, slices] = [uid(fleet), importedSlices(fleet.cluster('east'))];
    const seen = new Set<string>();
    fleet.cluster('east').server.admin.onChange(() => seen.add(importedSlices(fleet.cluster('east')).join()));
    relabel(fleet, null);
    const labels = () => exports(fleet).map((object) => object?.metadata.labels?.['sourceClusterID']);
    await fleet.until('it is labelled', () => labels().every((label) => label === 'west'), 90_000);
    await fleet.clock.advance(60_000);
    expect(uid(fleet)).toBe(before);
    expect([...seen].filter((each) => each !== slices.join())).toEqual([]);
    expect(exportCondition(fleet.cluster('west'), 'Ready')).toBe('True Exported');
  });

  it.each([
    ['no label', null],
    ["another cluster's label", 'east'],
  ])('is withdrawn everywhere with its ServiceExport while it has %s', async (_, label) => {
    await using fleet = await fleetWithCart();
    relabel(fleet, label);
    unexportService(fleet.cluster('west'));
    await fleet.until('east has withdrawn it', () => imported(fleet).length === 0, 5_000);
    expect(exports(fleet)).toEqual([undefined, undefined]);
  });

  it('is withdrawn in importing clusters also where its cluster was away', async () => {
    await using fleet = await fleetWithCart();
    fleet.cluster('west').kill();
    relabel(fleet, null);
    unexportService(fleet.cluster('west'));
    fleet.cluster('west').start();
    await fleet.until('east has withdrawn it', () => imported(fleet).length === 0, 120_000);
  });

  it('goes when its cluster leaves', async () => {
    await using fleet = await fleetWithCart();
    relabel(fleet, null);
    fleet.cluster('west').server.admin.delete(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    await fleet.until('nothing is left of it', () => exports(fleet).every((object) => object === undefined), 5_000);
    await fleet.until('east has withdrawn it', () => imported(fleet).length === 0, 5_000);
  });
});
