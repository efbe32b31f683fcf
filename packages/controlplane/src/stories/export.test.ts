import {
  EndpointSlice,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  eastPorts,
  exportCart,
  exportCondition,
  exportMessage,
  exportService,
  importedPorts,
  importedSlices,
  isClean,
  leaderNamespace,
  putPod,
  putService,
  recordWrites,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', west: 'member' } as const;
const three = { north: 'leader', east: 'member', west: 'member' } as const;

const exportsOf = (fleet: VirtualFleet) => fleet.leader.server.admin.list(ResourceExport, leaderNamespace);
const exportNames = (fleet: VirtualFleet) => exportsOf(fleet).map(({ metadata }) => metadata.name);
const serviceExport = (fleet: VirtualFleet, name = 'west-shop-cart-service') =>
  fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name })?.spec?.service?.serviceSpec;
const endpointsExport = (fleet: VirtualFleet, name = 'west-shop-cart-endpoints') =>
  fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name })?.spec;

/** Addresses and ports of an Endpoints export in the form that every peer reads. */
const subsets = (fleet: VirtualFleet, name?: string) =>
  (endpointsExport(fleet, name)?.endpoints?.subsets ?? []).map(
    ({ addresses = [], ports = [] }) =>
      `${addresses.map(({ ip }) => ip).join(',')} ${ports.map((port) => `${port.name}:${port.port}`).join(',')}`,
  );
const exported = (cluster: VirtualCluster) => () => exportCondition(cluster, 'Ready') === 'True Exported';

const http = (port: number) => [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }];

describe('exporting a Service in ClusterIP mode', () => {
  it('creates two exports, and Valid is True', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    expect(exportNames(fleet)).toEqual(['west-shop-cart-endpoints', 'west-shop-cart-service']);
    expect(exportCondition(west, 'Valid')).toBe('True Valid');
    expect(exportCondition(west, 'Conflict')).toBe('False NoConflicts');
  });

  it('labels the exports with the source, and exports the ClusterIP', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    expect(exportsOf(fleet).map(({ metadata }) => metadata.labels?.['sourceKind'])).toEqual(['Endpoints', 'Service']);
    expect(subsets(fleet)).toEqual([`${west.server.admin.get(Service, cart)?.spec?.clusterIP} http:80,metrics:9090`]);
  });

  it('carries a changed port into both exports', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    putService(west, http(8080));
    await fleet.until('the exports follow', () => subsets(fleet).join().endsWith(' http:8080'));
    expect(serviceExport(fleet)?.ports).toEqual(http(8080));
    expect(subsets(fleet)).toEqual([`${west.server.admin.get(Service, cart)?.spec?.clusterIP} http:8080`]);
    await fleet.until('the import follows', () => importedPorts(west).join() === 'http TCP 8080');
  });

  it('follows the ports of the Service, added and removed', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    putService(west, westPorts);
    await fleet.until('two ports', () => importedPorts(west).join() === 'http TCP 80,metrics TCP 9090');
    putService(west, westPorts.slice(1));
    await fleet.until('one port', () => importedPorts(west).join() === 'metrics TCP 9090');
    expect(subsets(fleet).join()).toMatch(/ metrics:9090$/);
  });

  it('writes nothing when a Service or a slice changes in what others cannot see', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    west.server.admin.patch(Service, cart, { metadata: { labels: { team: 'shop' } } });
    west.server.admin.patch(ServiceExport, cart, { metadata: { labels: { team: 'shop' } } });
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  it('keeps the export, the import and its ClusterIP while no endpoint is ready', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    await fleet.until('east has imported', () => importedSlices(east).length === 1);
    const before = east.server.admin.get(Service, derivedCart);
    putPod(west, 'cart-1', '10.20.1.5', { ready: false });
    await fleet.until('the endpoints are gone', () => importedSlices(east).length === 0);
    await fleet.clock.advance(60_000);
    expect(exportNames(fleet)).toHaveLength(2);
    expect(endpointsExport(fleet)).toMatchObject({ endpoints: { subsets: [] }, endpointSlices: [] });
    expect(exportCondition(west, 'Ready')).toBe('True Exported');
    expect(exportMessage(west, 'Ready')).toMatch(
      /none of its endpoints is ready\. Check the Pods and EndpointSlices of Service shop\/cart\.$/,
    );
    expect(east.server.admin.get(ServiceImport, cart)?.spec?.ips).toEqual([before?.spec?.clusterIP]);
    const reported = () => {
      const ready = conditionOf(east.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');
      return `${ready?.status} ${ready?.message}`;
    };
    expect(reported()).toMatch(
      /^False The Service is imported, but none of its endpoints is ready, so calls fail\. .* kubectl describe serviceexport cart -n shop$/,
    );
    // A restart without the leader does not change the report either.
    fleet.link('east-member', 'north').cut('refuse');
    east.kill();
    east.start();
    await fleet.clock.advance(30_000);
    expect(reported()).toMatch(/none of its endpoints is ready/);
    fleet.link('east-member', 'north').heal();
    putPod(west, 'cart-1', '10.20.1.5');
    await fleet.until('the endpoints are back', () => importedSlices(east).length === 1);
    await fleet.until(
      'it is reported',
      () => reported().startsWith('False Calls to endpoints in west time out'),
      5_000,
    );
    expect(east.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(before?.metadata.uid);
  });

  it('empties the slices of an import whose last endpoint goes, within 2 s, and keeps its address', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    await fleet.until('east has imported', () => importedSlices(east).length === 1);
    const ips = east.server.admin.get(ServiceImport, cart)?.spec?.ips;
    putPod(west, 'cart-1', '10.20.1.5', { app: 'another' });
    await fleet.until('no endpoint is left', () => importedSlices(east).length === 0, 2_000);
    expect(east.server.admin.get(ServiceImport, cart)?.spec?.ips).toEqual(ips);
  });
});

describe('exporting a Service in PodIP mode', () => {
  it('creates two exports with the ready Pods, and Valid is True', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    putPod(west, 'cart-2', '10.20.2.7');
    putPod(west, 'cart-3', '10.20.3.9', { ready: false });
    await fleet.until('west has exported', () => subsets(fleet).join('|').includes('10.20.2.7'));
    await fleet.until('and is told so', exported(west));
    expect(exportCondition(west, 'Valid')).toBe('True Valid');
    expect(subsets(fleet)).toEqual(['10.20.1.5,10.20.2.7 http:8080,metrics:9090']);
    expect(endpointsExport(fleet)?.endpointSlices).toMatchObject([
      {
        endpoints: [
          { addresses: ['10.20.1.5'], conditions: { ready: true } },
          { addresses: ['10.20.2.7'], conditions: { ready: true } },
          { addresses: ['10.20.3.9'], conditions: { ready: false } },
        ],
      },
    ]);
  });

  it('carries a changed port into both exports, with the addresses of the Pods', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    putService(west, [{ name: 'http', protocol: 'TCP', port: 8081, targetPort: 9999 }]);
    await fleet.until('the endpoints follow', () => subsets(fleet).join() === '10.20.1.5 http:9999');
    expect(serviceExport(fleet)?.ports?.map(({ port }) => port)).toEqual([8081]);
  });

  it('does not write when the same endpoints come in another order', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    putPod(west, 'cart-2', '10.20.2.7');
    await fleet.until('both are exported', () => subsets(fleet).join().startsWith('10.20.1.5,10.20.2.7'));
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    const [slice] = west.server.admin
      .list(EndpointSlice, 'shop')
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'cart');
    if (slice === undefined) throw new Error('the Service has no slice');
    west.server.admin.put(EndpointSlice, {
      ...slice,
      endpoints: (slice.endpoints ?? []).toReversed(),
      ports: (slice.ports ?? []).toReversed(),
    });
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  it('rewrites its exports when the controller restarts in the other mode', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    west.kill('member');
    west.start('member', { endpointIPType: 'PodIP' });
    await fleet.until('the Pods are exported', () => subsets(fleet).join() === '10.20.1.5 http:8080,metrics:9090');
  });
});

describe('exporting a headless Service', () => {
  it('imports it headless, with the Pods of both clusters, in ClusterIP mode too', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    for (const [name, ip] of [
      ['east', '10.10.3.4'],
      ['west', '10.20.1.5'],
    ] as const) {
      const cluster = fleet.cluster(name);
      cluster.server.admin.put(Namespace, { metadata: { name: 'shop' } });
      cluster.server.admin.put(Service, {
        metadata: { ...cart },
        spec: { clusterIP: 'None', selector: { app: 'cart' }, ports: http(80) },
      });
      putPod(cluster, 'cart-1', ip);
      exportService(cluster);
    }
    await fleet.until('both are imported in both', () =>
      ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 2),
    );
    for (const name of ['east', 'west']) {
      const cluster = fleet.cluster(name);
      expect(importedSlices(cluster)).toEqual(['east: 10.10.3.4 http:8080', 'west: 10.20.1.5 http:8080']);
      expect(cluster.server.admin.get(Service, derivedCart)?.spec?.clusterIP).toBe('None');
      expect(cluster.server.admin.get(ServiceImport, cart)?.spec).toMatchObject({ type: 'Headless' });
      expect(cluster.server.admin.get(ServiceImport, cart)?.spec?.ips).toBeUndefined();
    }
  });

  it('imports one without ports too, in the exporting cluster as in the others', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    west.server.admin.put(Service, { metadata: { ...cart }, spec: { clusterIP: 'None', selector: { app: 'cart' } } });
    putPod(west, 'cart-1', '10.20.1.5');
    exportService(west);
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    await fleet.until('it is imported', () => importedSlices(east).join() === 'west: 10.20.1.5 ');
    await fleet.until('at home too', () => importedSlices(west).join() === 'west: 10.20.1.5 ');
  });

  it('writes nothing more once it is imported', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    putService(west, http(80), { namespace: 'shop', name: 'other' });
    west.server.admin.put(Service, {
      metadata: { ...cart },
      spec: { clusterIP: 'None', selector: { app: 'cart' }, ports: http(80) },
    });
    putPod(west, 'cart-1', '10.20.1.5');
    exportService(west);
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    west.kill('member');
    west.start('member');
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  it('becomes headless, and back, where the Service does', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    const remake = (clusterIP: string | undefined) => {
      west.server.admin.delete(Service, cart);
      west.server.admin.put(Service, {
        metadata: { ...cart },
        spec: { clusterIP, selector: { app: 'cart' }, ports: http(80) },
      });
    };
    const type = () => west.server.admin.get(ServiceImport, cart)?.spec?.type;
    remake('None');
    await fleet.until('it is headless', () => type() === 'Headless' && importedSlices(west).length === 1);
    expect(west.server.admin.get(Service, derivedCart)?.spec?.clusterIP).toBe('None');
    remake(undefined);
    await fleet.until('it has an address', () => type() === 'ClusterSetIP' && importedSlices(west).length === 1);
    expect(west.server.admin.get(ServiceImport, cart)?.spec?.ips).toEqual([
      west.server.admin.get(Service, derivedCart)?.spec?.clusterIP,
    ]);
  });
});

describe('a ServiceExport that cannot be served', () => {
  it('reports that there is no Service, and exports it when it is created', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportService(west);
    await fleet.until('west is told', () => exportCondition(west, 'Valid') === 'False NoService');
    expect(exportMessage(west, 'Valid')).toBe(
      'Service does not exist. Create Service shop/cart, or delete this ServiceExport.',
    );
    expect(exportCondition(west, 'Ready')).toBe('False Failed');
    expect(exportNames(fleet)).toEqual([]);
    putService(west, westPorts);
    await fleet.until('it is exported', exported(west));
  });

  it('withdraws both exports when the ServiceExport is deleted', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    unexportService(west);
    await fleet.until('everything is withdrawn', () => isClean(fleet));
  });

  it('withdraws both exports when the ServiceExport was deleted while no controller ran', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    west.kill('member');
    unexportService(west);
    west.start('member');
    await fleet.until('everything is withdrawn', () => isClean(fleet));
  });

  it('withdraws both exports when the Service is deleted, and reports why', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    west.server.admin.delete(Service, cart);
    await fleet.until('everything is withdrawn', () => isClean(fleet));
    expect(exportCondition(west, 'Valid')).toBe('False NoService');
    expect(exportMessage(west, 'Valid')).toBe(
      'Service does not exist. Create Service shop/cart, or delete this ServiceExport.',
    );
    expect(exportCondition(west, 'Conflict')).toBe('none');
  });

  it('reports of an ExternalName that it is not supported', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    west.server.admin.put(Service, {
      metadata: { ...cart },
      spec: { type: 'ExternalName', externalName: 'example.com' },
    });
    exportService(west);
    await fleet.until('west is told', () => exportCondition(west, 'Valid') === 'False InvalidServiceType');
    expect(exportMessage(west, 'Valid')).toBe(
      'Service of ExternalName type is not supported. Give Service shop/cart another type, or delete this ServiceExport.',
    );
    expect(exportNames(fleet)).toEqual([]);
  });

  it('withdraws a Service that becomes an ExternalName', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    west.server.admin.delete(Service, cart);
    west.server.admin.put(Service, {
      metadata: { ...cart },
      spec: { type: 'ExternalName', externalName: 'example.com' },
    });
    await fleet.until('everything is withdrawn', () => isClean(fleet));
    expect(exportCondition(west, 'Valid')).toBe('False InvalidServiceType');
  });

  it('withdraws an exported Service that is marked as imported afterwards', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has exported', exported(west));
    west.server.admin.patch(Service, cart, {
      metadata: { annotations: { 'multicluster.antrea.io/imported-service': 'true' } },
    });
    await fleet.until('everything is withdrawn', () => isClean(fleet));
    expect(exportCondition(west, 'Valid')).toBe('False ImportedService');
  });

  it('refuses to export what was imported, and leaves the import as it is', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    await fleet.until('east has imported', () => importedSlices(east).length === 1);
    exportService(east, derivedCart);
    await fleet.until('east is told', () => exportCondition(east, 'Valid', derivedCart) === 'False ImportedService');
    await fleet.clock.advance(10_000);
    expect(exportMessage(east, 'Valid', derivedCart)).toMatch(
      /^Service shop\/antrea-mc-cart was imported from the ClusterSet; .* Delete this ServiceExport; /,
    );
    expect(exportNames(fleet)).toEqual(['west-shop-cart-endpoints', 'west-shop-cart-service']);
    expect(importedSlices(east)).toHaveLength(1);
  });

  it('reports on the ServiceExport that a name of more than 53 characters cannot be imported', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const [fits, long] = [53, 54].map((length) => ({ namespace: 'shop', name: 'a'.repeat(length) }));
    if (fits === undefined || long === undefined) throw new Error('two names');
    for (const ref of [fits, long]) {
      putService(west, http(80), ref);
      exportService(west, ref);
    }
    await fleet.until('west is told', () => exportCondition(west, 'Ready', long) === 'False Failed');
    await fleet.until('the shorter one is imported', () => importedPorts(west, fits).length === 1);
    expect(exportMessage(west, 'Ready', long)).toMatch(/at most 53 characters/);
    expect(exportsOf(fleet).filter(({ spec }) => spec?.name === long.name)).toEqual([]);
  });

  it('adopts an existing export of the same Service', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const ref = { namespace: leaderNamespace, name: 'west-shop-cart-service' };
    west.kill();
    fleet.leader.server.admin.put(ResourceExport, {
      metadata: {
        ...ref,
        finalizers: ['resourceexport.finalizers.antrea.io'],
        labels: { sourceClusterID: 'west', sourceNamespace: 'shop', sourceName: 'cart', sourceKind: 'Service' },
      },
      spec: {
        clusterID: 'west',
        kind: 'Service',
        namespace: 'shop',
        name: 'cart',
        service: { serviceSpec: { ports: http(1234) } },
      },
    });
    exportCart(west, '10.20.1.5', http(80));
    west.start();
    await fleet.until('the import has the port of today', () => importedPorts(west).join() === 'http TCP 80');
    expect(fleet.leader.server.admin.get(ResourceExport, ref)?.metadata.finalizers).toContain(
      'resourceexport.finalizers.antrea.io',
    );
    unexportService(west);
    await fleet.until('everything is withdrawn', () => isClean(fleet));
  });

  it('withdraws once, leaves the export alone while the leader releases it, and exports again when it is gone', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    fleet.leader.kill();
    const writes = recordWrites(fleet);
    const toLeader = () => writes().filter((line) => line.includes('/resourceexports'));
    unexportService(west);
    await fleet.clock.advance(5_000);
    putService(west, http(81));
    exportService(west);
    await fleet.clock.advance(60_000);
    const path = '/apis/multicluster.crd.antrea.io/v1alpha1/namespaces/antrea-multicluster/resourceexports';
    // First the mark, then the deletion.
    expect(toLeader()).toEqual(
      ['service', 'endpoints'].flatMap((kind) =>
        ['PATCH', 'DELETE'].map((method) => `north ${method} ${path}/west-shop-cart-${kind} 200`),
      ),
    );
    expect(exportMessage(west, 'Ready')).toMatch(
      /^Waiting for leader north to accept the export: .*its controller has not/,
    );
    fleet.leader.start();
    await fleet.until('the new one is exported', exported(west));
    expect(serviceExport(fleet)?.ports).toEqual(http(81));
  });
});

describe('what wakes an export', () => {
  it('a Service that changes wakes the export of its Namespace and name', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    await fleet.clock.advance(30_000);
    putService(west, http(81));
    await fleet.until('the export follows at once', () => serviceExport(fleet)?.ports?.[0]?.port === 81, 100);
  });

  it('a slice wakes the export that its service-name label names', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const west = fleet.cluster('west');
    exportCart(west, 'none', http(80));
    await fleet.until('west has exported', exported(west));
    await fleet.clock.advance(30_000);
    west.server.admin.put(EndpointSlice, {
      metadata: { name: 'by-hand', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'cart' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.20.9.9'] }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    });
    await fleet.until('the export follows at once', () => subsets(fleet).join() === '10.20.9.9 http:8080', 100);
  });

  it('a slice without the label wakes and changes nothing', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, endpointIPType: 'PodIP' });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    west.server.admin.put(EndpointSlice, {
      metadata: { name: 'nobodys', namespace: 'shop' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.20.9.9'] }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    });
    await fleet.clock.advance(30_000);
    expect(writes()).toEqual([]);
    expect(west.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('several exporters', () => {
  it('unite the other ports of a second exporter, and report the conflict to both', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5', westPorts);
    await fleet.until('west has exported', exported(west));
    fleet.clock.jump(1_000);
    exportCart(east, '10.10.3.4', eastPorts);
    await fleet.until('the union', () => importedPorts(west).join() === 'http TCP 80,metrics TCP 9090,admin TCP 9000');
    for (const cluster of [east, west]) {
      await fleet.until('both know', () => exportCondition(cluster, 'Conflict') === 'True PortConflict');
    }
  });

  it('give an import with the endpoints of both', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    exportCart(fleet.cluster('west'), '10.20.1.5');
    exportCart(fleet.cluster('east'), '10.10.3.4');
    await fleet.until('the union of subsets', () => mergedSubsets(fleet).length === 2);
    const clusterIP = (name: string) => fleet.cluster(name).server.admin.get(Service, cart)?.spec?.clusterIP;
    expect(mergedSubsets(fleet)).toEqual([clusterIP('east'), clusterIP('west')]);
  });

  it('shrink the endpoints and keep the Service import when one of two withdraws', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    exportCart(fleet.cluster('west'), '10.20.1.5');
    exportCart(fleet.cluster('east'), '10.10.3.4');
    await fleet.until('the union of subsets', () => mergedSubsets(fleet).length === 2);
    const uid = importNamed(fleet, 'shop-cart-service')?.metadata.uid;
    unexportService(fleet.cluster('west'));
    await fleet.until('one is left', () => mergedSubsets(fleet).length === 1);
    await fleet.clock.advance(10_000);
    expect(importNamed(fleet, 'shop-cart-service')?.metadata.uid).toBe(uid);
    expect(importNamed(fleet, 'shop-cart-endpoints.west')).toBeUndefined();
  });

  it('leave no import when both withdraw', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    exportCart(fleet.cluster('west'), '10.20.1.5');
    exportCart(fleet.cluster('east'), '10.10.3.4');
    await fleet.until('the union of subsets', () => mergedSubsets(fleet).length === 2);
    unexportService(fleet.cluster('west'));
    unexportService(fleet.cluster('east'));
    await fleet.until('nothing is left', () => isClean(fleet));
  });

  it('serve the loser of a port conflict as soon as the winner leaves', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    await fleet.clock.advance(1_000);
    exportCart(east, '10.10.3.4', http(8081));
    await fleet.until('east loses', () => exportCondition(east, 'Conflict') === 'True PortConflict');
    await fleet.clock.advance(120_000);
    unexportService(west);
    await fleet.until('east is served at once', () => importedPorts(west).join() === 'http TCP 8081', 1_000);
    await fleet.until('and told so', () => exportCondition(east, 'Conflict') === 'False NoConflicts', 1_000);
  });

  it('show a port conflict on the ServiceExports of both, with the clusters and what is not used', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has exported', exported(west));
    await fleet.clock.advance(1_000);
    exportCart(east, '10.10.3.4', http(8081));
    for (const cluster of [east, west]) {
      await fleet.until('both know', () => exportCondition(cluster, 'Conflict') === 'True PortConflict');
      expect(exportMessage(cluster, 'Conflict')).toBe(
        "Port http is TCP 80 in west (exported first) and TCP 8081 in east; east's endpoints are not used for it. To resolve it, make them the same in every exporting cluster: kubectl -n shop edit service cart",
      );
    }
  });

  it('see no conflict in another order of ports', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.5', westPorts);
    await fleet.until('west has exported', exported(west));
    exportCart(east, '10.10.3.4', westPorts.toReversed());
    await fleet.until('east has exported', exported(east));
    await fleet.until('no conflict', () => exportCondition(east, 'Conflict') === 'False NoConflicts');
    await fleet.until('both are served', () => importedSlices(west).length === 2);
  });

  it('serve three members, each with its own Pods and the addresses of the others', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', east: 'member', south: 'member', west: 'member' },
    });
    const members = ['east', 'south', 'west'];
    for (const [index, name] of members.entries()) exportCart(fleet.cluster(name), `10.${index + 1}0.1.1`, http(80));
    await fleet.until('all are served everywhere', () =>
      members.every((name) => importedSlices(fleet.cluster(name)).length === 3),
    );
    const ip = (name: string) => fleet.cluster(name).server.admin.get(Service, cart)?.spec?.clusterIP;
    expect(importedSlices(fleet.cluster('south'))).toEqual([
      `east: ${ip('east')} http:80`,
      'south: 10.20.1.1 http:8080',
      `west: ${ip('west')} http:80`,
    ]);
  });
});

const importNamed = (fleet: VirtualFleet, name: string) =>
  fleet.leader.server.admin.get(ResourceImport, { namespace: leaderNamespace, name });
const mergedSubsets = (fleet: VirtualFleet) =>
  (importNamed(fleet, 'shop-cart-endpoints')?.spec?.endpoints?.subsets ?? []).flatMap(({ addresses = [] }) =>
    addresses.map(({ ip }) => ip),
  );
