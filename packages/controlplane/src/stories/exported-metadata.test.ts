import { ResourceExport, ResourceImport, ServiceExport, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  exportCart,
  exportCondition,
  exportMessage,
  leaderNamespace,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

const said = (cluster: VirtualCluster, spec: ServiceExport['spec']) =>
  cluster.server.admin.patch(ServiceExport, cart, { spec });
const metadataOf = (cluster: VirtualCluster) => {
  const { labels = {}, annotations = {} } = cluster.server.admin.get(ServiceImport, cart)?.metadata ?? {};
  return { labels, annotations };
};
const team = (cluster: VirtualCluster) => metadataOf(cluster).labels['team'];

/** West, and then east, export `shop/cart`. */
async function exportedByBoth(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  for (const [name, ip] of [
    ['west', '10.20.1.5'],
    ['east', '10.10.1.5'],
  ] as const) {
    exportCart(fleet.cluster(name), ip, http);
    await fleet.until('it is exported', () => exportCondition(fleet.cluster(name), 'Ready') === 'True Exported');
    await fleet.clock.advance(2_000);
  }
  return fleet;
}

it('labels and annotations of the ServiceExport are on the import in every cluster, and go with it', async () => {
  await using fleet = await exportedByBoth();
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  for (const cluster of [east, west])
    said(cluster, { exportedLabels: { team: 'shop' }, exportedAnnotations: { 'example.com/note': 'two\nlines' } });
  for (const cluster of [east, west]) await fleet.until('the import has them', () => team(cluster) === 'shop');
  await fleet.until('all agree', () => exportCondition(west, 'Conflict') === 'False NoConflicts');
  expect(metadataOf(east).annotations['example.com/note']).toBe('two\nlines');
  expect(metadataOf(east).labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'isthmus' });
  // Long enough for the time in which a new session changes nothing.
  await fleet.clock.advance(20_000);
  const writes = recordWrites(fleet);
  await fleet.clock.advance(60_000);
  expect(writes()).toEqual([]);
  for (const cluster of [east, west]) said(cluster, { exportedLabels: null, exportedAnnotations: null } as never);
  for (const cluster of [east, west]) await fleet.until('they are gone', () => team(cluster) === undefined);
  expect(metadataOf(east).annotations).not.toHaveProperty('example.com/note');
  expect(metadataOf(east).annotations).not.toHaveProperty('isthmus.dev/imported-keys');
});

it('those of the oldest export count as a whole, and each exporter reports that they differ', async () => {
  await using fleet = await exportedByBoth();
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  said(west, { exportedLabels: { team: 'shop' }, exportedAnnotations: { note: 'west' } });
  said(east, { exportedLabels: { team: 'bank', tier: 'web' } });
  const differ = 'True AnnotationsConflict,LabelsConflict';
  for (const cluster of [east, west])
    await fleet.until('it is reported', () => exportCondition(cluster, 'Conflict') === differ, 5_000);
  for (const name of ['east-shop-cart-service', 'west-shop-cart-service']) {
    const found = fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name });
    expect(conditionOf(found?.status?.conditions, 'Conflict')).toMatchObject({
      status: 'True',
      reason: 'AnnotationsConflict,LabelsConflict',
    });
  }
  await fleet.until('those of west count', () => team(east) === 'shop');
  expect(metadataOf(east).labels).not.toHaveProperty('tier');
  unexportService(west);
  await fleet.until('those of east count', () => team(west) === 'bank');
  expect(metadataOf(west).labels).toMatchObject({ tier: 'web' });
  expect(metadataOf(west).annotations).not.toHaveProperty('note');
});

it('what would claim the import never leaves the cluster, and the ServiceExport reports it', async () => {
  await using fleet = await exportedByBoth();
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  const exportedLabels = { team: 'shop', 'app.kubernetes.io/managed-by': 'Helm', 'kubernetes.io/service-name': 'bank' };
  for (const cluster of [east, west]) said(cluster, { exportedLabels });
  await fleet.until('the rest is imported', () => team(east) === 'shop');
  expect(metadataOf(east).labels).toEqual({ team: 'shop', 'app.kubernetes.io/managed-by': 'isthmus' });
  await fleet.until('it is reported', () => exportMessage(west, 'Ready').includes('reserved'), 5_000);
  expect(exportCondition(west, 'Ready')).toBe('True Exported');
  expect(exportMessage(west, 'Ready')).toBe(
    'The Service is exported successfully. Parts of spec are not exported: ' +
      'exportedLabels: "app.kubernetes.io/managed-by" is reserved; left out; ' +
      'exportedLabels: "kubernetes.io/service-name" is reserved; left out',
  );
});

it('a leader that writes what may not be exported changes nothing else of the import', async () => {
  await using fleet = await exportedByBoth();
  const east = fleet.cluster('east');
  fleet.leader.kill();
  const hostile = JSON.stringify({ labels: { 'app.kubernetes.io/managed-by': 'Helm', team: 'x' }, annotations: 7 });
  fleet.leader.server.admin.patch(
    ResourceImport,
    { namespace: leaderNamespace, name: 'shop-cart-service' },
    { metadata: { annotations: { 'isthmus.dev/exported-metadata': hostile } } },
  );
  await fleet.until('east has read it', () => team(east) === 'x');
  expect(metadataOf(east).labels).toEqual({ team: 'x', 'app.kubernetes.io/managed-by': 'isthmus' });
});

it('labels stay while the leader has lost the exports, and while a restarted member cannot reach it', async () => {
  await using fleet = await exportedByBoth();
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  for (const cluster of [east, west]) said(cluster, { exportedLabels: { team: 'shop' } });
  await fleet.until('east has it', () => team(east) === 'shop');
  await fleet.clock.advance(10_000);
  for (const cluster of [east, west]) cluster.kill();
  for (const { metadata } of fleet.leader.server.admin.list(ResourceExport, leaderNamespace)) {
    const ref = { namespace: leaderNamespace, name: metadata.name };
    fleet.leader.server.admin.patch(ResourceExport, ref, { metadata: { finalizers: null } });
    fleet.leader.server.admin.delete(ResourceExport, ref);
  }
  await fleet.clock.advance(20_000);
  east.start();
  await fleet.clock.advance(20_000);
  expect(team(east)).toBe('shop');
  fleet.link('east-member', 'north').cut('refuse');
  east.kill();
  east.start();
  await fleet.clock.advance(20_000);
  expect(team(east)).toBe('shop');
});
