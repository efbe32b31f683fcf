import {
  EndpointSlice,
  Endpoints,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
  memberAnnounceFinalizer,
  memberAnnounceName,
} from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  createVirtualFleet,
  deleteAntreaExports,
  deleteAntreaImports,
  derivedCart,
  exportCart,
  exportCondition,
  exportMessage,
  importedPorts,
  importedSlices,
  isClean,
  leaderNamespace,
  putAntreaExports,
  putAntreaImports,
  putPod,
  putService,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { plainObject } from '../testing/plain-object.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80 }];
const httpToPods = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const fromEast = { ...cart, ports: httpToPods, subsets: [{ addresses: [{ ip: '10.96.7.7' }], ports: http }] };
const area = (name: string) => ({ namespace: leaderNamespace, name });
const withShop = (cluster: VirtualCluster) => cluster.server.admin.put(Namespace, { metadata: { name: 'shop' } });

describe('an Antrea member under our leader', () => {
  it('has its exports merged with those of our members, oldest first', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const west = fleet.cluster('west');
    putAntreaExports(fleet, 'east', fromEast);
    await fleet.clock.advance(2_000);
    exportCart(west, '10.20.1.5', [...httpToPods, { name: 'admin', protocol: 'TCP', port: 9000, targetPort: 9000 }]);
    await fleet.until('both are imported', () => importedSlices(west).length === 2);
    expect(importedSlices(west)).toEqual(['east: 10.96.7.7 http:80', 'west: 10.20.1.5 http:8080,admin:9000']);
    expect(importedPorts(west)).toEqual(['http TCP 80', 'admin TCP 9000']);
    const clusterIP = west.server.admin.get(Service, cart)?.spec?.clusterIP ?? '';
    const merged = fleet.leader.server.admin.get(ResourceImport, area('shop-cart-endpoints'))?.spec;
    expect(merged?.endpoints?.subsets).toEqual([
      { addresses: [{ ip: '10.96.7.7' }], ports: http },
      { addresses: [{ ip: clusterIP }], ports: [...http, { name: 'admin', port: 9000, protocol: 'TCP' }] },
    ]);
  });

  it('finds in the imports nothing but what it knows, under the names that it derives', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader' } });
    putAntreaExports(fleet, 'east', fromEast);
    const { admin } = fleet.leader.server;
    await fleet.until('it is merged', () => admin.list(ResourceImport).length === 3);
    const known = admin.list(ResourceImport).filter(({ spec }) => spec?.kind !== 'EndpointSlices');
    expect(known.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      [
        'shop-cart-endpoints',
        {
          kind: 'Endpoints',
          namespace: 'shop',
          name: 'cart',
          endpoints: { subsets: [{ addresses: [{ ip: '10.96.7.7' }], ports: http }] },
          // It ignores the field.
          endpointSlices: [],
        },
      ],
      [
        'shop-cart-service',
        {
          kind: 'ServiceImport',
          namespace: 'shop',
          name: 'cart',
          serviceImport: { spec: { type: 'ClusterSetIP', ports: http } },
        },
      ],
    ]);
  });

  it('withdraws by deleting its exports', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const west = fleet.cluster('west');
    withShop(west);
    putAntreaExports(fleet, 'east', fromEast);
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    deleteAntreaExports(fleet, 'east', cart);
    await fleet.until('nothing is left', () => isClean(fleet));
  });

  it('is shown in the status, beats without our annotations, and leaves by deleting its announcement', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const { admin } = fleet.leader.server;
    const ref = area('member-announce-from-east');
    admin.put(MemberClusterAnnounce, {
      metadata: { ...ref },
      clusterID: 'east',
      clusterSetID: 'fleet',
      leaderClusterID: 'north',
    });
    putAntreaExports(fleet, 'east', fromEast);
    const finalizers = () => admin.get(MemberClusterAnnounce, ref)?.metadata.finalizers;
    await fleet.until('it has the finalizer', () => finalizers() !== undefined);
    expect(finalizers()).toEqual(['memberclusterannounce.finalizer.antrea.io/east']);
    withShop(fleet.cluster('west'));
    await fleet.until('it is imported', () => importedSlices(fleet.cluster('west')).length === 1);
    admin.delete(MemberClusterAnnounce, ref);
    // It must be seen first whether it keeps sending heartbeats: then the member itself would not
    // have deleted it.
    await fleet.clock.advance(19_000);
    expect(isClean(fleet)).toBe(false);
    await fleet.until('nothing is left', () => isClean(fleet), 5_000);
    expect(admin.get(MemberClusterAnnounce, ref)).toBeUndefined();
  });
});

describe('our member under an Antrea leader', () => {
  /**
   * West is ours. The leader's controller is Antrea's, so only the writes of a test happen there.
   */
  async function underAntrea(): Promise<VirtualFleet> {
    const fleet = await createVirtualFleet({
      clusters: { north: 'leader', west: 'member' },
      antreaCrds: true,
      join: false,
    });
    fleet.cluster('west').start();
    fleet.join();
    await fleet.until('west is connected', () => clusterSetCondition(fleet.cluster('west')) === 'True Connected');
    return fleet;
  }
  const merge = (fleet: VirtualFleet, subsets: (typeof fromEast)['subsets']) => {
    putAntreaImports(fleet, { ...cart, ports: http, subsets });
    for (const kind of ['service', 'endpoints'])
      if (fleet.leader.server.admin.get(ResourceExport, area(`west-shop-cart-${kind}`)) !== undefined)
        fleet.leader.server.admin.patch(ResourceExport, area(`west-shop-cart-${kind}`), {
          status: { conditions: [{ type: 'Succeeded', status: 'True', lastTransitionTime: '2026-11-21T10:00:00Z' }] },
        });
  };
  const ownSubset = (fleet: VirtualFleet) => ({
    addresses: [{ ip: fleet.cluster('west').server.admin.get(Service, cart)?.spec?.clusterIP ?? '' }],
    ports: http,
  });

  it('imports the merged endpoints into one slice without source, and its own Pods into another', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('it is exported', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    merge(fleet, [...fromEast.subsets, ownSubset(fleet)]);
    await fleet.until('both are imported', () => importedSlices(west).length === 2);
    expect(importedSlices(west)).toEqual(['?: 10.96.7.7 http:80', 'west: 10.20.1.5 http:8080']);
    const [merged] = west.server.admin
      .list(EndpointSlice, 'shop')
      .filter(({ metadata }) => metadata.labels?.['multicluster.kubernetes.io/service-name'] === 'cart')
      .filter(({ metadata }) => metadata.labels?.['multicluster.kubernetes.io/source-cluster'] === undefined);
    expect(merged?.metadata.labels).toEqual({
      'kubernetes.io/service-name': 'antrea-mc-cart',
      'multicluster.kubernetes.io/service-name': 'cart',
      'endpointslice.kubernetes.io/managed-by': 'isthmus.dev',
      'app.kubernetes.io/managed-by': 'isthmus',
    });
    await fleet.until('it is told', () => exportCondition(west, 'Ready') === 'True Exported');
  });

  it.each([1, 12])(
    'keeps its endpoints while those of %i imports are lost before the imports: the Namespace is deleted, and with it the token',
    async (count) => {
      await using fleet = await underAntrea();
      const west = fleet.cluster('west');
      west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
      const services = Array.from({ length: count }, (_, at) => ({
        ...cart,
        name: `cart-${at}`,
        ports: http,
        subsets: fromEast.subsets,
      }));
      for (const one of services) putAntreaImports(fleet, one);
      const slices = () =>
        west.server.admin
          .list(EndpointSlice, 'shop')
          .map(({ metadata }) => metadata.uid ?? '')
          .toSorted((a, b) => a.localeCompare(b));
      await fleet.until('all are imported', () => slices().length === count);
      const before = slices();
      const forget = (kind: 'endpoints' | 'service') => {
        for (const { name } of services) fleet.leader.server.admin.delete(ResourceImport, area(`shop-${name}-${kind}`));
      };
      // The token is deleted with the Namespace.
      const accept = fleet
        .link('west-member', 'north')
        .add({ match: () => true, fault: { kind: 'status', code: 401 } });
      forget('endpoints');
      await fleet.clock.advance(10_000);
      expect(slices()).toEqual(before);
      forget('service');
      await fleet.clock.advance(300_000);
      expect(slices()).toEqual(before);
      accept();
      await fleet.until('what nobody exports is dropped', () => slices().length === 0, 300_000);
    },
  );

  it('leads to its own Pods as they change, while its imports are lost and the leader does not accept its token', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('it is exported', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    merge(fleet, [...fromEast.subsets, ownSubset(fleet)]);
    await fleet.until('both are imported', () => importedSlices(west).length === 2);
    fleet.link('west-member', 'north').add({ match: () => true, fault: { kind: 'status', code: 401 } });
    deleteAntreaImports(fleet, cart);
    await fleet.clock.advance(30_000);
    expect(importedSlices(west)).toEqual(['?: 10.96.7.7 http:80', 'west: 10.20.1.5 http:8080']);
    putPod(west, 'cart', '10.20.1.6');
    await fleet.until(
      'the new Pod is used',
      () => importedSlices(west).some((slice) => slice.includes('10.20.1.6')),
      120_000,
    );
  });

  it('withdraws the endpoints of an import that keeps none, once nobody exports them', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    merge(fleet, fromEast.subsets);
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    fleet.leader.server.admin.delete(ResourceImport, area('shop-cart-endpoints'));
    await fleet.until('its endpoints are dropped', () => importedSlices(west).length === 0, 120_000);
    expect(west.server.admin.get(ServiceImport, cart)).toBeDefined();
  });

  it('writes exports that an Antrea leader accepts whole', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('it is exported', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    const found = fleet.leader.server.admin.get(ResourceExport, area('west-shop-cart-endpoints'));
    expect(plainObject(found)).toMatchObject({
      metadata: { finalizers: ['resourceexport.antrea.io/finalizer'] },
      spec: {
        clusterID: 'west',
        kind: 'Endpoints',
        namespace: 'shop',
        name: 'cart',
        endpoints: { subsets: [ownSubset(fleet)] },
      },
    });
    expect(found?.spec?.endpointSlices).toBeUndefined();
  });

  it('does not write what the leader prunes again and again', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('it is exported', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    merge(fleet, [ownSubset(fleet)]);
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    fleet.leader.server.admin.patch(
      MemberClusterAnnounce,
      { namespace: leaderNamespace, name: memberAnnounceName('west') },
      { metadata: { finalizers: [memberAnnounceFinalizer('west')] } },
    );
    await fleet.clock.advance(10_000);
    const writes = recordWrites(fleet);
    for (let i = 0; i < 5; i++) {
      west.server.admin.patch(Service, cart, { metadata: { labels: { touched: `${i}` } } });
      await fleet.clock.advance(1_000);
    }
    west.kill();
    west.start();
    await fleet.clock.advance(30_000);
    expect(writes()).toEqual([]);
    putService(west, [{ name: 'http', protocol: 'TCP', port: 81, targetPort: 8080 }]);
    await fleet.clock.advance(1_000);
    expect(writes().map((line) => line.replace(/.*\/namespaces\/[a-z-]+\//, ''))).toEqual([
      'resourceexports/west-shop-cart-service 200',
      'resourceexports/west-shop-cart-endpoints 200',
    ]);
  });

  it('sends the slices to a leader that takes the place of the Antrea one', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    west.start();
    fleet.join();
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('it is exported', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    merge(fleet, [ownSubset(fleet)]);
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    fleet.leader.start();
    await fleet.until(
      'they are published',
      () =>
        fleet.leader.server.admin.get(ResourceImport, area('shop-cart-endpoints'))?.spec?.endpointSlices !== undefined,
    );
    await fleet.clock.advance(5_000);
    const found = fleet.leader.server.admin.get(ResourceExport, area('west-shop-cart-endpoints'));
    expect(found?.spec?.endpointSlices).toHaveLength(1);
    expect(importedSlices(west)).toEqual(['west: 10.20.1.5 http:8080']);
  });

  it('keeps its own slice when the leader lets only some of its ports through', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', [...httpToPods, { name: 'admin', protocol: 'TCP', port: 9000, targetPort: 9000 }]);
    await fleet.until('it is exported', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    merge(fleet, [ownSubset(fleet)]);
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    expect(importedSlices(west)).toEqual(['west: 10.20.1.5 http:8080']);
  });

  it('reports that the leader refused an export, and why', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('it is exported', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    fleet.leader.server.admin.patch(ResourceExport, area('west-shop-cart-service'), {
      status: {
        conditions: [
          {
            type: 'Failure',
            status: 'False',
            reason: 'ConvergeFailure',
            message: 'ports do not match',
            lastTransitionTime: '2026-11-21T10:00:00Z',
          },
        ],
      },
    });
    await fleet.until('it is told', () => exportCondition(west, 'Ready') === 'False Failed');
    expect(exportMessage(west, 'Ready')).toBe('Leader north rejected the export: ports do not match');
    expect(exportCondition(west, 'Valid')).toBe('True Valid');
  });

  it('withdraws, and the leader releases them when it strips the finalizers', async () => {
    await using fleet = await underAntrea();
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('it is exported', () => admin.list(ResourceExport).length === 2);
    merge(fleet, [ownSubset(fleet)]);
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    unexportService(west);
    await fleet.until('both are being deleted', () =>
      admin.list(ResourceExport).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    );
    deleteAntreaImports(fleet, cart);
    for (const { metadata } of admin.list(ResourceExport)) admin.remove(ResourceExport, metadata);
    await fleet.until('nothing is left', () => isClean(fleet));
  });
});

describe('a member that Antrea served before', () => {
  /** The objects that Antrea's member creates for an import (docs/spec/wire.md §7). */
  function putAntreaMade({ server: { admin } }: VirtualCluster) {
    admin.put(Namespace, { metadata: { name: 'shop' } });
    const annotations = { 'multicluster.antrea.io/imported-service': 'true' };
    const service = admin.put(Service, {
      metadata: { ...derivedCart, annotations },
      spec: { type: 'ClusterIP', ports: http },
    });
    admin.put(Endpoints, {
      metadata: { ...derivedCart, annotations },
      subsets: [{ addresses: [{ ip: '10.96.7.7' }], ports: http }],
    });
    const serviceImport = admin.put(ServiceImport, {
      metadata: { ...cart },
      spec: { type: 'ClusterSetIP', ports: http, ips: [service.spec?.clusterIP ?? ''] },
    });
    return { service, serviceImport };
  }

  it.each([
    ['our leader', (fleet: VirtualFleet) => putAntreaExports(fleet, 'east', fromEast), 'east: 10.96.7.7 http:80'],
    ['an Antrea leader', (fleet: VirtualFleet) => putAntreaImports(fleet, fromEast), '?: 10.96.7.7 http:80'],
  ] as const)(
    'keeps Service, ClusterIP, ports and addresses under %s; the Endpoints go after the slices exist',
    async (_, offer, slices) => {
      await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
      const west = fleet.cluster('west');
      const { admin } = west.server;
      const before = putAntreaMade(west);
      fleet.leader.start();
      fleet.join();
      offer(fleet);
      const order: string[] = [];
      admin.onChange(({ resource, before: was, after }) => {
        if (resource.endsWith('endpointslices') && was === undefined) order.push('slice made');
        if (resource === '/endpoints' && after === undefined) order.push('Endpoints gone');
      });
      west.start();
      await fleet.until('it is taken over', () => admin.get(Endpoints, derivedCart) === undefined);
      await fleet.clock.advance(5_000);
      expect(order).toEqual(['slice made', 'Endpoints gone']);
      const service = admin.get(Service, derivedCart);
      expect(service?.metadata.uid).toBe(before.service.metadata.uid);
      expect(service?.spec).toEqual(before.service.spec);
      expect(service?.metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'isthmus' });
      expect(admin.get(ServiceImport, cart)?.metadata.uid).toBe(before.serviceImport.metadata.uid);
      expect(admin.get(ServiceImport, cart)?.spec?.ips).toEqual(before.serviceImport.spec?.ips);
      expect(importedSlices(west)).toEqual([slices]);
    },
  );

  it('loses the imports that the leader no longer offers', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    putAntreaMade(west);
    for (const cluster of fleet.clusters) cluster.start();
    fleet.join();
    await fleet.until('it is gone', () => west.server.admin.get(Service, derivedCart) === undefined);
    await fleet.until('and its import', () => west.server.admin.get(ServiceImport, cart) === undefined);
  });

  it('keeps Endpoints of the derived name that Antrea did not make', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    putAntreaMade(west);
    west.server.admin.put(Endpoints, { metadata: { ...derivedCart }, subsets: [] });
    for (const cluster of fleet.clusters) cluster.start();
    fleet.join();
    putAntreaExports(fleet, 'east', fromEast);
    await fleet.until('it is taken over', () => importedSlices(west).length === 1);
    await fleet.clock.advance(5_000);
    expect(west.server.admin.get(Endpoints, derivedCart)).toBeDefined();
  });
});

describe('a leader that Antrea served before', () => {
  it('takes the imports over in place, and leaves those that no export matches', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader' }, join: false });
    const { admin } = fleet.leader.server;
    fleet.join();
    putAntreaExports(fleet, 'east', fromEast, 'resourceexport.finalizers.antrea.io');
    putAntreaImports(fleet, { ...fromEast, ports: http });
    putAntreaImports(fleet, { ...fromEast, ports: http, name: 'orphan' });
    const uids = () => admin.list(ResourceImport).map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
    const before = uids();
    fleet.leader.start();
    await fleet.until('there is one per cluster', () => admin.list(ResourceImport).length === 5);
    await fleet.clock.advance(5_000);
    expect(uids()).toEqual(expect.arrayContaining(before));
    const managed = admin
      .list(ResourceImport)
      .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'isthmus')
      .map(({ metadata }) => metadata.name);
    expect(managed).toEqual(['shop-cart-endpoints', 'shop-cart-endpoints.east', 'shop-cart-service']);
    deleteAntreaExports(fleet, 'east', cart);
    await fleet.until('ours go with the export', () => admin.list(ResourceImport).length === 2);
    expect(admin.list(ResourceImport).map(({ metadata }) => metadata.name)).toEqual([
      'shop-orphan-endpoints',
      'shop-orphan-service',
    ]);
  });
});

describe('a leader that is built again from nothing', () => {
  it('gets the exports back, and the oldest stays the oldest', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const { admin } = fleet.leader.server;
    exportCart(west, '10.20.1.5', httpToPods);
    await fleet.until('west is imported', () => importedSlices(west).length === 1);
    await fleet.clock.advance(60_000);
    exportCart(east, '10.10.3.4', [{ name: 'http', protocol: 'TCP', port: 8081, targetPort: 8080 }]);
    await fleet.until('east loses', () => exportCondition(east, 'Conflict') === 'True PortConflict');
    const service = east.server.admin.get(Service, derivedCart);
    const stamps = () =>
      ['east', 'west'].map(
        (name) =>
          admin.get(ResourceImport, area(`shop-cart-endpoints.${name}`))?.metadata.annotations?.[
            'isthmus.dev/first-exported'
          ],
      );
    const before = stamps();
    expect(before).toEqual(['2026-11-21T10:01:00Z', '2026-11-21T10:00:00Z']);
    await fleet.clock.advance(60_000);
    // No controller may watch while the objects disappear, as with a new etcd.
    for (const cluster of fleet.clusters) cluster.kill();
    for (const { metadata } of admin.list(ResourceExport)) admin.remove(ResourceExport, metadata);
    for (const { metadata } of admin.list(ResourceImport)) admin.remove(ResourceImport, metadata);
    for (const { metadata } of admin.list(MemberClusterAnnounce)) admin.remove(MemberClusterAnnounce, metadata);
    fleet.leader.start();
    // East is back first.
    east.start();
    await fleet.clock.advance(10_000);
    west.start();
    await fleet.until(
      'all is back',
      () => admin.list(ResourceImport).length === 4 && importedSlices(west).length === 1,
    );
    await fleet.clock.advance(10_000);
    expect(stamps()).toEqual(before);
    expect(importedPorts(east)).toEqual(['http TCP 80']);
    expect(exportCondition(east, 'Conflict')).toBe('True PortConflict');
    expect(east.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(service?.metadata.uid);
    expect(east.server.admin.get(Service, derivedCart)?.spec?.clusterIP).toBe(service?.spec?.clusterIP);
  });
});
