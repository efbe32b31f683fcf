import {
  ClusterClaim,
  ClusterSet,
  EndpointSlice,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
} from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportCondition,
  exportService,
  importedPorts,
  importedSlices,
  isClean,
  leaderNamespace,
  memberNamespace,
  putAntreaExports,
  putService,
  recordWrites,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const http = (port: number) => [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }];

async function fleetWithCarts(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  exportCart(fleet.cluster('east'), '10.10.3.4', http(8081));
  await fleet.until('both have imported both', () =>
    ['east', 'west'].every((name) => importedPorts(fleet.cluster(name)).length === 2),
  );
  await fleet.clock.advance(10_000);
  return fleet;
}

describe('a restart', () => {
  it('of the leader writes nothing', async () => {
    await using fleet = await fleetWithCarts();
    const writes = recordWrites(fleet);
    fleet.leader.kill();
    await fleet.clock.advance(5_000);
    fleet.leader.start();
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  it('of a member writes nothing', async () => {
    await using fleet = await fleetWithCarts();
    const writes = recordWrites(fleet);
    fleet.cluster('west').kill();
    await fleet.clock.advance(5_000);
    fleet.cluster('west').start();
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  it('of all at once writes nothing', async () => {
    await using fleet = await fleetWithCarts();
    const writes = recordWrites(fleet);
    for (const cluster of fleet.clusters) cluster.kill();
    await fleet.clock.advance(5_000);
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  it('of a member leaves its imports untouched while the leader is away too', async () => {
    await using fleet = await fleetWithCarts();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').cut('refuse');
    west.kill();
    west.start();
    const before = west.server.admin.list(EndpointSlice, 'shop');
    await fleet.clock.advance(300_000);
    expect(west.server.admin.list(EndpointSlice, 'shop')).toEqual(before);
    expect(clusterSetCondition(west)).toBe('False Disconnected');
  });
});

describe('what a member finds on the leader when it starts', () => {
  const service = (name: string) => ({
    namespace: 'shop',
    name,
    ports: http(80),
    subsets: [{ addresses: [{ ip: '10.99.0.1' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }],
  });
  const names = (fleet: VirtualFleet) =>
    fleet.leader.server.admin.list(ResourceExport).map(({ metadata }) => metadata.name);

  it('its own exports without a ServiceExport are removed', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    fleet.leader.start();
    fleet.join();
    putAntreaExports(fleet, 'west', service('stale'));
    await fleet.clock.advance(1_000);
    fleet.cluster('west').start();
    await fleet.until('they are removed', () => names(fleet).length === 0, 5_000);
  });

  it('the exports of other clusters, and its own that are still exported, are kept', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    fleet.leader.start();
    fleet.join();
    for (const name of ['east', 'west-1']) putAntreaExports(fleet, name, service('cart'));
    putAntreaExports(fleet, 'west', service('cart'));
    const uids = () => fleet.leader.server.admin.list(ResourceExport).map(({ metadata }) => metadata.uid);
    const before = uids();
    exportCart(fleet.cluster('west'), '10.20.1.5');
    fleet.cluster('west').start();
    await fleet.until('west is connected', () => exportCondition(fleet.cluster('west'), 'Ready') === 'True Exported');
    await fleet.clock.advance(30_000);
    expect(uids()).toEqual(before);
  });
});

describe('while the leader is down', () => {
  it('imports are untouched, and what was exported, changed and withdrawn meanwhile arrives afterwards', async () => {
    await using fleet = await fleetWithCarts();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const other = { namespace: 'shop', name: 'other' };
    fleet.leader.kill();
    const before = east.server.admin.get(Service, derivedCart);
    putService(west, http(82));
    unexportService(east);
    putService(east, http(83), other);
    exportService(east, other);
    await fleet.clock.advance(120_000);
    expect(east.server.admin.get(Service, derivedCart)).toEqual(before);
    fleet.leader.start();
    await fleet.until(
      'all arrives',
      () => importedPorts(east).join() === 'http TCP 82' && importedPorts(west, other).length === 1,
    );
    expect(exportCondition(east, 'Ready', other)).toBe('True Exported');
    expect(east.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(before?.metadata.uid);
  });

  it('what was withdrawn by all is gone afterwards', async () => {
    await using fleet = await fleetWithCarts();
    fleet.leader.kill();
    for (const name of ['east', 'west']) unexportService(fleet.cluster(name));
    await fleet.clock.advance(30_000);
    fleet.leader.start();
    await fleet.until('nothing is left', () => isClean(fleet));
  });

  it('a new member waits, and is shown afterwards', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    fleet.cluster('west').start();
    fleet.join();
    await fleet.clock.advance(30_000);
    expect(statuses(fleet)).toEqual([]);
    fleet.leader.start();
    await fleet.until('the leader shows it', () => statuses(fleet).join() === 'west True');
  });

  it('a new ResourceExport waits, and is merged afterwards', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    fleet.cluster('west').start();
    fleet.join();
    exportCart(fleet.cluster('west'), '10.20.1.5', westPorts);
    await fleet.until('it is written', () => fleet.leader.server.admin.list(ResourceExport).length === 2);
    await fleet.clock.advance(30_000);
    expect(fleet.leader.server.admin.list(ResourceImport)).toEqual([]);
    expect(exportCondition(fleet.cluster('west'), 'Ready')).toBe('False Pending');
    fleet.leader.start();
    await fleet.until('it is imported', () => importedSlices(fleet.cluster('west')).length === 1, 5_000);
    await fleet.until('and told', () => exportCondition(fleet.cluster('west'), 'Ready') === 'True Exported');
  });

  it('a new ClusterSet and ClusterClaim of the leader wait, and are served afterwards', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    fleet.join();
    const { admin } = fleet.leader.server;
    admin.patch(ClusterSet, leaderRef, { spec: { clusterID: null } });
    admin.put(ClusterClaim, { metadata: { name: 'id.k8s.io', namespace: leaderNamespace }, value: 'north' });
    await fleet.clock.advance(10_000);
    fleet.leader.start();
    await fleet.until('it is served', () => admin.get(ClusterSet, leaderRef)?.spec?.clusterID === 'north');
  });
});

describe('while a member is down', () => {
  it('its new ClusterSet waits, and is joined afterwards', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    fleet.leader.start();
    fleet.join();
    await fleet.clock.advance(30_000);
    expect(clusterSetCondition(west)).toBe('none');
    west.start();
    await fleet.until('it is joined', () => clusterSetCondition(west) === 'True Connected', 1_000);
  });

  it('its new ClusterClaim waits, and is read afterwards', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    fleet.leader.start();
    fleet.join();
    const ref = { namespace: memberNamespace, name: clusterSetName };
    west.server.admin.patch(ClusterSet, ref, { spec: { clusterID: null } });
    west.server.admin.put(ClusterClaim, {
      metadata: { name: 'id.k8s.io', namespace: memberNamespace },
      value: 'west',
    });
    await fleet.clock.advance(30_000);
    west.start();
    await fleet.until('it is joined', () => clusterSetCondition(west) === 'True Connected', 1_000);
    expect(fleet.leader.server.admin.list(MemberClusterAnnounce).map(({ clusterID }) => clusterID)).toEqual(['west']);
  });
});

const leaderRef = { namespace: leaderNamespace, name: clusterSetName };
const statuses = (fleet: VirtualFleet) =>
  (fleet.leader.server.admin.get(ClusterSet, leaderRef)?.status?.clusterStatuses ?? []).map(
    ({ clusterID, conditions = [] }) => `${clusterID} ${conditions.find(({ type }) => type === 'Ready')?.status}`,
  );
