import {
  EndpointSlice,
  Event,
  Label,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
  managedByIsthmus,
} from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportCart, exportCondition, leaderNamespace } from '@isthmus/fleet-sim';
import { checksAllPoints, sweepRuns } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

/** A member, and a leader whose controller is the test. */
async function fleetWithLiar(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, endpointIPType: 'PodIP' });
  fleet.leader.kill();
  fleet.cluster('west').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  return fleet;
}

interface Offer {
  readonly namespace?: string;
  readonly name?: string;
  readonly type?: 'ClusterSetIP' | 'Headless';
  readonly ports?: readonly { readonly name?: string; readonly port: number; readonly protocol?: string }[];
  readonly addresses?: readonly string[];
}

const http = [{ name: 'http', port: 80, protocol: 'TCP' }];

function offer(
  fleet: VirtualFleet,
  { namespace = 'shop', name = 'cart', type = 'ClusterSetIP', ports = http, addresses = ['10.66.0.1'] }: Offer,
): void {
  const { admin } = fleet.leader.server;
  const labels = { [Label.managedBy]: managedByIsthmus };
  admin.put(ResourceImport, {
    metadata: {
      name: `${namespace}-${name}-endpoints.evil`,
      namespace: leaderNamespace,
      labels: { ...labels, [Label.sourceClusterID]: 'evil' },
    },
    spec: {
      kind: 'EndpointSlices',
      namespace,
      name,
      endpointSlices: [{ addressType: 'IPv4', endpoints: addresses.map((ip) => ({ addresses: [ip] })), ports }],
    },
  });
  admin.put(ResourceImport, {
    metadata: { name: `${namespace}-${name}-service`, namespace: leaderNamespace, labels },
    spec: { kind: 'ServiceImport', namespace, name, serviceImport: { spec: { type, ports } } },
  });
}

const derivedOf = (cluster: VirtualCluster, name = 'cart', namespace = 'shop') =>
  cluster.server.admin.get(Service, { namespace, name: `antrea-mc-${name}` });

describe('a hostile leader', () => {
  it('cannot have a Service imported that each cluster has for itself', async () => {
    await using fleet = await fleetWithLiar();
    offer(fleet, { namespace: 'kube-system', name: 'kube-dns' });
    offer(fleet, { namespace: 'default', name: 'kubernetes' });
    offer(fleet, { namespace: 'kube-system', name: 'other' });
    const west = fleet.cluster('west');
    await fleet.until('another one is imported', () => derivedOf(west, 'other', 'kube-system') !== undefined);
    await fleet.clock.advance(60_000);
    expect(west.server.admin.list(ServiceImport).map(({ metadata }) => metadata.name)).toEqual(['other']);
  });

  it('gets nothing of the local Services of a Namespace, kube-system included', async () => {
    await using fleet = await fleetWithLiar();
    const { admin } = fleet.cluster('west').server;
    const dns = { namespace: 'kube-system', name: 'dns' };
    admin.put(Service, {
      metadata: dns,
      spec: { ports: [{ name: 'dns', protocol: 'UDP', port: 53 }], selector: { app: 'dns' } },
    });
    admin.put(EndpointSlice, {
      metadata: { ...dns, labels: { [Label.serviceName]: dns.name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.20.0.53'] }],
    });
    const before = [admin.get(Service, dns), admin.get(EndpointSlice, dns)];
    offer(fleet, dns);
    offer(fleet, { namespace: 'kube-system', name: 'antrea-mc-dns' });
    await fleet.until(
      'it is imported under its prefix',
      () => derivedOf(fleet.cluster('west'), 'dns', 'kube-system') !== undefined,
    );
    await fleet.clock.advance(5_000);
    expect([admin.get(Service, dns), admin.get(EndpointSlice, dns)]).toEqual(before);
    const ours = admin
      .list(EndpointSlice, 'kube-system')
      .filter(({ metadata }) => metadata.labels?.[Label.managedBy] === managedByIsthmus);
    expect(ours.map(({ metadata }) => metadata.labels?.[Label.serviceName])).not.toContain('dns');
    fleet.leader.server.admin.remove(ResourceImport, {
      namespace: leaderNamespace,
      name: 'kube-system-dns-service',
    });
    fleet.leader.server.admin.remove(ResourceImport, {
      namespace: leaderNamespace,
      name: 'kube-system-antrea-mc-dns-service',
    });
    await fleet.until('the imports are gone', () => admin.list(ServiceImport, 'kube-system').length === 0);
    expect([admin.get(Service, dns), admin.get(EndpointSlice, dns)]).toEqual(before);
  });

  it.runIf(checksAllPoints())(
    'that wavers ends in what it wrote last, and costs Events of a bounded number',
    async () => {
      await using fleet = await fleetWithLiar();
      const west = fleet.cluster('west');
      const turns = sweepRuns(200, { oneIn: 2 });
      for (let turn = 0; turn < turns; turn++) {
        offer(fleet, {
          type: turn % 2 === 0 ? 'Headless' : 'ClusterSetIP',
          ports:
            turn % 3 === 0
              ? [
                  { name: 'http', port: 80 },
                  { name: 'http', port: 81 },
                ]
              : http,
          addresses: [turn % 5 === 0 ? '127.0.0.1' : '10.66.0.1'],
        });
        await fleet.clock.advance(turn % 20);
      }
      offer(fleet, {});
      await fleet.clock.advance(30_000);
      const service = derivedOf(west);
      expect(service?.spec?.clusterIP).toMatch(/^10\.97\./);
      const imported = west.server.admin.get(ServiceImport, { namespace: 'shop', name: 'cart' });
      expect(imported?.spec?.ips).toEqual([service?.spec?.clusterIP]);
      const slices = west.server.admin
        .list(EndpointSlice, 'shop')
        .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === service?.metadata.uid);
      expect(slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))).toEqual([
        '10.66.0.1',
      ]);
      expect(west.server.admin.list(EndpointSlice, 'shop')).toHaveLength(slices.length);
      expect(west.server.admin.list(Event).length).toBeLessThanOrEqual(60);
    },
  );

  it('whose one slice this API server refuses does not hold up the slices of other clusters', async () => {
    await using fleet = await fleetWithLiar();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'west').add({
      match: ({ method, body = '' }) => method !== 'GET' && body.includes('10.66.0.1'),
      fault: { kind: 'status', code: 422, field: 'endpoints[0].addresses[0]' },
    });
    const good = (ip: string) =>
      fleet.leader.server.admin.put(ResourceImport, {
        metadata: {
          name: 'shop-cart-endpoints.good',
          namespace: leaderNamespace,
          labels: { [Label.sourceClusterID]: 'good' },
        },
        spec: {
          kind: 'EndpointSlices',
          namespace: 'shop',
          name: 'cart',
          endpointSlices: [{ addressType: 'IPv4', endpoints: [{ addresses: [ip] }], ports: http }],
        },
      });
    good('10.30.0.1');
    offer(fleet, {});
    const addresses = () =>
      west.server.admin
        .list(EndpointSlice, 'shop')
        .flatMap(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses));
    await fleet.until('the good one is there', () => addresses().join() === '10.30.0.1', 5_000);
    good('10.30.0.2');
    await fleet.until('and follows', () => addresses().join() === '10.30.0.2', 5_000);
    const ready = west.server.admin.get(ServiceImport, { namespace: 'shop', name: 'cart' })?.status?.conditions?.[0];
    expect(ready?.status).toBe('True');
  });

  it.each([
    ['of any length', 'Whatever', 'x'.repeat(700_000)],
    ['with a reason that is none', 'not a reason!', 'ports differ'],
  ])('whose answer is %s is reported on the ServiceExport all the same', async (_, reason, message) => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', west: 'member' },
      endpointIPType: 'PodIP',
    });
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    exportCart(west, '10.20.1.5');
    await fleet.until('it is exported', () => exportCondition(west, 'Ready') === 'True Exported');
    fleet.leader.kill();
    for (const object of admin.list(ResourceExport)) {
      const conditions = [
        { type: 'Failure', status: 'False', reason, message },
        { type: 'Conflict', status: 'True', reason, message },
      ] as const;
      admin.put(ResourceExport, { ...object, status: { conditions } });
    }
    await fleet.until('it failed', () => exportCondition(west, 'Ready') === 'False Failed', 10_000);
    expect(exportCondition(west, 'Conflict')).toMatch(/^True (Whatever|Conflict)$/);
  });
});
