import { Namespace, ResourceExport, ResourceImport, Service, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { PeerService, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  deleteAntreaExports,
  eventsOf,
  exportCart,
  exportCondition,
  exportMessage,
  exportService,
  importedPorts,
  importedSlices,
  leaderNamespace,
  putAntreaExports,
  putAntreaImports,
  putService,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const http = [{ name: 'http', protocol: 'TCP', port: 80 }];
const serviceOf = (namespace: string, name: string, port = 80): PeerService => ({
  namespace,
  name,
  ports: [{ name: 'http', protocol: 'TCP', port }],
  subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: [{ name: 'http', protocol: 'TCP', port }] }],
});
const area = (name: string) => ({ namespace: leaderNamespace, name });
const loneLeader = () => createVirtualFleet({ clusters: { north: 'leader' } });

const exportNames = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.list(ResourceExport).map(({ metadata }) => metadata.name);
const importNames = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.list(ResourceImport).map(({ metadata }) => metadata.name);
const importSpec = (fleet: VirtualFleet, name: string) =>
  fleet.leader.server.admin.get(ResourceImport, area(name))?.spec;
/** The first condition, which is the one that Antrea reads. */
const verdict = (fleet: VirtualFleet, name: string) => {
  const [first] = fleet.leader.server.admin.get(ResourceExport, area(name))?.status?.conditions ?? [];
  return first === undefined ? 'none' : `${first.type} ${first.status}`;
};
const verdictMessage = (fleet: VirtualFleet, name: string) =>
  fleet.leader.server.admin.get(ResourceExport, area(name))?.status?.conditions?.[0]?.message ?? '';
const errorsOf = (fleet: VirtualFleet) =>
  fleet.clusters.flatMap(({ log }) => log.entries.filter(({ level }) => level === 'error'));

describe('exports in the Common Area', () => {
  it('two deleted Service exports, with the legacy and the new finalizer, are released, and the import is deleted', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx'), 'resourceexport.finalizers.antrea.io');
    putAntreaExports(fleet, 'west', serviceOf('default', 'nginx'));
    await fleet.until('it is merged', () => importNames(fleet).length === 4);
    deleteAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    deleteAntreaExports(fleet, 'west', serviceOf('default', 'nginx'));
    await fleet.until('all is gone', () => importNames(fleet).length + exportNames(fleet).length === 0, 2_000);
  });

  it('a new Service export gives an import of kind ServiceImport', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    await fleet.until('it is merged', () => importSpec(fleet, 'default-nginx-service') !== undefined, 1_000);
    expect(importSpec(fleet, 'default-nginx-service')).toEqual({
      kind: 'ServiceImport',
      namespace: 'default',
      name: 'nginx',
      serviceImport: { spec: { type: 'ClusterSetIP', ports: http } },
    });
  });

  it('a new Endpoints export beside it gives an import with its subsets', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    await fleet.until('it is merged', () => importSpec(fleet, 'default-nginx-endpoints') !== undefined, 1_000);
    expect(importSpec(fleet, 'default-nginx-endpoints')).toEqual({
      kind: 'Endpoints',
      namespace: 'default',
      name: 'nginx',
      endpoints: { subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: http }] },
      endpointSlices: [],
    });
    expect(['service', 'endpoints'].map((kind) => verdict(fleet, `east-default-nginx-${kind}`))).toEqual([
      'Succeeded True',
      'Succeeded True',
    ]);
  });

  it('endpoints that came before their Service are merged as soon as it comes', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    const { admin } = fleet.leader.server;
    const service = admin.get(ResourceExport, area('east-default-nginx-service'));
    admin.remove(ResourceExport, area('east-default-nginx-service'));
    await fleet.clock.advance(600_000);
    expect(importNames(fleet)).toEqual([]);
    expect(verdictMessage(fleet, 'east-default-nginx-endpoints')).toBe(
      'Waiting for the Service export of cluster east',
    );
    if (service === undefined) throw new Error('the export was put');
    admin.put(ResourceExport, { metadata: { ...service.metadata, uid: undefined }, spec: service.spec });
    await fleet.until('both are merged', () => importNames(fleet).length === 3, 100);
    await fleet.until('and told', () => verdict(fleet, 'east-default-nginx-endpoints') === 'Succeeded True', 100);
  });

  it('a Service whose endpoints do not come is published after a second, without any', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    fleet.leader.server.admin.remove(ResourceExport, area('east-default-nginx-endpoints'));
    await fleet.clock.advance(900);
    expect(importNames(fleet)).toEqual([]);
    await fleet.until('it is published', () => importNames(fleet).includes('default-nginx-service'), 1_000);
    expect(importSpec(fleet, 'default-nginx-endpoints')?.endpoints).toEqual({ subsets: [] });
  });

  it('a merge that changes only a status writes it once', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'west', serviceOf('default', 'nginx', 80));
    await fleet.until('it is merged', () => importNames(fleet).length === 3);
    await fleet.clock.advance(2_000);
    const writes = recordWrites(fleet);
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx', 81));
    await fleet.clock.advance(30_000);
    expect(writes().map((line) => line.replace(/.*\/namespaces\/antrea-multicluster\//, ''))).toEqual([
      'resourceimports 201',
      'resourceexports/east-default-nginx-endpoints/status 200',
      'resourceexports/east-default-nginx-service/status 200',
      'resourceexports/west-default-nginx-service/status 200',
    ]);
  });

  it('k exporters that come at once cost one rewrite of each import', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'first', serviceOf('default', 'nginx'));
    await fleet.until('it is merged', () => importNames(fleet).length === 3);
    await fleet.clock.advance(2_000);
    const writes = recordWrites(fleet);
    for (let i = 0; i < 20; i++) putAntreaExports(fleet, `c${i}`, serviceOf('default', 'nginx'));
    await fleet.clock.advance(30_000);
    expect(writes().filter((line) => line.includes('PATCH') && line.includes('/resourceimports/'))).toHaveLength(1);
  });
});

describe('malformed exports', () => {
  const good = serviceOf('default', 'nginx');
  const labels = { sourceClusterID: 'evil', sourceNamespace: 'default', sourceName: 'nginx', sourceKind: 'Service' };

  it('a Service or Endpoints export without payload fails with the reason, and the others are merged', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    putAntreaExports(fleet, 'east', good);
    putAntreaExports(fleet, 'evil', good);
    admin.patch(ResourceExport, area('evil-default-nginx-service'), { spec: { service: null } });
    admin.patch(ResourceExport, area('evil-default-nginx-endpoints'), { spec: { endpoints: null } });
    await fleet.until('it is merged', () => importNames(fleet).length === 3);
    await fleet.until('evil is told', () => verdict(fleet, 'evil-default-nginx-endpoints') === 'Failure False');
    expect(verdict(fleet, 'evil-default-nginx-service')).toBe('Failure False');
    expect(verdictMessage(fleet, 'evil-default-nginx-service')).toMatch(/spec\.service\.serviceSpec is missing/);
    expect(verdictMessage(fleet, 'evil-default-nginx-endpoints')).toMatch(/spec\.endpoints is missing/);
    expect(errorsOf(fleet)).toEqual([]);
  });

  it('a merge leaves out an empty payload and a second export of one cluster', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    putAntreaExports(fleet, 'east', good);
    putAntreaExports(fleet, 'west', good);
    admin.patch(ResourceExport, area('west-default-nginx-endpoints'), { spec: { endpoints: null } });
    // The same cluster again, under a name that does not follow from its spec.
    admin.put(ResourceExport, {
      metadata: { ...area('east-again'), labels: { ...labels, sourceClusterID: 'east' } },
      spec: {
        clusterID: 'east',
        kind: 'Endpoints',
        namespace: 'default',
        name: 'nginx',
        endpoints: { subsets: [{ addresses: [{ ip: '10.99.9.9' }], ports: http }] },
      },
    });
    await fleet.clock.advance(5_000);
    expect(importSpec(fleet, 'default-nginx-endpoints')?.endpoints).toEqual({
      subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: http }],
    });
    expect(verdict(fleet, 'east-again')).toBe('Failure False');
    expect(verdictMessage(fleet, 'east-again')).toMatch(/the name must be east-default-nginx-endpoints/);
  });

  it.each([
    ['no spec', undefined],
    ['a kind that nobody knows', { clusterID: 'evil', kind: 'Nonsense', namespace: 'default', name: 'nginx' }],
    ['no kind', { clusterID: 'evil', namespace: 'default', name: 'nginx', service: { serviceSpec: { ports: http } } }],
    ['no Namespace', { clusterID: 'evil', kind: 'Service', name: 'nginx', service: { serviceSpec: { ports: http } } }],
    [
      'a name that is none',
      { clusterID: 'evil', kind: 'Service', namespace: 'default', name: '../nginx', service: { serviceSpec: {} } },
    ],
    [
      'no cluster ID',
      { kind: 'Service', namespace: 'default', name: 'nginx', service: { serviceSpec: { ports: http } } },
    ],
    [
      "another cluster's ID",
      { clusterID: 'east', kind: 'Service', namespace: 'default', name: 'nginx', service: { serviceSpec: {} } },
    ],
  ])('with %s harm nobody else, and can be deleted', async (_, spec) => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    admin.put(ResourceExport, {
      metadata: { ...area('evil-default-nginx-service'), labels, finalizers: ['resourceexport.antrea.io/finalizer'] },
      spec,
    });
    putAntreaExports(fleet, 'east', good);
    await fleet.until('the other one is merged', () => importNames(fleet).length === 3);
    await fleet.clock.advance(60_000);
    expect(importNames(fleet)).toEqual([
      'default-nginx-endpoints',
      'default-nginx-endpoints.east',
      'default-nginx-service',
    ]);
    expect(errorsOf(fleet)).toEqual([]);
    admin.delete(ResourceExport, area('evil-default-nginx-service'));
    await fleet.until('it is gone', () => exportNames(fleet).length === 2, 2_000);
    await fleet.clock.advance(5_000);
    expect(importNames(fleet)).toHaveLength(3);
  });

  it('of kinds that this leader does not serve can be deleted', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    admin.put(ResourceExport, {
      metadata: { ...area('east-clusterinfo'), finalizers: ['resourceexport.antrea.io/finalizer'] },
      spec: { clusterID: 'east', kind: 'ClusterInfo', name: 'east', namespace: 'kube-system' },
    });
    await fleet.clock.advance(1_000);
    admin.delete(ResourceExport, area('east-clusterinfo'));
    await fleet.until('it is gone', () => exportNames(fleet).length === 0, 2_000);
  });

  it('with ports and addresses that cannot be are merged without them, and it is reported to the exporter', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'east', {
      ...good,
      subsets: [{ addresses: [{ ip: '127.0.0.1' }, { ip: 'localhost' }, { ip: '10.99.0.1' }], ports: http }],
    });
    await fleet.until('it is merged', () => importNames(fleet).length === 3);
    expect(importSpec(fleet, 'default-nginx-endpoints')?.endpoints?.subsets).toEqual([
      { addresses: [{ ip: '10.99.0.1' }], ports: http },
    ]);
    await fleet.until('it is told', () => verdictMessage(fleet, 'east-default-nginx-service') !== '');
    expect(verdictMessage(fleet, 'east-default-nginx-service')).toMatch(/127\.0\.0\.1/);
  });
});

describe('names that meet', () => {
  const [webApi, api] = [serviceOf('prod', 'web-api', 80), serviceOf('prod-web', 'api', 81)];

  it('of Antrea members: the second Service is published under a name with a dot, and keeps it when the first is gone', async () => {
    await using fleet = await loneLeader();
    putAntreaExports(fleet, 'east', webApi);
    await fleet.until('the first is merged', () => importNames(fleet).length === 3);
    await fleet.clock.advance(1_000);
    const { admin } = fleet.leader.server;
    const before = admin.get(ResourceImport, area('prod-web-api-service'));
    putAntreaExports(fleet, 'west', api);
    await fleet.until('the second is merged', () => verdict(fleet, 'west-prod-web-api-service') === 'Succeeded True');
    expect(verdictMessage(fleet, 'west-prod-web-api-service')).toMatch(
      /^Published as ResourceImport prod-web\.api-service, because another Service had the name prod-web-api-service/,
    );
    const second = admin.get(ResourceImport, area('prod-web.api-service'));
    expect(second?.spec).toMatchObject({ namespace: 'prod-web', name: 'api' });
    // Antrea members read this import, by its spec.
    expect(importSpec(fleet, 'prod-web.api-endpoints')?.endpoints?.subsets).toEqual(api.subsets);
    await fleet.clock.advance(10_000);
    expect(admin.get(ResourceImport, area('prod-web-api-service'))).toBe(before);
    deleteAntreaExports(fleet, 'east', webApi);
    await fleet.until('the first is gone', () => importNames(fleet).length === 3);
    fleet.leader.kill();
    fleet.leader.start();
    await fleet.clock.advance(30_000);
    expect(admin.get(ResourceImport, area('prod-web.api-service'))).toBe(second);
    deleteAntreaExports(fleet, 'west', api);
    await fleet.until('all is gone', () => importNames(fleet).length + exportNames(fleet).length === 0, 2_000);
    putAntreaExports(fleet, 'west', api);
    await fleet.until('it has the usual name', () => importSpec(fleet, 'prod-web-api-service')?.name === 'api');
  });

  it('a ResourceImport that nobody exported is left alone and reported', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    const foreign = admin.put(ResourceImport, {
      metadata: area('default-nginx-service'),
      spec: { kind: 'ServiceImport', namespace: 'other', name: 'thing' },
    });
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    await fleet.until('it is told', () => verdict(fleet, 'east-default-nginx-service') === 'Failure False');
    expect(verdictMessage(fleet, 'east-default-nginx-service')).toBe(
      'ResourceImport default-nginx-service exists and was not created by this leader. Delete it, or export the Service under another name.',
    );
    expect(importNames(fleet)).toEqual(['default-nginx-service']);
    expect(admin.get(ResourceImport, area('default-nginx-service'))).toBe(foreign);
    admin.delete(ResourceImport, area('default-nginx-service'));
    await fleet.until('it is merged', () => importNames(fleet).length === 3, 2_000);
    await fleet.until('and told', () => verdict(fleet, 'east-default-nginx-service') === 'Succeeded True', 2_000);
  });

  it('an export that is deleted leaves the import of another Service in place', async () => {
    await using fleet = await loneLeader();
    const { admin } = fleet.leader.server;
    const foreign = admin.put(ResourceImport, {
      metadata: area('default-nginx-service'),
      spec: { kind: 'ServiceImport', namespace: 'other', name: 'thing' },
    });
    putAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    await fleet.until('it is told', () => verdict(fleet, 'east-default-nginx-service') === 'Failure False');
    deleteAntreaExports(fleet, 'east', serviceOf('default', 'nginx'));
    await fleet.until('the export is gone', () => exportNames(fleet).length === 0, 2_000);
    await fleet.clock.advance(5_000);
    expect(admin.get(ResourceImport, area('default-nginx-service'))).toBe(foreign);
  });

  it('of two clusters: prod/web-api and prod-web/api are both served, and neither loses anything when the other goes', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    for (const name of ['prod', 'prod-web'])
      for (const { server } of [east, west]) server.admin.put(Namespace, { metadata: { name } });
    putService(east, webApi.ports, { namespace: 'prod', name: 'web-api' });
    exportService(east, webApi);
    await fleet.until('the older is imported', () => importedPorts(west, webApi).length === 1);
    await fleet.clock.advance(1_000);
    putService(west, api.ports, { namespace: 'prod-web', name: 'api' });
    exportService(west, api);
    await fleet.until('the younger is imported', () => importedPorts(east, api).join() === 'http TCP 81');
    expect(exportMessage(west, 'Ready', api)).toContain('Published as ResourceImport prod-web.api-service');
    expect(exportCondition(west, 'Ready', api)).toBe('True Exported');
    expect(exportCondition(east, 'Ready', webApi)).toBe('True Exported');
    const imported = () => east.server.admin.get(Service, { namespace: 'prod-web', name: 'antrea-mc-api' });
    const before = imported()?.metadata.uid;
    unexportService(east, webApi);
    await fleet.until('the older is gone', () => west.server.admin.get(ServiceImport, webApi) === undefined, 1_000);
    for (const cluster of fleet.clusters) {
      cluster.kill();
      cluster.start();
    }
    await fleet.clock.advance(60_000);
    expect([imported()?.metadata.uid, importedPorts(east, api).join()]).toEqual([before, 'http TCP 81']);
    expect(importNames(fleet).filter((name) => !name.startsWith('prod-web.api-'))).toEqual([]);
  });

  it('of cluster IDs east and east-1 are kept apart where they can be, and reported where not', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', east: 'member', 'east-1': 'member' },
    });
    const [east, east1] = [fleet.cluster('east'), fleet.cluster('east-1')];
    exportCart(east, '10.20.1.5', http);
    exportCart(east1, '10.30.1.5', http);
    await fleet.until('both are served', () => importedSlices(east).length === 2 && importedSlices(east1).length === 2);
    // east-1-shop-cart-service is the name for cluster east-1, Namespace shop, and for cluster
    // east, Namespace 1-shop.
    const clash = { namespace: '1-shop', name: 'cart' };
    putService(east, http, clash);
    exportService(east, clash);
    await fleet.until('east is told', () => exportCondition(east, 'Ready', clash) === 'False Failed');
    expect(exportMessage(east, 'Ready', clash)).toBe(
      'ResourceExport east-1-shop-cart-service on leader north already belongs to shop/cart of cluster east-1: both have the same name there. Use another name for one of the two Services or Namespaces.',
    );
    await fleet.clock.advance(5_000);
    expect(importedSlices(east1)).toHaveLength(2);
    expect(exportCondition(east1, 'Ready')).toBe('True Exported');

    // As after a crash of east between the two withdrawals of its export, when east-1 has taken the
    // name: the cluster with the Service export gets both.
    const { admin } = fleet.leader.server;
    const name = 'east-1-shop-cart-endpoints';
    const held = admin.get(ResourceExport, { namespace: leaderNamespace, name });
    for (const one of [east, east1]) one.kill();
    admin.put(ResourceExport, {
      metadata: {
        ...held?.metadata,
        name,
        namespace: leaderNamespace,
        labels: { ...held?.metadata.labels, sourceClusterID: 'east', sourceNamespace: '1-shop' },
      },
      spec: { ...held?.spec, clusterID: 'east', namespace: '1-shop' },
    });
    for (const one of [east, east1]) one.start();
    await fleet.until(
      'both halves belong to east-1',
      () => admin.get(ResourceExport, { namespace: leaderNamespace, name })?.spec?.clusterID === 'east-1',
      125_000,
    );
    await fleet.until('it is exported', () => exportCondition(east1, 'Ready') === 'True Exported', 65_000);
    unexportService(east1);
    await fleet.until(
      'east has the name then',
      () => exportCondition(east, 'Ready', clash) === 'True Exported',
      65_000,
    );
  });

  it('in slices: Service cart of cluster east-1 and Service cart-east of cluster 1', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', west: 'member' },
      endpointIPType: 'PodIP',
    });
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    putAntreaExports(fleet, 'east-1', serviceOf('shop', 'cart'));
    putAntreaExports(fleet, '1', serviceOf('shop', 'cart-east'));
    const other = { namespace: 'shop', name: 'cart-east' };
    await fleet.until(
      'both are imported',
      () => importedSlices(west).length + importedSlices(west, other).length === 2,
    );
    expect(importedSlices(west)).toEqual(['east-1: 10.99.0.1 http:80']);
    expect(importedSlices(west, other)).toEqual(['1: 10.99.0.1 http:80']);
  });
});

describe('malformed imports', () => {
  const spoiled: readonly (readonly [string, string, unknown])[] = [
    ['no spec', 'shop-cart-service', { spec: null }],
    ['no payload', 'shop-cart-service', { spec: { serviceImport: null } }],
    ['a payload without spec', 'shop-cart-service', { spec: { serviceImport: { spec: null } } }],
    ['a kind that nobody knows', 'shop-cart-service', { spec: { kind: 'Nonsense' } }],
    ['another Service in it', 'shop-cart-service', { spec: { name: 'other' } }],
    ['a Namespace that is none', 'shop-cart-service', { spec: { namespace: '../shop' } }],
    ['no ports', 'shop-cart-service', { spec: { serviceImport: { spec: { ports: [] } } } }],
    [
      'a port number that is none',
      'shop-cart-service',
      { spec: { serviceImport: { spec: { ports: [{ name: 'http', port: 0 }] } } } },
    ],
    [
      'a port twice',
      'shop-cart-service',
      { spec: { serviceImport: { spec: { ports: [...http, { name: 'web', port: 80 }] } } } },
    ],
    [
      'a session affinity that is none',
      'shop-cart-service',
      { spec: { serviceImport: { spec: { sessionAffinity: 'Nonsense' } } } },
    ],
    ['no endpoints', 'shop-cart-endpoints', { spec: { endpoints: null } }],
    [
      'addresses that are none',
      'shop-cart-endpoints',
      { spec: { endpoints: { subsets: [{ addresses: [{ ip: 'nonsense' }, { ip: '127.0.0.1' }], ports: http }] } } },
    ],
    [
      'endpoint ports that meet',
      'shop-cart-endpoints',
      {
        spec: {
          endpoints: { subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: [...http, { name: 'http', port: 81 }] }] },
        },
      },
    ],
    [
      'an endpoint port of an unknown protocol',
      'shop-cart-endpoints',
      {
        spec: {
          endpoints: {
            subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: [{ name: 'http', port: 80, protocol: 'NONE' }] }],
          },
        },
      },
    ],
  ];

  it.each(spoiled)('with %s harm nobody else and no import that exists', async (_, name, patch) => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', west: 'member' },
      endpointIPType: 'PodIP',
    });
    fleet.leader.kill();
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    const other = serviceOf('shop', 'other');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    putAntreaImports(fleet, serviceOf('shop', 'cart'));
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    const before = west.server.admin.get(ServiceImport, cart);
    admin.patch(ResourceImport, area(name), patch);
    putAntreaImports(fleet, other);
    await fleet.until('the other one is imported', () => importedSlices(west, other).length === 1);
    await fleet.clock.advance(10_000);
    expect(errorsOf(fleet)).toEqual([]);
    const after = west.server.admin.get(ServiceImport, cart);
    // Withdrawn if the import no longer belongs to this Service; otherwise unchanged.
    if (after !== undefined) expect(after.spec).toEqual(before?.spec);
  });

  it('report it on the ServiceImport that exists, and are used when they are valid again', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', west: 'member' },
      endpointIPType: 'PodIP',
    });
    fleet.leader.kill();
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    putAntreaImports(fleet, serviceOf('shop', 'cart'));
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    const ready = () => conditionOf(west.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');
    admin.patch(ResourceImport, area('shop-cart-service'), { spec: { serviceImport: { spec: { ports: [] } } } });
    await fleet.until('it says so', () => ready()?.reason === 'InvalidResourceImport', 5_000);
    expect(ready()?.message).toMatch(/^ResourceImport shop-cart-service has no port\. The existing import is kept/);
    expect(importedSlices(west)).toHaveLength(1);
    expect(west.server.admin.get(ServiceImport, cart)?.status?.endpointSliceObjects).toBe('Present');
    putAntreaImports(fleet, serviceOf('shop', 'cart', 81));
    await fleet.until('it is well', () => ready()?.status === 'True');
    expect(importedPorts(west)).toEqual(['http TCP 81']);
  });

  it('report it on the ClusterSet where nothing exists yet', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', west: 'member' },
      endpointIPType: 'PodIP',
    });
    fleet.leader.kill();
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    fleet.leader.server.admin.put(ResourceImport, {
      metadata: area('shop-cart-service'),
      spec: { kind: 'ServiceImport', namespace: 'shop', name: 'cart' },
    });
    await fleet.until('it says so', () => eventsOf(west).length === 1, 5_000);
    expect(eventsOf(west)[0]).toMatch(
      /^InvalidResourceImport ClusterSet\/fleet: ResourceImport shop-cart-service has no spec\.serviceImport\.spec\./,
    );
    expect(west.server.admin.get(ServiceImport, cart)).toBeUndefined();
  });

  it('with endpoints that cannot be are imported without them, and the ServiceImport names which', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', west: 'member' },
      endpointIPType: 'PodIP',
    });
    fleet.leader.kill();
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    const addresses = ['10.99.0.1', '127.0.0.1', '169.254.169.254', '0.0.0.0', '224.0.0.5'].map((ip) => ({ ip }));
    putAntreaImports(fleet, { ...serviceOf('shop', 'cart'), subsets: [{ addresses, ports: http }] });
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    expect(importedSlices(west)).toEqual(['?: 10.99.0.1 http:80']);
    const ready = conditionOf(west.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');
    expect(ready?.status).toBe('True');
    expect(ready?.message).toMatch(/^Imported without parts that cannot be used here: .*127\.0\.0\.1.*\(and 3 more\)/);
  });
});
