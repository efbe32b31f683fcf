import { ClusterSet, EndpointSlice, Namespace, ResourceImport, Service, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetName,
  createVirtualFleet,
  deleteAntreaImports,
  derivedCart,
  eventsOf,
  exportCart,
  importedPorts,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  putAntreaImports,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', east: 'member' } as const;
const three = { north: 'leader', east: 'member', west: 'member' } as const;

const http = [{ name: 'http', protocol: 'TCP', port: 80 }];
/** An import that the leader offers, from a cluster that is not in this fleet. */
const offered = { ...cart, ports: http, subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: http }] };

const withShop = (cluster: VirtualCluster) => cluster.server.admin.put(Namespace, { metadata: { name: 'shop' } });
const isImported = (cluster: VirtualCluster) => () => importedSlices(cluster).length > 0;
/**
 * The log entries of a cluster's controllers about a key for which a user must act, and about its
 * end.
 */
const blocks = (cluster: VirtualCluster, key: string) =>
  cluster.log.entries
    .filter(({ fields }) => fields['key'] === key && fields['reason'] !== undefined)
    .map(({ message, fields }) => `${message}: ${String(fields['reason'])}`);
const isReady = (cluster: VirtualCluster) => {
  const found = conditionOf(cluster.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');
  return found === undefined ? 'none' : `${found.status} ${found.reason}`;
};

describe('importing a Service', () => {
  it('makes a Service and a ServiceImport of a Service import', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', () => isReady(east) === 'True Ready');
    const service = east.server.admin.get(Service, derivedCart);
    expect(service?.metadata.annotations).toEqual({ 'multicluster.antrea.io/imported-service': 'true' });
    expect(service?.spec).toMatchObject({ type: 'ClusterIP', ports: http });
    expect(service?.spec?.selector).toBeUndefined();
    expect(east.server.admin.get(ServiceImport, cart)?.spec).toMatchObject({
      type: 'ClusterSetIP',
      ips: [service?.spec?.clusterIP],
      ports: http,
    });
  });

  it('makes EndpointSlices of an Endpoints import, and no Endpoints', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', isImported(east));
    expect(importedSlices(east)).toEqual(['?: 10.99.0.1 http:80']);
  });

  it('removes the imported objects when the imports are deleted', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', isImported(east));
    deleteAntreaImports(fleet, cart);
    await fleet.until(
      'nothing is left',
      () =>
        east.server.admin.get(ServiceImport, cart) === undefined &&
        east.server.admin.get(Service, derivedCart) === undefined &&
        importedSlices(east).length === 0,
    );
  });

  it('removes the imported objects when the imports were deleted while it did not run', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', isImported(east));
    east.kill();
    deleteAntreaImports(fleet, cart);
    east.start();
    await fleet.until('nothing is left', () => east.server.admin.get(Service, derivedCart) === undefined);
    expect(east.server.admin.get(ServiceImport, cart)).toBeUndefined();
  });

  it('removes imported Services that the leader does not offer, and keeps the others', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    const other = { namespace: 'shop', name: 'other' };
    putAntreaImports(fleet, offered);
    putAntreaImports(fleet, { ...offered, ...other });
    await fleet.until('both are imported', () => importedPorts(east, other).length === 1 && isImported(east)());
    const kept = east.server.admin.get(Service, { namespace: 'shop', name: 'antrea-mc-other' });
    east.kill();
    deleteAntreaImports(fleet, cart);
    east.start();
    await fleet.until('one is gone', () => east.server.admin.get(Service, derivedCart) === undefined);
    await fleet.clock.advance(10_000);
    expect(east.server.admin.list(ServiceImport).map(({ metadata }) => metadata.name)).toEqual(['other']);
    expect(east.server.admin.get(Service, { namespace: 'shop', name: 'antrea-mc-other' })).toBe(kept);
  });

  it('writes nothing when nothing has changed, however often it reconciles', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    exportCart(fleet.cluster('west'), '10.20.1.5');
    await fleet.until('it is imported', isImported(east));
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    // Each of these wakes the import.
    const { admin } = fleet.leader.server;
    for (const { metadata } of admin.list(ResourceImport)) {
      admin.patch(ResourceImport, metadata, { metadata: { annotations: { looked: 'at' } } });
    }
    east.server.admin.patch(Service, derivedCart, { metadata: { annotations: { note: 'mine' } } });
    east.server.admin.patch(ServiceImport, cart, { metadata: { annotations: { note: 'mine' } } });
    for (const { metadata } of east.server.admin.list(EndpointSlice, 'shop')) {
      east.server.admin.patch(EndpointSlice, metadata, { metadata: { annotations: { note: 'mine' } } });
    }
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
    expect(east.server.admin.get(Service, derivedCart)?.metadata.annotations?.['note']).toBe('mine');
  });

  it('imports more than 1,000 addresses whole, in several slices', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    const addresses = Array.from({ length: 1_200 }, (_, i) => ({
      ip: `10.99.${Math.floor(i / 250)}.${(i % 250) + 1}`,
    }));
    putAntreaImports(fleet, { ...offered, subsets: [{ addresses, ports: http }] });
    await fleet.until('it is imported', () => importedSlices(east).length === 2);
    const found = east.server.admin.list(EndpointSlice, 'shop').map(({ endpoints }) => (endpoints ?? []).length);
    expect(found.toSorted((a, b) => a - b)).toEqual([200, 1_000]);
  });

  it('reports in the status of the ServiceImport which clusters export it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    const clusters = () => east.server.admin.get(ServiceImport, cart)?.status?.clusters?.map(({ cluster }) => cluster);
    exportCart(fleet.cluster('west'), '10.20.1.5');
    withShop(east);
    await fleet.until('west is named', () => clusters()?.join() === 'west');
    exportCart(east, '10.10.3.4');
    await fleet.until('both are named', () => clusters()?.join() === 'east,west');
  });

  it('labels its objects, and makes the Service own the slices', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    exportCart(fleet.cluster('west'), '10.20.1.5');
    withShop(east);
    await fleet.until('it is imported', isImported(east));
    const service = east.server.admin.get(Service, derivedCart);
    const [slice] = east.server.admin.list(EndpointSlice, 'shop');
    const made = [service, east.server.admin.get(ServiceImport, cart), slice];
    expect(made.map((object) => object?.metadata.labels?.['app.kubernetes.io/managed-by'])).toEqual([
      'isthmus',
      'isthmus',
      'isthmus',
    ]);
    expect(slice?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([service?.metadata.uid]);
  });
});

describe('what is in the way of an import', () => {
  const eventOfClusterSet = (cluster: VirtualCluster, reason: string) =>
    eventsOf(cluster).filter((event) => event.startsWith(`${reason} ClusterSet/${clusterSetName}: `));

  it('reports that the Namespace is missing, and imports when it is created', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    putAntreaImports(fleet, offered);
    await fleet.until('east says so', () => eventOfClusterSet(east, 'NamespaceMissing').length === 1, 5_000);
    expect(eventOfClusterSet(east, 'NamespaceMissing')[0]).toMatch(
      /Service shop\/cart .* Namespace shop does not exist in this cluster\. Create it/,
    );
    expect(blocks(east, 'shop/cart')).toEqual(['blocked until the reported problem is fixed: NamespaceMissing']);
    withShop(east);
    await fleet.until('it is imported at once', isImported(east), 1_000);
    expect(blocks(east, 'shop/cart').at(-1)).toBe('no longer blocked: NamespaceMissing');
  });

  it('reports on the ServiceImport what was left out of it, and counts it as blocked until it is corrected', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    const bad = { addresses: [{ ip: '10.99.0.999' }], ports: http };
    putAntreaImports(fleet, { ...offered, subsets: [...offered.subsets, bad] });
    await fleet.until(
      'it is reported',
      () => eventsOf(east).some((event) => event.startsWith('PartlyImported')),
      5_000,
    );
    await fleet.clock.advance(10_000);
    expect(eventsOf(east).filter((event) => event.startsWith('PartlyImported'))).toEqual([
      expect.stringMatching(/^PartlyImported ServiceImport\/cart: .*10\.99\.0\.999/),
    ]);
    expect(importedSlices(east)).toEqual(['?: 10.99.0.1 http:80']);
    expect(blocks(east, 'shop/cart')).toEqual(['blocked until the reported problem is fixed: PartlyImported']);
    putAntreaImports(fleet, offered);
    await fleet.until('nobody must act', () => blocks(east, 'shop/cart').length === 2);
    expect(blocks(east, 'shop/cart')[1]).toBe('no longer blocked: PartlyImported');
  });

  it('imports again into a Namespace that was deleted and created again', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', isImported(east));
    east.server.admin.delete(Namespace, { name: 'shop' });
    await fleet.until('the Namespace is gone', () => east.server.admin.get(Namespace, { name: 'shop' }) === undefined);
    withShop(east);
    await fleet.until('it is imported again', () => isReady(east) === 'True Ready' && isImported(east)());
  });

  it('leaves a foreign Service of the derived name alone, and imports when it is gone', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    const foreign = east.server.admin.put(Service, { metadata: { ...derivedCart }, spec: { ports: [{ port: 1 }] } });
    putAntreaImports(fleet, offered);
    await fleet.until('the ServiceImport says so', () => isReady(east) === 'False ServiceNameTaken', 5_000);
    await fleet.clock.advance(30_000);
    expect(east.server.admin.get(Service, derivedCart)).toBe(foreign);
    expect(importedSlices(east)).toEqual([]);
    expect(east.server.admin.get(ServiceImport, cart)?.spec?.ips).toBeUndefined();
    east.server.admin.delete(Service, derivedCart);
    await fleet.until('it is imported', () => isReady(east) === 'True Ready' && isImported(east)(), 2_000);
  });

  it('reports the foreign Service, and what to do, on the ServiceImport', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    east.server.admin.put(Service, { metadata: { ...derivedCart }, spec: { ports: [{ port: 1 }] } });
    putAntreaImports(fleet, offered);
    await fleet.until('the ServiceImport says so', () => isReady(east) === 'False ServiceNameTaken', 5_000);
    const { conditions } = east.server.admin.get(ServiceImport, cart)?.status ?? {};
    expect(conditionOf(conditions, 'Ready')?.message).toBe(
      'Service shop/antrea-mc-cart has the name that the import of shop/cart needs, and was not created by Isthmus. It is not changed. If it can go, run: kubectl -n shop delete service antrea-mc-cart',
    );
  });

  it('leaves a foreign slice alone that has the name of an imported one', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', isImported(east));
    const [ours] = east.server.admin.list(EndpointSlice, 'shop');
    const name = ours?.metadata.name ?? '';
    deleteAntreaImports(fleet, cart);
    await fleet.until('nothing is left', () => east.server.admin.list(EndpointSlice, 'shop').length === 0);
    const foreign = east.server.admin.put(EndpointSlice, {
      metadata: { name, namespace: 'shop', labels: { 'kubernetes.io/service-name': 'antrea-mc-cart' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.1.1'] }],
    });
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported beside it', isImported(east));
    await fleet.clock.advance(10_000);
    expect(east.server.admin.get(EndpointSlice, { namespace: 'shop', name })).toBe(foreign);
    expect(importedSlices(east)).toEqual(['?: 10.99.0.1 http:80']);
  });

  it('leaves a foreign ServiceImport alone, reports it there, and imports when it is gone', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    const foreign = east.server.admin.put(ServiceImport, {
      metadata: { ...cart },
      spec: { type: 'ClusterSetIP', ports: [{ port: 7 }], ips: ['10.5.5.5'] },
    });
    await fleet.clock.advance(100);
    putAntreaImports(fleet, offered);
    await fleet.until(
      'east says so',
      () => eventsOf(east).some((event) => event.startsWith('ForeignServiceImport ')),
      5_000,
    );
    await fleet.clock.advance(30_000);
    expect(eventsOf(east)).toEqual([
      'ForeignServiceImport ServiceImport/cart: ServiceImport shop/cart was not created by Isthmus and is not changed. Delete it to import the Service of that name from the ClusterSet.',
    ]);
    expect(east.server.admin.get(ServiceImport, cart)).toBe(foreign);
    expect(east.server.admin.get(Service, derivedCart)).toBeUndefined();
    east.server.admin.delete(ServiceImport, cart);
    await fleet.until('it is imported', () => isReady(east) === 'True Ready', 2_000);
  });

  it('imports beside a Service of the same name, which the MCS API allows', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    const own = east.server.admin.put(Service, { metadata: { ...cart }, spec: { ports: [{ port: 1 }] } });
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', () => isReady(east) === 'True Ready');
    expect(east.server.admin.get(Service, cart)).toBe(own);
    expect(importedSlices(east)).toEqual(['?: 10.99.0.1 http:80']);
  });

  it('reports on the ServiceImport that the name is too long for the prefix', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    withShop(east);
    const long = { namespace: 'shop', name: 'a'.repeat(54) };
    putAntreaImports(fleet, { ...offered, ...long });
    const ready = () => conditionOf(east.server.admin.get(ServiceImport, long)?.status?.conditions, 'Ready');
    await fleet.until('it says so', () => ready()?.reason === 'NameTooLong', 5_000);
    expect(ready()?.message).toMatch(/Export the Service under a name of at most 53 characters/);
    deleteAntreaImports(fleet, long);
    await fleet.until('it goes with the import', () => east.server.admin.get(ServiceImport, long) === undefined);
  });

  it('reports a problem without ServiceImport on the ClusterSet that it serves', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const east = fleet.cluster('east');
    await fleet.clock.advance(1_000);
    east.server.admin.put(ClusterSet, {
      metadata: { name: 'another', namespace: memberNamespace },
      spec: { clusterID: 'east', leaders: [{ clusterID: 'north' }], namespace: leaderNamespace },
    });
    putAntreaImports(fleet, offered);
    await fleet.until('east says so', () => eventOfClusterSet(east, 'NamespaceMissing').length === 1, 5_000);
  });
});

it.each(['PreferSameZone', 'PreferSameNode'])(
  'a Service is imported without trafficDistribution %s where the API server rejects it',
  async (trafficDistribution) => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', east: 'member', west: 'member' },
      endpointIPType: 'PodIP',
    });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    fleet.link('east-member', 'east').add({
      match: ({ method, path, body }) =>
        method !== 'GET' && path.includes('/services') && (body ?? '').includes(trafficDistribution),
      fault: { kind: 'status', code: 422 },
    });
    exportCart(west, '10.20.1.5');
    west.server.admin.patch(Service, cart, { spec: { trafficDistribution } });
    const message = () =>
      conditionOf(east.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready')?.message ?? '';
    await fleet.until('it is imported', () => message().includes(`trafficDistribution "${trafficDistribution}"`));
    expect(message()).toContain('is not supported');
    expect(importedSlices(east)).toHaveLength(1);
    expect(east.server.admin.get(Service, derivedCart)?.spec?.trafficDistribution).toBeUndefined();
  },
);
