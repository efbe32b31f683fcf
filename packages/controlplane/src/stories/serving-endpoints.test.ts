import { EndpointSlice, Label, Namespace, Service, ServiceExport, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportMessage, importedSlices } from '@isthmus/fleet-sim';
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
    expect(ready(east)?.message).toContain('none of its endpoints is ready');
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
