import { ClusterInfoImport, ResourceImport, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportCart, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;

/** Written by a user, or another controller, in the leader. */
function offer(fleet: VirtualFleet, clusterID: readonly string[] | undefined): void {
  fleet.leader.server.admin.put(ResourceImport, {
    metadata: { namespace: leaderNamespace, name: 'south-clusterinfo' },
    spec: {
      kind: 'ClusterInfo',
      namespace: leaderNamespace,
      name: 'south-clusterinfo',
      clusterID,
      clusterinfo: { clusterID: 'south', serviceCIDR: '10.99.0.0/16', gatewayInfos: [{ gatewayIP: '192.0.2.9' }] },
    },
  });
}
const importers = (fleet: VirtualFleet) =>
  ['east', 'west']
    .filter((name) => {
      const ref = { namespace: memberNamespace, name: 'south-clusterinfo' };
      return fleet.cluster(name).server.admin.get(ClusterInfoImport, ref) !== undefined;
    })
    .join(' ');

describe('an import that names clusters', () => {
  it('is imported by these alone, and follows when it names others', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    offer(fleet, ['west']);
    await fleet.until('west imports it', () => importers(fleet) !== '');
    await fleet.clock.advance(5_000);
    expect(importers(fleet)).toBe('west');
    offer(fleet, ['east']);
    await fleet.until('east does', () => importers(fleet) === 'east', 5_000);
    offer(fleet, ['north']);
    await fleet.until('nobody does', () => importers(fleet) === '', 5_000);
    offer(fleet, undefined);
    await fleet.until('all do', () => importers(fleet) === 'east west', 5_000);
  });

  it('is imported by these alone where it is a Service', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const { admin } = fleet.leader.server;
    const metadata = { namespace: leaderNamespace };
    const of = { namespace: 'shop', name: 'desk', clusterID: ['west'] };
    const ports = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;
    admin.put(ResourceImport, {
      metadata: { ...metadata, name: 'shop-desk-service' },
      spec: {
        ...of,
        kind: 'ServiceImport',
        serviceImport: { metadata: { name: 'desk' }, spec: { type: 'ClusterSetIP', ports } },
      },
    });
    admin.put(ResourceImport, {
      metadata: { ...metadata, name: 'shop-desk-endpoints' },
      spec: { ...of, kind: 'Endpoints', endpoints: { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports }] } },
    });
    const has = (name: string) =>
      fleet.cluster(name).server.admin.get(ServiceImport, { namespace: 'shop', name: 'desk' }) !== undefined;
    for (const name of ['east', 'west']) exportCart(fleet.cluster(name), name === 'east' ? '10.20.1.5' : '10.20.2.5');
    await fleet.until('west imports it', () => has('west'));
    await fleet.clock.advance(10_000);
    expect(has('east')).toBe(false);
  });
});
