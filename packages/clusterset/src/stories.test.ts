import {
  EndpointSlice,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import { createVirtualFleet, leaderNamespace } from '@isthmus/testkit';
import type { VirtualCluster } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

/** The Service of walkthrough.md, with ready Pods. */
function deploy(
  cluster: VirtualCluster,
  pods: Readonly<Record<string, string>>,
  ports = [{ name: 'http', port: 80, targetPort: 8080 }],
): void {
  const { admin } = cluster.server;
  admin.put(Namespace, { metadata: { name: 'shop' } });
  admin.put(Service, { metadata: { name: 'cart', namespace: 'shop' }, spec: { selector: { app: 'cart' }, ports } });
  for (const [name, ip] of Object.entries(pods)) {
    admin.put(Pod, {
      metadata: { name, namespace: 'shop', labels: { app: 'cart' } },
      spec: { containers: [{ name: 'main', image: 'cart' }] },
      status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
}

function exportCart(cluster: VirtualCluster): void {
  cluster.server.admin.put(ServiceExport, { metadata: { name: 'cart', namespace: 'shop' } });
}

const condition = (cluster: VirtualCluster, type: string) =>
  cluster.server.admin
    .get(ServiceExport, { namespace: 'shop', name: 'cart' })
    ?.status?.conditions?.find((c) => c.type === type);

describe('a Service of one cluster', () => {
  it('is exported, imported in every member, and withdrawn', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
    const [east, west, north] = [fleet.cluster('east'), fleet.cluster('west'), fleet.leader];
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    deploy(west, { 'cart-1': '10.20.1.5', 'cart-2': '10.20.2.7' });
    exportCart(west);
    await fleet.until('the import is ready in east', () => {
      const found = east.server.admin.get(ServiceImport, { namespace: 'shop', name: 'cart' });
      return found?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true;
    });
    await fleet.until('the export is ready', () => condition(west, 'Ready')?.status === 'True');
    expect(north.server.admin.list(ResourceExport, leaderNamespace).map((o) => o.metadata.name)).toEqual([
      'west-shop-cart-endpoints',
      'west-shop-cart-service',
    ]);
    expect(north.server.admin.list(ResourceImport, leaderNamespace).map((o) => o.metadata.name)).toEqual([
      'shop-cart-endpoints',
      'shop-cart-endpoints.west',
      'shop-cart-service',
    ]);
    const slices = (cluster: VirtualCluster) =>
      cluster.server.admin
        .list(EndpointSlice, 'shop')
        .filter((s) => s.metadata.labels?.['multicluster.kubernetes.io/service-name'] === 'cart');
    expect(slices(east).map((s) => s.endpoints)).toEqual([
      [
        {
          addresses: [west.server.admin.get(Service, { namespace: 'shop', name: 'cart' })?.spec?.clusterIP],
          conditions: { ready: true },
        },
      ],
    ]);
    expect(slices(west).flatMap((s) => s.endpoints.flatMap((e) => e.addresses))).toEqual(['10.20.1.5', '10.20.2.7']);

    west.server.admin.delete(ServiceExport, { namespace: 'shop', name: 'cart' });
    await fleet.until(
      'everything is withdrawn',
      () =>
        north.server.admin.list(ResourceExport).length === 0 &&
        north.server.admin.list(ResourceImport).length === 0 &&
        [east, west].every(
          (c) =>
            c.server.admin.list(ServiceImport).length === 0 &&
            slices(c).length === 0 &&
            c.server.admin.get(Service, { namespace: 'shop', name: 'antrea-mc-cart' }) === undefined,
        ),
    );
    expect(
      [north, east, west].flatMap((c) => c.log.entries.filter((e) => e.level === 'error' || e.level === 'warn')),
    ).toEqual([]);
  });
});
