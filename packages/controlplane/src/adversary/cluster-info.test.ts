import {
  ClusterInfoImport,
  ClusterSet,
  Gateway,
  Namespace,
  ResourceExport,
  ResourceImport,
  ServiceImport,
} from '@isthmus/api';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const exportRef = { namespace: leaderNamespace, name: 'west-clusterinfo' };
const importRef = { namespace: memberNamespace, name: 'west-clusterinfo' };

const putGateway = (cluster: VirtualCluster) =>
  cluster.server.admin.put(Gateway, {
    metadata: { name: 'node-1', namespace: memberNamespace },
    gatewayIP: '192.0.2.10',
    serviceCIDR: '10.96.0.0/12',
  });
const importedBy = (cluster: VirtualCluster) => cluster.server.admin.get(ClusterInfoImport, importRef);

/** As an Antrea member before 2.7 writes it: without labels. */
const antreaExport = (id: string, gatewayIP = '192.0.2.10'): ResourceExport => ({
  metadata: {
    name: `${id}-clusterinfo`,
    namespace: leaderNamespace,
    finalizers: ['resourceexport.antrea.io/finalizer'],
  },
  spec: {
    kind: 'ClusterInfo',
    clusterID: id,
    name: id,
    namespace: memberNamespace,
    clusterInfo: { clusterID: id, gatewayInfos: [{ gatewayIP }] },
  },
});
const importOf = (id: string, labels: Readonly<Record<string, string>> = {}): ClusterInfoImport => ({
  metadata: { name: `${id}-clusterinfo`, namespace: memberNamespace, labels },
  spec: { clusterID: id, gatewayInfos: [{ gatewayIP: '192.0.2.10' }] },
});

describe('an export under the name of a cluster', () => {
  it('is repaired where somebody lets it speak of another cluster', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    putGateway(fleet.cluster('west'));
    await fleet.until('east knows', () => importedBy(fleet.cluster('east')) !== undefined);
    fleet.leader.server.admin.patch(ResourceExport, exportRef, { spec: { clusterID: 'east' } });
    await fleet.clock.advance(10_000);
    expect(fleet.leader.server.admin.get(ResourceExport, exportRef)?.spec?.clusterID).toBe('west');
    expect(importedBy(fleet.cluster('east'))).toBeDefined();
  });

  it('does not keep the cluster from exporting where another member was there first', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const { spec } = antreaExport('east', '192.0.2.11');
    fleet.leader.server.admin.put(ResourceExport, { metadata: exportRef, spec });
    putGateway(fleet.cluster('west'));
    await fleet.until('east knows the network of west', () => importedBy(fleet.cluster('east')) !== undefined);
  });

  it('is withdrawn without a Gateway, also where it has no label by which the member sees it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, join: false });
    fleet.leader.server.admin.put(ResourceExport, antreaExport('west'));
    fleet.join();
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.clock.advance(30_000);
    expect(fleet.leader.server.admin.get(ResourceExport, exportRef)).toBeUndefined();
    expect(importedBy(fleet.cluster('east'))).toBeUndefined();
  });

  it('is looked for without an error while the leader answers nothing about it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, join: false });
    fleet.leader.server.admin.put(ResourceExport, antreaExport('west'));
    const stop = fleet.link('west-member', 'north').add({
      match: ({ method, path }) => method === 'GET' && path.endsWith('/west-clusterinfo'),
      fault: { kind: 'status', code: 401 },
    });
    fleet.join();
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.clock.advance(30_000);
    expect(fleet.cluster('west').log.entries.filter(({ level }) => level === 'error')).toEqual([]);
    expect(fleet.leader.server.admin.get(ResourceExport, exportRef)).toBeDefined();
    stop();
    await fleet.clock.advance(120_000);
    expect(fleet.leader.server.admin.get(ResourceExport, exportRef)).toBeUndefined();
  });

  it('of any length is answered in a message of a bounded one', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
    const { admin } = fleet.leader.server;
    const { metadata, spec } = antreaExport('west');
    admin.put(ResourceExport, { metadata, spec: { ...spec, clusterInfo: { clusterID: 'x'.repeat(500_000) } } });
    await fleet.clock.advance(10_000);
    const [condition] = admin.get(ResourceExport, exportRef)?.status?.conditions ?? [];
    expect(condition).toMatchObject({ type: 'Failure', message: expect.stringContaining('is not west') });
    expect(condition?.message?.length).toBeLessThan(1_000);
  });

  it('cannot put what is not a label onto the import', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
    const { admin } = fleet.leader.server;
    const { metadata, spec } = antreaExport('west');
    admin.put(ResourceExport, { metadata, spec: { ...spec, name: 'not a label!', namespace: '../x' } });
    await fleet.until('it is published', () => admin.get(ResourceImport, exportRef) !== undefined);
    expect(admin.get(ResourceImport, exportRef)?.metadata.labels).toEqual({
      sourceKind: 'ClusterInfo',
      sourceName: 'west',
      sourceClusterID: 'west',
      'app.kubernetes.io/managed-by': 'isthmus',
    });
  });
});

describe('what a leader publishes', () => {
  it('stays where the exports are there after all, also those without labels', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
    const { admin } = fleet.leader.server;
    const exports = Array.from({ length: 12 }, (_, n) => antreaExport(`c${n}`, `192.0.2.${n + 1}`));
    for (const object of exports) admin.put(ResourceExport, object);
    await fleet.until('all are published', () => admin.list(ResourceImport).length === 12);
    const link = fleet.link('north-leader', 'north');
    link.cut('refuse');
    for (const { metadata } of admin.list(ResourceExport)) admin.remove(ResourceExport, metadata);
    admin.compact();
    await fleet.clock.advance(5_000);
    link.heal();
    await fleet.clock.advance(40_000);
    link.cut('refuse');
    await fleet.clock.advance(100);
    link.heal();
    // The exporters come back, and only a request past the cache can show that.
    const stop = link.add({
      match: ({ path, query }) => path.includes('resourceexports') && query?.['watch'] !== undefined,
      fault: { kind: 'hang' },
    });
    await fleet.clock.advance(5_000);
    for (const object of exports) admin.put(ResourceExport, object);
    await fleet.clock.advance(60_000);
    stop();
    expect(admin.list(ResourceImport)).toHaveLength(12);
  });
});

describe('a ClusterInfoImport', () => {
  it.each([
    ['an Antrea member imported', {}],
    ['we imported', { 'app.kubernetes.io/managed-by': 'isthmus' }],
  ])('that %s is held with 19 others where the leader has none of them', async (_, labels) => {
    await using fleet = await createVirtualFleet({ clusters: three, join: false });
    const { admin } = fleet.cluster('east').server;
    for (let n = 0; n < 20; n++) admin.put(ClusterInfoImport, importOf(`c${n}`, labels));
    fleet.join();
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.clock.advance(20_000);
    expect(admin.list(ClusterInfoImport)).toHaveLength(20);
  });

  it('that another tool manages is neither removed nor taken over', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const { admin } = fleet.cluster('east').server;
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
    admin.put(ClusterInfoImport, importOf('static', labels));
    admin.put(ClusterInfoImport, importOf('west', labels));
    putGateway(fleet.cluster('west'));
    await fleet.clock.advance(20_000);
    expect(admin.list(ClusterInfoImport).map(({ metadata }) => metadata.labels)).toEqual([labels, labels]);
    expect(eventsOf(fleet.cluster('east')).some((event) => event.includes('ForeignClusterInfoImport'))).toBe(true);
  });

  it('that the own API server rejects is reported on the ClusterSet, and tried again', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const mend = fleet.link('east-member', 'east').add({
      match: ({ method, path }) => method === 'POST' && path.includes('clusterinfoimports'),
      fault: { kind: 'status', code: 422 },
    });
    putGateway(fleet.cluster('west'));
    await fleet.until('an Event names it', () =>
      eventsOf(fleet.cluster('east')).some((event) => event.includes('ClusterInfoRejected ClusterSet')),
    );
    mend();
    await fleet.until('imported', () => importedBy(fleet.cluster('east')) !== undefined, 65_000);
  });
});

describe('a cluster that leaves', () => {
  it('does not go before it has read what it must remove', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportCart(fleet.cluster('west'), '10.1.0.5');
    await fleet.until('east imports', () => east.server.admin.list(ServiceImport).length === 1);
    east.kill();
    const ref = { namespace: memberNamespace, name: clusterSetName };
    east.server.admin.delete(ClusterSet, ref);
    fleet.link('east-member', 'east').add({
      match: ({ path }) => path.includes('serviceimports'),
      fault: { kind: 'latency', ms: 3_000 },
    });
    east.start();
    await fleet.until('it has left', () => east.server.admin.get(ClusterSet, ref) === undefined, 300_000);
    expect(east.server.admin.list(ServiceImport)).toEqual([]);
  });
});
