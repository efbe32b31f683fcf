import { ClusterSet, Event, MemberClusterAnnounce, ResourceExport, ResourceImport, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  exportCondition,
  exportMessage,
  exportService,
  importedSlices,
  leaderNamespace,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const area = (name: string) => ({ namespace: leaderNamespace, name });
/** A sixty-fourth of the bytes that a leader accepts in production. */
const exportLimits = { objects: 40_000, bytes: 1_000_000, allBytes: 4_000_000 };

/** An export of `kilobytes` that no cluster can use. */
function fill(fleet: VirtualFleet, clusterID: string, name: string, kilobytes: number): void {
  fleet.leader.server.admin.put(ResourceExport, {
    metadata: { ...area(name) },
    spec: {
      clusterID,
      kind: 'Raw',
      name,
      namespace: 'shop',
      service: { serviceSpec: { externalName: 'a'.repeat(kilobytes * 1_000) } },
    },
  });
}

async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    exportLimits,
  });
  putService(fleet.cluster('east'), westPorts, { namespace: 'shop', name: 'other' });
  return fleet;
}

async function exportFromWest(fleet: VirtualFleet, name: string): Promise<void> {
  const ref = { namespace: 'shop', name };
  putService(fleet.cluster('west'), westPorts, ref);
  exportService(fleet.cluster('west'), ref);
  await fleet.until(`${name} is imported`, () => importNames(fleet).includes(name), 5_000);
}

const importNames = (fleet: VirtualFleet) =>
  fleet
    .cluster('east')
    .server.admin.list(ServiceImport)
    .map(({ metadata }) => metadata.name);

const ignored = (fleet: VirtualFleet) =>
  conditionOf(fleet.leader.server.admin.list(ClusterSet)[0]?.status?.conditions, 'ExportsIgnored')?.message;

describe('a cluster that exports more than a leader accepts', () => {
  it('is named by the leader, with the command that removes it, and does not delay others, also after a restart', async () => {
    await using fleet = await fleetWithCart();
    await exportFromWest(fleet, 'cart');
    for (let index = 0; index < 6; index++) fill(fleet, 'greedy', `filler-${index}`, 190);
    await fleet.until('it is reported', () => ignored(fleet) !== undefined, 5_000);
    expect(ignored(fleet)).toBe(
      `cluster greedy: 6 ResourceExports, 1.1 MB, of which the newest 1 are ignored. A leader accepts 40000 ResourceExports and 1 MB from one cluster, and 4 MB in all. To remove the exports of greedy: kubectl get resourceexports -n ${leaderNamespace} -o jsonpath='{range .items[?(@.spec.clusterID=="greedy")]}{.metadata.name}{"\\n"}{end}' | xargs kubectl delete resourceexports -n ${leaderNamespace}`,
    );
    await exportFromWest(fleet, 'basket');
    fleet.leader.kill();
    fleet.leader.start();
    await exportFromWest(fleet, 'till');
    expect(ignored(fleet)).toContain('cluster greedy: 6 ResourceExports');
    const events = fleet.leader.server.admin.list(Event).filter(({ reason }) => reason === 'ExportLimitExceeded');
    expect(new Set(events.map(({ message }) => message?.slice(0, 15)))).toEqual(new Set(['cluster greedy:']));
    for (let index = 0; index < 6; index++) fleet.leader.server.admin.delete(ResourceExport, area(`filler-${index}`));
    await fleet.until('it is no longer reported', () => ignored(fleet) === undefined, 5_000);
  });

  it('keeps what was published of an export that is over the limits now, and reports it on the ServiceExport', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    for (let index = 0; index < 5; index++) fill(fleet, 'west', `filler-${index}`, 190);
    await fleet.clock.advance(2_000);
    await exportFromWest(fleet, 'cart');
    await fleet.until('it is ready', () => exportCondition(west, 'Ready') === 'True Exported');
    const before = importedSlices(fleet.cluster('east'));
    const published = fleet.leader.server.admin.list(ResourceImport).length;
    fill(fleet, 'west', 'filler-0', 240);
    fill(fleet, 'west', 'filler-1', 240);
    await fleet.until('it is reported', () => exportCondition(west, 'Ready') === 'False Failed', 5_000);
    expect(exportMessage(west, 'Ready')).toContain(
      'cluster "west" exports more than a leader accepts from one cluster (40000 ResourceExports and 1 MB)',
    );
    await fleet.clock.advance(60_000);
    expect(importedSlices(fleet.cluster('east'))).toEqual(before);
    expect(fleet.leader.server.admin.list(ResourceImport)).toHaveLength(published);
    fleet.leader.server.admin.delete(ResourceExport, area('filler-0'));
    await fleet.until('it is ready again', () => exportCondition(west, 'Ready') === 'True Exported', 40_000);
    expect(ignored(fleet)).toBeUndefined();
  });

  it('goes on exporting Services where its Pods have too many labels', async () => {
    await using fleet = await fleetWithCart();
    for (let index = 0; index < 6; index++) {
      fleet.leader.server.admin.put(ResourceExport, {
        metadata: { ...area(`west-${index}`), labels: { sourceKind: 'LabelIdentity', sourceClusterID: 'west' } },
        spec: {
          clusterID: 'west',
          kind: 'LabelIdentity',
          labelIdentity: { normalizedLabel: `ns:&pod:a=${'b'.repeat(190_000)}` },
        },
      });
    }
    await fleet.until('it is reported', () => ignored(fleet) !== undefined, 5_000);
    expect(ignored(fleet)).toBe(
      `cluster west: 6 ResourceExports of kind LabelIdentity, 1.1 MB, of which the newest 1 are ignored. A leader accepts 40000 ResourceExports and 1 MB from one cluster, as much again of kind LabelIdentity, and 4 MB in all. Reduce the number of different Pod labels in west. To list its exports: kubectl get resourceexports -n ${leaderNamespace} -l sourceKind=LabelIdentity,sourceClusterID=west`,
    );
    await exportFromWest(fleet, 'cart');
    expect(exportCondition(fleet.cluster('west'), 'Ready')).toBe('True Exported');
  });

  it('is named for announcements that are too many, too, until they are gone', async () => {
    await using fleet = await fleetWithCart();
    const { admin } = fleet.leader.server;
    const names = Array.from({ length: 15 }, (_, index) => `member-announce-from-greedy-${index}`);
    for (const name of names) {
      const ids = { clusterID: 'greedy', clusterSetID: clusterSetName, leaderClusterID: 'north' };
      admin.put(MemberClusterAnnounce, { metadata: area(name), ...ids });
    }
    await fleet.until('it is reported', () => ignored(fleet) !== undefined, 5_000);
    expect(ignored(fleet)).toMatch(/^cluster greedy: 15 MemberClusterAnnounces, .* the newest 5 are not read in full/);
    await exportFromWest(fleet, 'cart');
    for (const name of names) admin.remove(MemberClusterAnnounce, area(name));
    await fleet.until('it is no longer reported', () => ignored(fleet) === undefined, 5_000);
  });
});
