import type { ServiceSpec } from '@isthmus/api';
import { EndpointSlice, Namespace, ResourceExport, Service, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportCondition,
  importedSlices,
  leaderNamespace,
  putPod,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { expect, it } from 'vitest';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

/**
 * East has only IPv4, south and west have both families. West exports `shop/cart` with these
 * `families` in its Service.
 */
async function fleetOf(
  families: Pick<ServiceSpec, 'ipFamilies' | 'ipFamilyPolicy' | 'clusterIP'>,
): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', south: 'member', west: 'member' },
    serviceCIDRs: { south: '10.110.0.0/16,fd00:110::/112', west: '10.111.0.0/16,fd00:111::/112' },
  });
  for (const name of ['east', 'south']) fleet.cluster(name).server.admin.put(Namespace, { metadata: { name: 'shop' } });
  const west = fleet.cluster('west');
  west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
  west.server.admin.put(Service, {
    metadata: { ...cart },
    spec: { selector: { app: 'cart' }, ports: http, ...families },
  });
  putPod(west, 'cart-6', 'fd00:20::5');
  exportCart(west, families.ipFamilies?.length === 1 ? 'none' : '10.20.1.5', http);
  return fleet;
}

/** All objects of the import exist; calls need gateways, which these clusters do not have. */
const isWhole = 'False NoDataPlane';
const ready = (cluster: VirtualCluster) => {
  const found = conditionOf(cluster.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready');
  return found === undefined ? 'none' : `${found.status} ${found.reason}`;
};
const imported = (cluster: VirtualCluster) => {
  const { ipFamilies, clusterIPs } = cluster.server.admin.get(Service, derivedCart)?.spec ?? {};
  const slices = cluster.server.admin
    .list(EndpointSlice, cart.namespace)
    .filter(({ metadata }) => metadata.name.startsWith('antrea-mc-'))
    .map(({ addressType }) => addressType);
  return {
    service: ipFamilies,
    addresses: clusterIPs?.length,
    import: cluster.server.admin.get(ServiceImport, cart)?.spec?.ipFamilies,
    slices: slices.toSorted(),
  };
};

it('a Service of IPv6 alone has an IPv6 address where a cluster supports it, and the reason where it does not', async () => {
  await using fleet = await fleetOf({ ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
  const [east, south] = [fleet.cluster('east'), fleet.cluster('south')];
  await fleet.until('south has imported it', () => importedSlices(south).length === 1);
  await fleet.until('east reports why not', () => ready(east) === 'False IPFamilyNotSupported', 5_000);
  await fleet.clock.advance(30_000);
  expect(ready(south)).toBe(isWhole);
  expect(imported(south).slices).toEqual(['IPv6']);
  expect(imported(south).service).toContain('IPv6');
  expect(imported(south).import).toEqual(imported(south).service);
  expect(ready(east)).toBe('False IPFamilyNotSupported');
});

it('a Service of both families has both where a cluster supports them, and IPv4 where that is all', async () => {
  await using fleet = await fleetOf({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' });
  const [east, south] = [fleet.cluster('east'), fleet.cluster('south')];
  for (const cluster of [east, south])
    await fleet.until('it is imported', () => importedSlices(cluster).length === 2 && ready(cluster) === isWhole);
  await fleet.clock.advance(30_000);
  const both = ['IPv4', 'IPv6'];
  expect(imported(south)).toEqual({ service: both, addresses: 2, import: both, slices: both });
  expect(imported(east)).toMatchObject({ service: ['IPv4'], addresses: 1, import: ['IPv4'] });
});

it.runIf(checksAllPoints())(
  'exporters whose Services differ in their families report it in both clusters, until they agree',
  async () => {
    const both = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' } as const;
    await using fleet = await fleetOf(both);
    const [south, west] = [fleet.cluster('south'), fleet.cluster('west')];
    await fleet.until('west has exported it', () => exportCondition(west, 'Ready') === 'True Exported');
    await fleet.clock.advance(2_000);
    const serve = (families: Partial<ServiceSpec>) =>
      south.server.admin.put(Service, {
        metadata: { ...cart },
        spec: { selector: { app: 'cart' }, ports: http, ...families },
      });
    serve({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    exportCart(south, '10.30.1.5', http);
    for (const cluster of [south, west])
      await fleet.until(
        'it is reported',
        () => exportCondition(cluster, 'Conflict') === 'True IPFamilyConflict',
        5_000,
      );
    for (const name of ['south-shop-cart-service', 'west-shop-cart-service']) {
      const found = fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name });
      expect(conditionOf(found?.status?.conditions, 'Conflict')).toMatchObject({
        status: 'True',
        reason: 'IPFamilyConflict',
        message: expect.stringContaining('IPv4 and IPv6 in west (exported first) and IPv4 in south') as unknown,
      });
    }
    south.server.admin.delete(Service, cart);
    serve(both);
    for (const cluster of [south, west])
      await fleet.until('they agree', () => exportCondition(cluster, 'Conflict') === 'False NoConflicts');
  },
);

it('a headless import names the families of its endpoints', async () => {
  await using fleet = await fleetOf({ clusterIP: 'None', ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
  const south = fleet.cluster('south');
  await fleet.until('south has imported it', () => importedSlices(south).length === 1);
  await fleet.clock.advance(5_000);
  expect(imported(south).import).toEqual(['IPv6']);
  expect(ready(south)).toBe('True Ready');
});
