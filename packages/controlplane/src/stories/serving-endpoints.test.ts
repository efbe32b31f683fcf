import {
  EndpointSlice,
  Label,
  Namespace,
  Pod,
  ResourceExport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  exportCart,
  exportMessage,
  importedSlices,
  leaderNamespace,
  putAntreaExports,
  putPod,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const db = { namespace: 'shop', name: 'db' };

/** A Service with a slice that a user writes. */
function putDb({ server }: VirtualCluster, ports: EndpointSlice['ports'], labels = {}): void {
  server.admin.put(Namespace, { metadata: { name: 'shop' } });
  server.admin.put(Service, { metadata: db, spec: { ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }] } });
  putSlice({ server }, 'db-1', { ports, labels });
  server.admin.put(ServiceExport, { metadata: db });
}

function putSlice(
  { server }: Pick<VirtualCluster, 'server'>,
  name: string,
  { ports, labels = {}, ip = '198.51.100.7' }: { ports: EndpointSlice['ports']; labels?: object; ip?: string },
): void {
  server.admin.put(EndpointSlice, {
    metadata: { name, namespace: 'shop', labels: { [Label.serviceName]: 'db', ...labels } },
    addressType: 'IPv4',
    ports,
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
  });
}

const sql = { name: 'sql', port: 5432, protocol: 'TCP' };
const ready = ({ server }: VirtualCluster) =>
  conditionOf(server.admin.get(ServiceImport, db)?.status?.conditions, 'Ready');

describe.each(['ClusterIP', 'PodIP'] as const)('with endpointIPType %s', (endpointIPType) => {
  it('a slice whose port has no name is reported on the export, and follows when it is corrected', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, endpointIPType });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    putDb(west, [{ port: 5432, protocol: 'TCP' }]);
    await fleet.until('east imports', () => ready(east) !== undefined);
    await fleet.clock.advance(5_000);
    expect(exportMessage(west, 'Ready', db)).toBe(
      'The Service is exported successfully, but none of its endpoints serves a port of Service shop/db. No endpoint serves port sql (TCP) of the Service: EndpointSlice db-1 has no port of that name and protocol',
    );
    expect(importedSlices(east, db)).toEqual([]);
    await fleet.until('the import reports it', () => ready(east)?.reason === 'NoReadyEndpoints', 15_000);
    putSlice(west, 'db-1', { ports: [sql] });
    await fleet.until('east has endpoints', () => importedSlices(east, db).length === 1, 5_000);
    await fleet.until(
      'the export is well',
      () => exportMessage(west, 'Ready', db) === 'The Service is exported successfully',
      5_000,
    );
  });

  it('slices that another tool marks as slices of another cluster are not exported, and reported', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, endpointIPType });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    putDb(west, [sql]);
    putSlice(west, 'db-other', { ports: [sql], labels: { [Label.mcsSourceCluster]: 'other' }, ip: '198.51.100.8' });
    await fleet.until('east imports', () => importedSlices(east, db).length === 1);
    await fleet.until('west imports', () => importedSlices(west, db).length === 1);
    await fleet.clock.advance(5_000);
    for (const cluster of [east, west]) expect(importedSlices(cluster, db).join()).not.toContain('198.51.100.8');
    expect(exportMessage(west, 'Ready', db)).toBe(
      'The Service is exported successfully. EndpointSlices that are marked as slices of another cluster are not exported: db-other (multicluster.kubernetes.io/source-cluster=other)',
    );
  });
});

describe('a Service with internalTrafficPolicy: Local', () => {
  const local = (cluster: VirtualCluster, internalTrafficPolicy: string) =>
    cluster.server.admin.patch(Service, cart, { spec: { internalTrafficPolicy } });
  const imported = ({ server }: VirtualCluster) => {
    const found = conditionOf(server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');
    return `${found?.status} ${found?.reason}`;
  };

  it('is NodeLocalTraffic in a cluster without Pods of it, Ready in one with, and both sides name the cure', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportCart(west, '10.20.1.5');
    await fleet.until('east imports', () => imported(east) === 'True Ready');
    local(west, 'Local');
    await fleet.until('no call can succeed', () => imported(east) === 'False NodeLocalTraffic', 15_000);
    await fleet.until('calls on the Node can', () => imported(west) === 'True Ready', 15_000);
    expect(exportMessage(west, 'Ready')).toContain('set internalTrafficPolicy: Cluster');
    const message = conditionOf(east.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready')?.message;
    expect(message).toContain(
      `kubectl -n shop patch service cart --type merge -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'`,
    );
    local(west, 'Cluster');
    await fleet.until('calls can succeed', () => imported(east) === 'True Ready', 15_000);
    await fleet.until('the export has no note', () => !exportMessage(west, 'Ready').includes('Local'), 15_000);
  });

  it('is NodeLocalTraffic when the last own Pod goes, also while the leader cannot be read', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    for (const [cluster, ip] of [
      [east, '10.10.3.4'],
      [west, '10.20.1.5'],
    ] as const) {
      exportCart(cluster, ip);
      local(cluster, 'Local');
    }
    await fleet.until('west imports', () => imported(west) === 'True Ready' && importedSlices(west).length === 2);
    west.kill();
    fleet.link('west-member', 'north').add({ match: () => true, fault: { kind: 'refuse' } });
    west.start();
    await fleet.clock.advance(5_000);
    west.server.admin.delete(Pod, { namespace: 'shop', name: 'cart-1' });
    await fleet.until('no call can succeed', () => imported(west) === 'False NodeLocalTraffic', 30_000);
    putPod(west, 'cart-2', '10.20.1.6');
    await fleet.until('calls can succeed', () => imported(west) !== 'False NodeLocalTraffic', 15_000);
  });
});

it('endpoints of an Antrea member in the form of slices are stored as they are, and not reported as merged', async () => {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member' } });
  const { admin } = fleet.leader.server;
  const endpoints = {
    endpoints: [{ addresses: ['10.30.1.5'], conditions: { ready: true }, targetRef: { kind: 'Pod', name: 'cart-1' } }],
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  };
  putAntreaExports(fleet, 'south', { ...cart, ports: [{ name: 'http', protocol: 'TCP', port: 80 }], subsets: [] });
  const ref = { namespace: leaderNamespace, name: 'south-shop-cart-endpoints' };
  const found = admin.get(ResourceExport, ref);
  admin.put(ResourceExport, {
    metadata: found?.metadata ?? ref,
    spec: { ...found?.spec, endpoints },
  });
  expect(admin.get(ResourceExport, ref)?.spec?.endpoints).toEqual(endpoints);
  const condition = () => admin.get(ResourceExport, ref)?.status?.conditions?.[0];
  await fleet.until('it is answered', () => condition()?.type === 'Failure', 60_000);
  expect(condition()).toMatchObject({
    status: 'False',
    reason: 'ConvergeFailure',
    message: expect.stringContaining('spec.endpoints.subsets is missing') as string,
  });
});
