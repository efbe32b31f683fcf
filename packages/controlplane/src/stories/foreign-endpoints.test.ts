import { KnownCluster, Namespace, Node, ResourceExport, Service, ServiceExport, ServiceImport } from '@isthmus/api';
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
  putPod,
  putService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { announce, four } from '../testing/announced-network.ts';
import { connected, fleetUnderAntrea, networkIn } from '../testing/antrea-networks.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const own = { node: '192.0.2.7', podNetwork: '10.244.7.0/24' };

/** A write with the token of west: any endpoints in its own export. */
function exportEndpoints(fleet: VirtualFleet, addresses: readonly string[]): void {
  const ref = { namespace: leaderNamespace, name: 'west-shop-cart-endpoints' };
  const ports = [{ name: 'http', protocol: 'TCP', port: 8080 }] as const;
  const subsets = [{ addresses: addresses.map((ip) => ({ ip })), ports }];
  const endpoints = addresses.map((ip) => ({ addresses: [ip], conditions: { ready: true } }));
  const endpointSlices = [{ addressType: 'IPv4', endpoints, ports }];
  fleet.leader.server.admin.patch(ResourceExport, ref, { spec: { endpoints: { subsets }, endpointSlices } });
}

const addressesIn = (cluster: VirtualCluster) => importedSlices(cluster).join('; ');
const messageIn = ({ server: { admin } }: VirtualCluster) =>
  conditionOf(admin.get(ServiceImport, cart)?.status?.conditions, 'Ready')?.message ?? '';
const toldTo = ({ server: { admin } }: VirtualCluster) =>
  conditionOf(admin.get(ServiceExport, cart)?.status?.conditions, 'ImportFailed')?.message ?? '';
const grant = ({ server }: VirtualCluster, name: string, spec: Partial<KnownCluster['spec']>) =>
  server.admin.put(KnownCluster, {
    metadata: { name, namespace: memberNamespace },
    spec: { clusterID: name, ...spec },
  });

/** East has a Node, a Pod and a Service of its own; west exports its Pods. */
async function fleetOfPods(options: { readonly announces?: boolean } = {}): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: four, endpointIPType: 'PodIP' });
  const east = fleet.cluster('east');
  east.server.admin.put(Node, {
    metadata: { name: 'worker-1' },
    spec: { podCIDR: own.podNetwork },
    status: { addresses: [{ type: 'InternalIP', address: own.node }] },
  });
  putService(east, http, { namespace: 'shop', name: 'own' });
  fleet.cluster('south').server.admin.put(Namespace, { metadata: { name: cart.namespace } });
  putPod(east, 'own-1', '10.244.7.9', { app: 'own' });
  if (options.announces !== false)
    announce(fleet.cluster('west'), { serviceCIDR: '10.98.0.0/16', podCIDRs: ['10.20.0.0/16'] });
  exportCart(fleet.cluster('west'), '10.20.1.1', http);
  await fleet.until('east imports it', () => addressesIn(east) === 'west: 10.20.1.1 http:8080');
  if (options.announces !== false) await fleet.until('east knows west', () => networkIn(east, 'west') !== undefined);
  fleet.cluster('west').kill();
  return fleet;
}

describe('an endpoint of another cluster', () => {
  it.each<[string, (east: VirtualCluster) => string]>([
    ['a Node', () => own.node],
    ['a Pod', () => '10.244.7.9'],
    ['an address for Pods of a Node', () => '10.244.7.77'],
    ['a Service', ({ server }) => server.admin.get(Service, { namespace: 'shop', name: 'own' })?.spec?.clusterIP ?? ''],
    [
      'the API server',
      ({ server }) => server.admin.get(Service, { namespace: 'default', name: 'kubernetes' })?.spec?.clusterIP ?? '',
    ],
  ])('is never %s of this cluster, whether its cluster announces a network or not', async (_what, addressOf) => {
    for (const announces of [true, false]) {
      await using fleet = await fleetOfPods({ announces });
      const east = fleet.cluster('east');
      const address = addressOf(east);
      exportEndpoints(fleet, ['10.20.1.2', address]);
      await fleet.until('the others follow', () => addressesIn(east) === 'west: 10.20.1.2 http:8080', 10_000);
      expect(messageIn(east)).toContain(`Endpoints that their cluster may not have: ${address} of cluster west is`);
      expect(addressesIn(fleet.cluster('south')).includes(address)).toBe(!announces);
    }
  });

  it('is in the ranges of its cluster, or left out and reported to importer and exporter', async () => {
    await using fleet = await fleetOfPods();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportEndpoints(fleet, ['10.20.1.1', '8.8.8.8', '10.98.0.9']);
    await fleet.until(
      'the rest is imported',
      () => addressesIn(east) === 'west: 10.20.1.1,10.98.0.9 http:8080',
      10_000,
    );
    const text =
      'Endpoints that their cluster may not have: 8.8.8.8 of cluster west is not in the accepted Pod and Service CIDRs of its cluster. Correct them in west. To accept other ranges as its endpoints, name them in this cluster, in KnownCluster west of Namespace kube-system: kubectl explain knowncluster.spec';
    expect(messageIn(east)).toBe(text);
    expect(eventsOf(east)).toContain(`OutsideGrant ServiceImport/cart: ${text}`);
    west.start();
    await fleet.until('west corrects its export', () => messageIn(east) === 'The Service is imported', 20_000);
    putPod(west, 'cart-2', '10.30.1.1');
    await fleet.until('west is told', () => toldTo(west).includes('(OutsideGrant)'), 30_000);
    expect(toldTo(west)).toContain(
      'Imported in part in east (OutsideGrant): Endpoints that their cluster may not have: 10.30.1.1 of cluster west is not in the accepted Pod and Service CIDRs of its cluster. Correct them in west. To accept other ranges as its endpoints, name them in that cluster, in KnownCluster west',
    );
  });

  it('of a cluster without a network is in none of a third cluster, and follows when that has none', async () => {
    await using fleet = await fleetOfPods({ announces: false });
    const east = fleet.cluster('east');
    announce(fleet.cluster('south'), { serviceCIDR: '10.99.0.0/16', podCIDRs: ['10.30.0.0/16'] });
    await fleet.until('east knows south', () => networkIn(east, 'south') !== undefined, 10_000);
    exportEndpoints(fleet, ['10.20.1.1', '10.30.1.1', '10.99.0.1', '10.40.1.1']);
    await fleet.until('the rest follows', () => addressesIn(east) === 'west: 10.20.1.1,10.40.1.1 http:8080', 10_000);
    expect(messageIn(east)).toContain(
      '10.30.1.1 of cluster west is in a Pod or Service CIDR of cluster south, 10.99.0.1 of cluster west is in',
    );
    announce(fleet.cluster('south'), { serviceCIDR: '10.99.0.0/16', podCIDRs: ['10.30.128.0/17'] });
    await fleet.until('it is free', () => addressesIn(east).includes('10.30.1.1'), 20_000);
    announce(fleet.cluster('south'), { serviceCIDR: '10.99.0.0/16', podCIDRs: ['10.30.0.0/16'] });
    await fleet.until('it is reported', () => messageIn(east).includes('stays because it is in use'), 20_000);
    exportEndpoints(fleet, ['10.20.1.1', '10.40.1.1']);
    await fleet.until('it is gone', () => !addressesIn(east).includes('10.30.1.1'), 10_000);
    exportEndpoints(fleet, ['10.20.1.1', '10.30.1.1', '10.40.1.1']);
    await fleet.clock.advance(10_000);
    expect(addressesIn(east)).toBe('west: 10.20.1.1,10.40.1.1 http:8080');
    fleet.cluster('south').server.admin.delete(Node, { name: 'node-1' });
    await fleet.until('it is free', () => addressesIn(east).includes('10.30.1.1'), 20_000);
  });

  it('of a cluster that announces its Service CIDR alone may be a Pod anywhere else', async () => {
    await using fleet = await fleetOfPods({ announces: false });
    const east = fleet.cluster('east');
    announce(fleet.cluster('south'), { serviceCIDR: '10.99.0.0/16', podCIDRs: ['10.30.0.0/16'] });
    announce(fleet.cluster('west'), { serviceCIDR: '10.98.0.0/16' });
    await fleet.until(
      'east knows both',
      () => networkIn(east, 'west') !== undefined && networkIn(east, 'south') !== undefined,
    );
    fleet.cluster('west').kill();
    exportEndpoints(fleet, ['10.20.1.1', '10.20.1.2', '10.98.0.9', '10.30.1.1']);
    await fleet.until(
      'they follow',
      () => addressesIn(east) === 'west: 10.20.1.1,10.20.1.2,10.98.0.9 http:8080',
      10_000,
    );
    expect(messageIn(east)).toContain('10.30.1.1 of cluster west is in a Pod or Service CIDR of cluster south');
  });

  it('outside of the ranges of its cluster stays while it is in use, and goes with a grant that excludes it', async () => {
    await using fleet = await fleetOfPods({ announces: false });
    const east = fleet.cluster('east');
    exportEndpoints(fleet, ['10.20.1.1', '192.0.2.99']);
    await fleet.until('both are imported', () => addressesIn(east) === 'west: 10.20.1.1,192.0.2.99 http:8080', 10_000);
    announceAs(fleet, 'west', { serviceCIDR: '10.98.0.0/16', podCIDRs: ['10.20.0.0/16'] });
    await fleet.until('it is reported', () => messageIn(east).includes('stays because it is in use'), 10_000);
    expect(addressesIn(east)).toBe('west: 10.20.1.1,192.0.2.99 http:8080');
    grant(east, 'west', { pods: ['10.20.0.0/16'], services: ['10.98.0.0/16'], gateways: ['192.0.2.96/28'] });
    await fleet.until('it is granted', () => messageIn(east) === 'The Service is imported', 10_000);
    grant(east, 'west', { pods: ['10.20.0.0/16'], services: ['10.98.0.0/16'] });
    await fleet.until('it goes', () => addressesIn(east) === 'west: 10.20.1.1 http:8080', 10_000);
  });

  it('of a cluster that an administrator refuses is not used, and comes back', async () => {
    await using fleet = await fleetOfPods();
    const east = fleet.cluster('east');
    grant(east, 'west', { state: 'Refused' });
    await fleet.until('it is gone', () => addressesIn(east) === '', 10_000);
    expect(messageIn(east)).toContain(
      '10.20.1.1 of cluster west is of a cluster that an administrator of this cluster rejects',
    );
    expect(addressesIn(fleet.cluster('south'))).toBe('west: 10.20.1.1 http:8080');
    grant(east, 'west', {});
    await fleet.until('it is back', () => addressesIn(east) === 'west: 10.20.1.1 http:8080', 10_000);
  });

  it('stays while this cluster starts and does not know its Nodes yet, and new ones wait', async () => {
    await using fleet = await fleetOfPods();
    const east = fleet.cluster('east');
    east.kill();
    fleet.link('east-member', 'east').add({
      match: ({ path }) => path.includes('/nodes/worker-1'),
      fault: { kind: 'latency', ms: 6_000 },
    });
    east.start();
    exportEndpoints(fleet, ['10.20.1.1', '10.20.1.2', own.node]);
    await fleet.clock.advance(4_000);
    expect(addressesIn(east)).toBe('west: 10.20.1.1 http:8080');
    await fleet.until('the new one follows', () => addressesIn(east) === 'west: 10.20.1.1,10.20.1.2 http:8080', 10_000);
  });

  it('is imported although the Nodes of this cluster cannot be read', async () => {
    await using fleet = await fleetOfPods();
    const east = fleet.cluster('east');
    east.kill();
    fleet.link('east-member', 'east').add({
      match: ({ path }) => path.includes('/nodes/worker-1'),
      fault: { kind: 'refuse' },
    });
    east.start();
    exportEndpoints(fleet, ['10.20.1.2']);
    await fleet.until('it is imported', () => addressesIn(east) === 'west: 10.20.1.2 http:8080', 10_000);
  });

  it('that a Node of this cluster has later goes', async () => {
    await using fleet = await fleetOfPods({ announces: false });
    const east = fleet.cluster('east');
    exportEndpoints(fleet, ['10.20.1.1', '192.0.2.50']);
    await fleet.until('both are imported', () => addressesIn(east) === 'west: 10.20.1.1,192.0.2.50 http:8080', 10_000);
    east.server.admin.put(Node, {
      metadata: { name: 'worker-2' },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.50' }] },
    });
    await fleet.until('it goes', () => addressesIn(east) === 'west: 10.20.1.1 http:8080', 10_000);
  });
});

/** The network of a cluster, by its token. */
function announceAs(fleet: VirtualFleet, cluster: string, clusterInfo: object): void {
  fleet.leader.server.admin.put(ResourceExport, {
    metadata: { name: `${cluster}-clusterinfo`, namespace: leaderNamespace },
    spec: {
      clusterID: cluster,
      kind: 'ClusterInfo',
      name: cluster,
      namespace: memberNamespace,
      clusterInfo: { clusterID: cluster, gatewayInfos: [{ gatewayIP: '192.0.2.2' }], ...clusterInfo },
    },
  });
}

describe('clusters whose ranges overlap', () => {
  it('with Pod IPs as endpoints and the same Service CIDR keep all endpoints', async () => {
    const serviceCIDRs = { north: '10.96.0.0/16', east: '10.96.0.0/16', west: '10.96.0.0/16', south: '10.96.0.0/16' };
    await using fleet = await createVirtualFleet({ clusters: four, endpointIPType: 'PodIP', serviceCIDRs });
    const east = fleet.cluster('east');
    exportCart(fleet.cluster('west'), '10.20.1.1', http);
    exportCart(east, '10.10.1.1', http);
    await fleet.until('both serve in both', () =>
      ['east', 'west'].every(
        (name) => addressesIn(fleet.cluster(name)) === 'east: 10.10.1.1 http:8080; west: 10.20.1.1 http:8080',
      ),
    );
    announce(fleet.cluster('west'), { serviceCIDR: '10.96.0.0/16', podCIDRs: ['10.20.0.0/16'] });
    announce(east, { serviceCIDR: '10.96.0.0/16', podCIDRs: ['10.10.0.0/16'] });
    await fleet.until('the networks are known', () => networkIn(east, 'west') !== undefined);
    await fleet.clock.advance(10_000);
    expect(addressesIn(east)).toBe('east: 10.10.1.1 http:8080; west: 10.20.1.1 http:8080');
    expect(messageIn(east)).toBe('The Service is imported');
  });
});

describe('under an Antrea leader, which merges the endpoints of all clusters', () => {
  it('no endpoint is an address of this cluster', async () => {
    const names = ['east', 'west'];
    await using fleet = await fleetUnderAntrea(names);
    for (const name of names) fleet.cluster(name).start('member', { endpointIPType: 'PodIP' });
    await connected(fleet, names);
    const east = fleet.cluster('east');
    east.server.admin.put(Node, {
      metadata: { name: 'worker-1' },
      status: { addresses: [{ type: 'InternalIP', address: own.node }] },
    });
    east.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    exportCart(fleet.cluster('west'), '10.20.1.1', http);
    await fleet.until('east imports it', () => addressesIn(east) === '?: 10.20.1.1 http:8080');
    fleet.cluster('west').kill();
    exportEndpoints(fleet, ['10.20.1.2', own.node]);
    await fleet.until('the other follows', () => addressesIn(east) === '?: 10.20.1.2 http:8080', 10_000);
    expect(messageIn(east)).toContain(`${own.node} is the address of a Node of this cluster`);
  });
});
