import { Event, MemberClusterAnnounce, Namespace, ResourceExport, ServiceExport } from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  exportCondition,
  importedSlices,
  leaderNamespace,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const announceRef = { namespace: leaderNamespace, name: 'member-announce-from-east' };

const importFailed = (cluster: VirtualCluster) => {
  const found = conditionOf(cluster.server.admin.get(ServiceExport, cart)?.status?.conditions, 'ImportFailed');
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
};
const announced = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.get(MemberClusterAnnounce, announceRef)?.metadata.annotations?.[
    'isthmus.dev/import-problems'
  ];
const missing =
  'True NotImported: Not imported in east (NamespaceMissing): Namespace shop does not exist there. To import it, run there: kubectl create namespace shop.';

const silent =
  /^True NotImported: Not imported in east \(ControllerSilent\): The leader has had no heartbeat of cluster east since 2026-/;

describe('a member whose controller has stopped', () => {
  it('is named within a minute on what others export meanwhile (ControllerSilent), and no longer when it is back', async () => {
    const fleet = await createVirtualFleet({ clusters: three });
    await using _ = fleet;
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    for (const name of ['shop', 'stock']) east.server.admin.put(Namespace, { metadata: { name } });
    exportCart(west, '10.20.1.5');
    await fleet.until('east imports it', () => importedSlices(east).length > 0);
    await fleet.clock.advance(60_000);
    expect(importFailed(west)).toBeUndefined();
    east.kill();
    unexportService(west, cart);
    await fleet.clock.advance(5_000);
    exportCart(west, '10.20.1.5');
    await fleet.until('west reads it', () => silent.test(importFailed(west) ?? ''), 60_000);
    fleet.leader.kill();
    fleet.leader.start();
    await fleet.clock.advance(90_000);
    expect(importFailed(west)).toMatch(silent);
    east.start();
    await fleet.until('it is over', () => importFailed(west) === undefined, 30_000);
  });

  it('is named after those that report why they do not import it', async () => {
    const clusters = { ...three, south: 'member' } as const;
    await using fleet = await createVirtualFleet({ clusters });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    east.kill();
    await fleet.clock.advance(60_000);
    exportCart(west, '10.20.1.5');
    await fleet.until('south reports', () => importFailed(west)?.includes('NamespaceMissing') === true, 60_000);
    expect(importFailed(west)).toMatch(/in south \(NamespaceMissing\): .* in east \(ControllerSilent\)/);
  });

  it('is not named on what it has imported before', async () => {
    await using fleet = await fleetWithCart({ namespace: true });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('east imports it', () => importedSlices(east).length > 0);
    await fleet.clock.advance(60_000);
    east.kill();
    await fleet.clock.advance(90_000);
    expect(importFailed(west)).toBeUndefined();
  });
});

async function fleetWithCart({ namespace }: { readonly namespace: boolean }): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  if (namespace) fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  await fleet.until('exported', () => exportCondition(fleet.cluster('west'), 'Ready') === 'True Exported');
  return fleet;
}

describe('a Namespace that an importing cluster lacks', () => {
  it('is reported on the ServiceExport within five seconds, and no longer when it is there', async () => {
    await using fleet = await fleetWithCart({ namespace: false });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is reported', () => importFailed(west) === missing, 5_000);
    expect(exportCondition(west, 'Ready')).toBe('True Exported');
    const writes = recordWrites(fleet);
    await fleet.clock.advance(120_000);
    expect(writes()).toEqual([]);
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    await fleet.until('it is gone', () => importFailed(west) === undefined, 5_000);
    expect(importedSlices(east)).toHaveLength(1);
    expect(announced(fleet)).toBeUndefined();
  });

  it('is reported as being deleted while it is, once however often it changes, on both sides', async () => {
    await using fleet = await fleetWithCart({ namespace: false });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const { admin } = east.server;
    admin.put(Namespace, { metadata: { name: 'shop' }, spec: { finalizers: ['kubernetes', 'example.com/slow'] } });
    await fleet.until('imported', () => importedSlices(east).length === 1, 5_000);
    admin.delete(Namespace, { name: 'shop' });
    const cure =
      'To import the Service, create the Namespace again when it is deleted. If it stays Terminating, its conditions report what is left: kubectl describe namespace shop';
    await fleet.until(
      'it is reported',
      () =>
        importFailed(west) ===
        `True NotImported: Not imported in east (NamespaceMissing): Namespace shop is being deleted there. ${cure}.`,
      5_000,
    );
    for (let change = 0; change < 30; change++) {
      admin.patch(Namespace, { name: 'shop' }, { metadata: { annotations: { change: `${change}` } } });
      await fleet.clock.advance(1_000);
    }
    const events = admin.list(Event).filter(({ message = '' }) => message.includes('is being deleted'));
    expect(events.map(({ count, message }) => `${count} ${message}`)).toEqual([
      `1 Service shop/cart of the ClusterSet is not imported: Namespace shop is being deleted in this cluster. ${cure}`,
    ]);
  });

  it('stays reported over a restart of any of the three', async () => {
    await using fleet = await fleetWithCart({ namespace: false });
    const west = fleet.cluster('west');
    await fleet.until('it is reported', () => importFailed(west) === missing, 5_000);
    const seen = new Set<string | undefined>();
    west.server.admin.onChange(() => seen.add(importFailed(west)));
    for (const cluster of fleet.clusters) {
      cluster.kill();
      cluster.start();
      await fleet.clock.advance(60_000);
    }
    expect([...seen].filter((each) => each !== missing)).toEqual([]);
    expect(importFailed(west)).toBe(missing);
  });

  it('is not reported any more when the export is withdrawn, or its cluster leaves', async () => {
    await using fleet = await fleetWithCart({ namespace: false });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    await fleet.until('it is reported', () => importFailed(west) === missing, 5_000);
    // In its first ten seconds, a session withdraws no report that an earlier one may have
    // announced.
    await fleet.clock.advance(10_000);
    unexportService(west);
    await fleet.until('the importer has nothing to report', () => announced(fleet) === undefined, 5_000);
    exportCart(west, '10.20.1.5');
    await fleet.until('it is reported', () => importFailed(west) === missing, 5_000);
    east.kill();
    fleet.leader.server.admin.delete(MemberClusterAnnounce, announceRef);
    await fleet.until('it is gone', () => importFailed(west) === undefined, 30_000);
  });
});

describe('a write that the API server of an importer rejects', () => {
  it('is reported on the ServiceExport with its words, until it is accepted', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    const match = ({ method, path }: ApiRequest) => method !== 'GET' && path.includes('/namespaces/shop/services');
    const allow = fleet.link('east-member', 'east').add({ match, fault: { kind: 'status', code: 403 } });
    exportCart(west, '10.20.1.5');
    await fleet.until('it is reported', () => importFailed(west) !== undefined, 5_000);
    expect(importFailed(west)).toMatch(
      /^True NotImported: Not imported in east \(WriteRejected\): The API server of that cluster rejects a write of the import: /,
    );
    allow();
    await fleet.until('it is gone', () => importFailed(west) === undefined, 20_000);
  });
});

it('what a member announces in another form changes nothing', async () => {
  await using fleet = await fleetWithCart({ namespace: true });
  const west = fleet.cluster('west');
  await fleet.clock.advance(20_000);
  fleet.cluster('east').kill();
  const { admin } = fleet.leader.server;
  const before = admin.list(ResourceExport);
  for (const text of ['[', '[{"reason":"X","namespace":"../.."}]', 'x'.repeat(100_000)]) {
    admin.patch(MemberClusterAnnounce, announceRef, {
      metadata: { annotations: { 'isthmus.dev/import-problems': text } },
    });
    await fleet.clock.advance(1_000);
  }
  expect(importFailed(west)).toBeUndefined();
  expect(admin.list(ResourceExport)).toEqual(before);
});

describe('a member that announces other problems without rest', () => {
  it.runIf(checksAllPoints())(
    'does not cause a write for each of them, and what it announces last is reported',
    async () => {
      await using fleet = await fleetWithCart({ namespace: true });
      await fleet.clock.advance(15_000);
      const { admin } = fleet.leader.server;
      const name = 'member-announce-from-noisy';
      const announce = (message: string) => {
        const touchTs = rfc3339(fleet.clock.now());
        admin.put(MemberClusterAnnounce, {
          metadata: {
            name,
            namespace: leaderNamespace,
            annotations: {
              'touch-ts': touchTs,
              'isthmus.dev/marks-at': touchTs,
              'isthmus.dev/import-problems': JSON.stringify([
                { reason: 'NamespaceMissing', namespace: 'shop', message },
              ]),
            },
          },
          clusterID: 'noisy',
          clusterSetID: clusterSetName,
          leaderClusterID: 'north',
        });
      };
      const writes = recordWrites(fleet);
      for (let change = 0; change < 120; change++) {
        announce(`number ${change}`);
        await fleet.clock.advance(1_000);
      }
      const statuses = writes().filter((line) => /resourceexports\/west-shop-cart-service\/status/.test(line));
      expect(statuses.length).toBeGreaterThan(5);
      expect(statuses.length).toBeLessThan(15);
      await fleet.until(
        'the last one is reported',
        () =>
          importFailed(fleet.cluster('west')) ===
          'True NotImported: Not imported in noisy (NamespaceMissing): number 119.',
        30_000,
      );
    },
  );
});
