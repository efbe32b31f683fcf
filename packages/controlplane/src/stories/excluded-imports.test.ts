import { ClusterSet, Service, ServiceExport, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportService, putService, westPorts } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const clusters = { north: 'leader', east: 'member', west: 'member' } as const;

const importsOf = (fleet: VirtualFleet) =>
  fleet
    .cluster('east')
    .server.admin.list(ServiceImport)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

function exportFromWest(fleet: VirtualFleet, namespace: string, name: string): void {
  putService(fleet.cluster('east'), westPorts, { namespace, name: 'other' });
  putService(fleet.cluster('west'), westPorts, { namespace, name });
  exportService(fleet.cluster('west'), { namespace, name });
}

describe('Namespaces that a member excludes from import', () => {
  const excludedOn = (fleet: VirtualFleet) =>
    conditionOf(fleet.cluster('east').server.admin.list(ClusterSet)[0]?.status?.conditions, 'ImportsExcluded')?.message;
  const onExport = (fleet: VirtualFleet, ref: { readonly namespace: string; readonly name: string }) =>
    conditionOf(fleet.cluster('west').server.admin.get(ServiceExport, ref)?.status?.conditions, 'ImportFailed')
      ?.message;

  it('get no imports, those that were there go, and the ClusterSet names them until the setting is removed', async () => {
    await using fleet = await createVirtualFleet({ clusters });
    exportFromWest(fleet, 'shop', 'cart');
    exportFromWest(fleet, 'bank', 'vault');
    await fleet.until('both are imported', () => importsOf(fleet).length === 2);
    const east = fleet.cluster('east');
    expect(excludedOn(fleet)).toBeUndefined();
    east.kill();
    east.start('member', { importExcludedNamespaces: ['bank'] });
    await fleet.until('one is gone', () => importsOf(fleet).join() === 'shop/cart', 10_000);
    expect(excludedOn(fleet)).toContain('excludes these Namespaces from import: bank');
    const { status } = east.server.admin.list(ClusterSet)[0] ?? {};
    expect(conditionOf(status?.conditions, 'ImportsExcluded')?.reason).toBe('ExcludedByConfiguration');
    const services = east.server.admin.list(Service, 'bank').map(({ metadata }) => metadata.name);
    expect(services).toEqual(['other']);
    east.kill();
    east.start('member', { importExcludedNamespaces: [] });
    await fleet.until('it is imported again', () => importsOf(fleet).length === 2, 10_000);
    expect(excludedOn(fleet)).toBeUndefined();
  });

  it('are reported on the ServiceExports of other clusters', async () => {
    await using fleet = await createVirtualFleet({ clusters });
    exportFromWest(fleet, 'shop', 'cart');
    exportFromWest(fleet, 'bank', 'vault');
    const [vault, cart] = [
      { namespace: 'bank', name: 'vault' },
      { namespace: 'shop', name: 'cart' },
    ];
    await fleet.until('both are imported', () => importsOf(fleet).length === 2);
    const east = fleet.cluster('east');
    east.kill();
    east.start('member', { importExcludedNamespaces: ['bank'] });
    await fleet.until('it is reported', () => onExport(fleet, vault) !== undefined, 5_000);
    expect(onExport(fleet, vault)).toBe(
      'Not imported in east (NamespaceExcluded): The configuration of that cluster excludes Namespace bank from import.',
    );
    expect(onExport(fleet, cart)).toBeUndefined();
    east.kill();
    east.start('member', { importExcludedNamespaces: [] });
    await fleet.until('it is gone', () => onExport(fleet, vault) === undefined, 30_000);
  });
});

describe('a Service that each cluster has for itself', () => {
  it.each([
    ['default', 'kubernetes'],
    ['kube-system', 'kube-dns'],
  ])('is not exported, and the ServiceExport reports it: %s/%s', async (namespace, name) => {
    await using fleet = await createVirtualFleet({ clusters });
    exportFromWest(fleet, namespace, name);
    exportFromWest(fleet, 'shop', 'cart');
    const { admin } = fleet.cluster('west').server;
    const valid = () => conditionOf(admin.get(ServiceExport, { namespace, name })?.status?.conditions, 'Valid');
    await fleet.until('it is reported', () => valid()?.reason === 'NotExportable', 5_000);
    expect(valid()?.message).toBe(
      `Every cluster has its own Service ${namespace}/${name}, so it is never exported. Delete this ServiceExport.`,
    );
    await fleet.until('another one is imported', () => importsOf(fleet).length > 0);
    expect(importsOf(fleet)).toEqual(['shop/cart']);
  });
});
