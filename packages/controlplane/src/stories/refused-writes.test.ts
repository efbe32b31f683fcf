import { Namespace, Service, ServiceImport } from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  eventsOf,
  exportCart,
  importedSlices,
  putAntreaImports,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const http = [{ name: 'http', protocol: 'TCP', port: 80 }];
const offered = { ...cart, ports: http, subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: http }] };

const ready = (cluster: VirtualCluster) =>
  conditionOf(cluster.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');
const isReady = (cluster: VirtualCluster) => `${ready(cluster)?.status ?? 'none'} ${ready(cluster)?.reason ?? ''}`;
const rejected = (cluster: VirtualCluster) => eventsOf(cluster).filter((event) => event.startsWith('WriteRejected '));
const writesTo = (plural: string) => (request: ApiRequest) =>
  request.method !== 'GET' && request.path.includes(`/namespaces/shop/${plural}`);

async function fleetWithShop(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member' }, endpointIPType: 'PodIP' });
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  return fleet;
}

/**
 * From now on the API server of east answers writes of these objects with `code`, until the
 * returned function is called.
 */
const refuse = (fleet: VirtualFleet, plural: string, code: number) =>
  fleet.link('east-member', 'east').add({ match: writesTo(plural), fault: { kind: 'status', code } });

describe('a write of an import that the own API server rejects', () => {
  it.each([
    ['at once where the answer is final', 403],
    ['after three seconds where it could have passed', 500],
  ])('is reported on the ServiceImport %s, and imported when that is corrected', async (_, code) => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    const allow = refuse(fleet, 'services', code);
    putAntreaImports(fleet, offered);
    await fleet.until('it is reported', () => isReady(east) === 'False WriteRejected', 5_000);
    expect(ready(east)?.message).toMatch(
      /^The API server of this cluster rejects a write of the import: .*services.* Correct the admission policy, the quota or the role/,
    );
    expect(rejected(east)).toEqual([expect.stringMatching(/^WriteRejected ServiceImport\/cart: /)]);
    allow();
    await fleet.until(
      'it is imported',
      () => isReady(east) === 'True Ready' && importedSlices(east).length === 1,
      15_000,
    );
  });

  it('is reported on the ClusterSet where there is no ServiceImport', async () => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    const allow = refuse(fleet, 'serviceimports', 403);
    putAntreaImports(fleet, offered);
    await fleet.until('it is reported', () => rejected(east).length === 1, 5_000);
    expect(rejected(east)[0]).toMatch(new RegExp(`^WriteRejected ClusterSet/${clusterSetName}: .*serviceimports`));
    allow();
    await fleet.until('it is imported', () => isReady(east) === 'True Ready', 15_000);
  });

  it('is reported where only slices are rejected, and the import is not Ready', async () => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    const allow = refuse(fleet, 'endpointslices', 403);
    putAntreaImports(fleet, offered);
    await fleet.until('it is reported', () => isReady(east) === 'False WriteRejected', 5_000);
    expect(ready(east)?.message).toContain('endpointslices');
    allow();
    await fleet.until(
      'it is imported',
      () => isReady(east) === 'True Ready' && importedSlices(east).length === 1,
      15_000,
    );
  });

  it.each([
    ['a role', 403],
    ['an admission policy', 422],
  ])(
    'is reported where %s denies a change of a slice: the old endpoints stay, and the import is not Ready',
    async (_, code) => {
      await using fleet = await fleetWithShop();
      const east = fleet.cluster('east');
      putAntreaImports(fleet, offered);
      await fleet.until('it is imported', () => isReady(east) === 'True Ready' && importedSlices(east).length === 1);
      const before = importedSlices(east);
      const allow = refuse(fleet, 'endpointslices', code);
      putAntreaImports(fleet, { ...offered, subsets: [{ addresses: [{ ip: '10.99.0.2' }], ports: http }] });
      await fleet.until('it is reported', () => isReady(east) === 'False WriteRejected', 5_000);
      expect(ready(east)?.message).toMatch(/endpointslices.* Correct the admission policy, the quota or the role/);
      expect(importedSlices(east)).toEqual(before);
      allow();
      await fleet.until('it is mended', () => isReady(east) === 'True Ready', 15_000);
      expect(importedSlices(east)[0]).toContain('10.99.0.2');
    },
  );

  it('is reported where the removal of a withdrawn import is rejected: it is not Ready any more, and goes when that is corrected', async () => {
    await using fleet = await createVirtualFleet({
      clusters: { north: 'leader', east: 'member', west: 'member' },
      endpointIPType: 'PodIP',
    });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    exportCart(west, '10.20.1.5');
    await fleet.until('it is imported', () => isReady(east) === 'True Ready' && importedSlices(east).length === 1);
    const denyDeletes = (plural: string) =>
      fleet.link('east-member', 'east').add({
        match: ({ method, path }) => method === 'DELETE' && path.includes(`/namespaces/shop/${plural}`),
        fault: { kind: 'status', code: 422 },
      });
    const [allow, allowRest] = [denyDeletes('serviceimports'), denyDeletes('services')];
    unexportService(west);
    await fleet.until('the import is not Ready', () => isReady(east) === 'False WriteRejected', 5_000);
    expect(ready(east)?.message).toMatch(/delete serviceimports.* shop\/cart.* Correct the admission policy/);
    expect(rejected(east)).toEqual([expect.stringMatching(/^WriteRejected ServiceImport\/cart: /)]);
    allow();
    await fleet.until(
      'the rest is reported on the ClusterSet',
      () => rejected(east).some((event) => event.startsWith(`WriteRejected ClusterSet/${clusterSetName}: `)),
      15_000,
    );
    allowRest();
    await fleet.until('all is gone', () => east.server.admin.get(Service, derivedCart) === undefined, 15_000);
    expect(importedSlices(east)).toEqual([]);
  });

  it('leaves the Service of an import as it is when a change of it is rejected', async () => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', () => isReady(east) === 'True Ready');
    const before = east.server.admin.get(Service, derivedCart)?.spec;
    const ips = east.server.admin.get(ServiceImport, cart)?.spec?.ips;
    const allow = refuse(fleet, 'services', 422);
    const more = [...http, { name: 'admin', protocol: 'TCP', port: 81 }];
    putAntreaImports(fleet, { ...offered, ports: more, subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: more }] });
    await fleet.until('it is reported', () => isReady(east) === 'False WriteRejected', 5_000);
    expect(east.server.admin.get(Service, derivedCart)?.spec).toEqual(before);
    expect(east.server.admin.get(ServiceImport, cart)?.spec?.ips).toEqual(ips);
    allow();
    await fleet.until('it is imported', () => isReady(east) === 'True Ready', 15_000);
    expect(east.server.admin.get(Service, derivedCart)?.spec?.ports).toHaveLength(2);
  });

  it('does not report one failure that passes', async () => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    fleet
      .link('east-member', 'east')
      .add({ match: writesTo('services'), fault: { kind: 'status', code: 500 }, times: 1 });
    putAntreaImports(fleet, offered);
    await fleet.until('it is imported', () => isReady(east) === 'True Ready');
    expect(rejected(east)).toEqual([]);
  });
});
