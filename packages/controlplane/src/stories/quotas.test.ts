import {
  KnownCluster,
  Label,
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
  eventsOf,
  exportCart,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { fleetUnderAntrea } from '../testing/antrea-networks.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const three = { north: 'leader', east: 'member', west: 'member' } as const;

/** Exports Services of west without its controller, as its token allows. */
function exportServices(fleet: VirtualFleet, namespace: string, names: readonly string[]): void {
  fleet.cluster('west').kill();
  for (const name of names)
    for (const kind of ['Service', 'Endpoints'] as const) {
      const endpoints = {
        subsets: [{ addresses: [{ ip: '10.20.1.1' }], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] }],
      };
      fleet.leader.server.admin.put(ResourceExport, {
        metadata: {
          name: `west-${namespace}-${name}-${kind.toLowerCase()}`,
          namespace: leaderNamespace,
          labels: {
            [Label.sourceClusterID]: 'west',
            [Label.sourceKind]: kind,
            [Label.sourceName]: name,
            [Label.sourceNamespace]: namespace,
          },
          finalizers: ['resourceexport.finalizers.antrea.io'],
        },
        spec: {
          clusterID: 'west',
          kind,
          name,
          namespace,
          ...(kind === 'Service'
            ? { service: { serviceSpec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }], type: 'ClusterIP' } } }
            : { endpoints }),
        },
      });
    }
}

const namesOf = (count: number) => Array.from({ length: count }, (_, n) => `s${String(n).padStart(3, '0')}`);
const importsIn = ({ server }: VirtualCluster) =>
  server.admin.list(Service).filter(({ metadata }) => metadata.name.startsWith('antrea-mc-'));
const statusOn = ({ server }: VirtualCluster, name = 's000') =>
  server.admin.get(ResourceExport, { namespace: leaderNamespace, name: `west-shop-${name}-service` })?.status
    ?.conditions;

describe('a cluster that exports 100 Services into one with a range of 62 addresses', () => {
  it('gets a quarter of the free ones: tenants there can create Services, and exporter and importer report it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, serviceCIDRs: { east: '10.97.0.0/26' } });
    const east = fleet.cluster('east');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportServices(fleet, 'shop', namesOf(100));
    await fleet.until('east imports some', () => importsIn(east).length >= 15, 60_000);
    await fleet.clock.advance(35_000);
    expect(importsIn(east).length).toBe(15);
    for (let n = 0; n < 40; n++)
      east.server.admin.put(Service, {
        metadata: { name: `own-${n}`, namespace: 'shop' },
        spec: { ports: [{ port: 80 }] },
      });
    expect(eventsOf(east).join('\n')).toContain('OverQuota');
    const failed = () =>
      namesOf(100).flatMap((name) => conditionOf(statusOn(fleet.leader, name), 'ImportFailed')?.message ?? []);
    await fleet.until('the exporter reads it', () => failed().length > 0, 60_000);
    expect(failed()[0]).toContain('a quarter of the 62 addresses');
  });
});

describe('a quota of a KnownCluster', () => {
  it('is the number of Services that a member imports of the cluster, until an administrator raises it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    const quota = (services: number) =>
      east.server.admin.put(KnownCluster, {
        metadata: { name: 'west', namespace: memberNamespace },
        spec: { clusterID: 'west', quotas: { services } },
      });
    quota(3);
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    await fleet.clock.advance(5_000);
    exportServices(fleet, 'shop', namesOf(10));
    await fleet.clock.advance(30_000);
    expect(importsIn(east).length).toBe(3);
    quota(5);
    await fleet.clock.advance(60_000);
    expect(importsIn(east).length).toBe(5);
    quota(1);
    await fleet.clock.advance(60_000);
    expect(importsIn(east).length, 'what is imported stays').toBe(5);
  });
});

describe('a quota of a KnownCluster', () => {
  it('is not used up by Services of Namespaces that the importer does not have', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    east.server.admin.put(KnownCluster, {
      metadata: { name: 'west', namespace: memberNamespace },
      spec: { clusterID: 'west', quotas: { services: 3 } },
    });
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    await fleet.clock.advance(5_000);
    exportServices(fleet, 'elsewhere', namesOf(10));
    await fleet.clock.advance(10_000);
    exportServices(fleet, 'shop', namesOf(3));
    await fleet.clock.advance(10_000);
    expect(importsIn(east).length).toBe(3);
  });
});

describe('a Namespace that is denied to a cluster', () => {
  it('is not published by the leader, which names the entry that denies it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    for (const name of ['openshift-dns', 'kube-system']) east.server.admin.put(Namespace, { metadata: { name } });
    exportServices(fleet, 'openshift-dns', ['dns']);
    exportServices(fleet, 'kube-system', ['metrics']);
    await fleet.clock.advance(30_000);
    expect(importsIn(east).map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)).toEqual([
      'kube-system/antrea-mc-metrics',
    ]);
    const name = 'west-openshift-dns-dns-service';
    const [condition] =
      fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name })?.status?.conditions ?? [];
    expect(condition?.message).toContain('Namespace openshift-dns: openshift* is denied');
  });

  it('stays published if it is denied later, and the exporter reads it', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(west, '10.20.1.1', http);
    east.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    await fleet.until('east imports it', () => importedSlices(east).length > 0);
    fleet.leader.server.admin.put(KnownCluster, {
      metadata: { name: 'west', namespace: leaderNamespace },
      spec: { clusterID: 'west', namespaces: { deny: [cart.namespace] } },
    });
    const told = () => conditionOf(west.server.admin.get(ServiceExport, cart)?.status?.conditions, 'Ready')?.message;
    await fleet.until('west reads it', () => told()?.includes('Kept as published before') === true, 30_000);
    expect(told()).toContain('may not export Services of Namespace shop: shop is denied');
    expect(importedSlices(east)).not.toEqual([]);
  });

  it('keeps what is imported of it, and that is reported', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    exportCart(fleet.cluster('west'), '10.20.1.1', http);
    east.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    await fleet.until('east imports it', () => importedSlices(east).length > 0);
    const before = importsIn(east).map(({ metadata }) => metadata.uid);
    east.server.admin.put(KnownCluster, {
      metadata: { name: 'west', namespace: memberNamespace },
      spec: { clusterID: 'west', namespaces: { deny: [cart.namespace] } },
    });
    const message = () => conditionOf(east.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready')?.message;
    await fleet.until('it is reported', () => message()?.includes('is denied') === true, 30_000);
    expect(importsIn(east).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(importedSlices(east)).not.toEqual([]);
    const told = () =>
      conditionOf(fleet.cluster('west').server.admin.get(ServiceExport, cart)?.status?.conditions, 'ImportFailed');
    await fleet.until('the exporter reads it', () => told()?.message?.includes('(NamespaceDenied)') === true, 60_000);
  });
});

describe('an export that changes twenty times a second', () => {
  it('causes at most thirty writes a minute in each cluster, and another export arrives as fast as ever', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportServices(fleet, 'shop', ['flaps', 'quiet']);
    await fleet.until('both are imported', () => importsIn(east).length === 2);
    await fleet.clock.advance(10_000);
    const { admin } = fleet.leader.server;
    const change = (name: string, ip: string) =>
      admin.patch(
        ResourceExport,
        { namespace: leaderNamespace, name: `west-shop-${name}-endpoints` },
        {
          spec: {
            endpoints: { subsets: [{ addresses: [{ ip }], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] }] },
          },
        },
      );
    const writes = recordWrites(fleet);
    for (let n = 0; n < 400; n++) {
      change('flaps', `10.20.${n >> 8}.${n & 255}`);
      await fleet.clock.advance(50);
    }
    const ofMerge = writes().filter((line) => line.includes('resourceimports') && line.includes('flaps'));
    const ofSlices = writes().filter((line) => line.includes('endpointslices') && line.includes('flaps'));
    expect(ofMerge.length).toBeGreaterThan(5);
    expect(Math.max(ofMerge.length, ofSlices.length)).toBeLessThanOrEqual(30);
    change('quiet', '10.20.9.9');
    await fleet.until(
      'the other one arrives',
      () => importedSlices(east, { namespace: 'shop', name: 'quiet' }).join().includes('10.20.9.9'),
      1_000,
    );
    expect(admin.list(ResourceImport).length).toBeGreaterThan(0);
  });

  it('of which a leader publishes each change is imported at growing intervals, and its last change within seconds', async () => {
    await using fleet = await fleetUnderAntrea(['east', 'west']);
    for (const name of ['east', 'west']) fleet.cluster(name).start('member');
    const east = fleet.cluster('east');
    east.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    exportCart(fleet.cluster('west'), '10.20.1.1');
    await fleet.until('it is imported', () => importedSlices(east).length > 0, 20_000);
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: 'shop-cart-endpoints' };
    const change = (ip: string) =>
      admin.patch(ResourceImport, ref, {
        spec: { endpoints: { subsets: [{ addresses: [{ ip }], ports: [{ port: 8080, protocol: 'TCP' }] }] } },
      });
    const writes = recordWrites(fleet);
    for (let n = 0; n < 400; n++) {
      change(`10.20.${n >> 8}.${n & 255}`);
      await fleet.clock.advance(50);
    }
    const ofSlices = writes().filter((line) => line.startsWith('east ') && line.includes('endpointslices'));
    expect(ofSlices.length).toBeGreaterThan(5);
    expect(ofSlices.length).toBeLessThanOrEqual(30);
    change('10.20.9.9');
    await fleet.until('the last one arrives', () => importedSlices(east).join().includes('10.20.9.9'), 5_000);
  });

  it('is withdrawn within five seconds when an administrator of the importer refuses its cluster', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const east = fleet.cluster('east');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportServices(fleet, 'shop', ['flaps']);
    const slices = () => importedSlices(east, { namespace: 'shop', name: 'flaps' });
    await fleet.until('it is imported', () => slices().length > 0);
    const { admin } = fleet.leader.server;
    for (let n = 0; n < 400; n++) {
      for (const { metadata, spec } of admin.list(ResourceImport, leaderNamespace))
        if (spec?.kind === 'Endpoints')
          admin.patch(ResourceImport, metadata, { metadata: { annotations: { n: `${n}` } } });
      await fleet.clock.advance(50);
    }
    east.server.admin.put(KnownCluster, {
      metadata: { name: 'west', namespace: memberNamespace },
      spec: { clusterID: 'west', state: 'Refused' },
    });
    await fleet.until('it is gone', () => slices().length === 0, 5_500);
  });
});
