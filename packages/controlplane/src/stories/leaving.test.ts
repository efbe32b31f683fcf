import {
  ClusterSet,
  EndpointSlice,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
  Secret,
  Service,
  ServiceImport,
} from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  eventsOf,
  exportCart,
  exportCondition,
  exportMessage,
  importedSlices,
  leaderSecret,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const clusterSetRef = { namespace: memberNamespace, name: clusterSetName };

/** East and west export and import the same Service. */
async function joinedFleet(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  exportCart(fleet.cluster('east'), '10.10.3.4');
  await fleet.until('both have imported both', () =>
    ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 2),
  );
  return fleet;
}

const leave = (cluster: VirtualCluster) => cluster.server.admin.delete(ClusterSet, clusterSetRef);
const hasLeft = (cluster: VirtualCluster) => () => cluster.server.admin.get(ClusterSet, clusterSetRef) === undefined;
const localObjects = (cluster: VirtualCluster) => [
  ...cluster.server.admin.list(ServiceImport).map(({ metadata }) => metadata.name),
  ...cluster.server.admin
    .list(Service, 'shop')
    .flatMap(({ metadata }) => (metadata.name.startsWith('antrea-mc-') ? [metadata.name] : [])),
  ...importedSlices(cluster),
];
const remoteObjects = (fleet: VirtualFleet, clusterID: string) =>
  [
    ...fleet.leader.server.admin.list(MemberClusterAnnounce),
    ...fleet.leader.server.admin.list(ResourceExport),
    ...fleet.leader.server.admin.list(ResourceImport),
  ]
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.includes(clusterID));

describe('a member that leaves', () => {
  it('takes its local objects and all that it exported along, and the others go on', async () => {
    await using fleet = await joinedFleet();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const ip = east.server.admin.get(Service, derivedCart)?.spec?.clusterIP;
    leave(west);
    await fleet.until('west has left', hasLeft(west), 5_000);
    expect(localObjects(west)).toEqual([]);
    expect(remoteObjects(fleet, 'west')).toEqual([]);
    await fleet.until('east has only itself', () => importedSlices(east).length === 1);
    expect(east.server.admin.get(Service, derivedCart)?.spec?.clusterIP).toBe(ip);
    await fleet.until('the ServiceExport says so', () => /has not joined/.test(exportMessage(west, 'Ready')), 5_000);
    expect(exportCondition(west, 'Valid')).toBe('True Valid');
  });

  it('joins again under the same name', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    const before = west.server.admin.get(ClusterSet, clusterSetRef);
    leave(west);
    await fleet.until('west has left', hasLeft(west));
    west.server.admin.put(ClusterSet, { metadata: { ...clusterSetRef }, spec: before?.spec });
    await fleet.until('west is back', () => importedSlices(west).length === 2);
    expect(exportCondition(west, 'Ready')).toBe('True Exported');
  });

  it('leaves objects of others, and of other implementations, unchanged', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    const foreign = putForeign(west);
    await fleet.clock.advance(10_000);
    leave(west);
    await fleet.until('west has left', hasLeft(west));
    await fleet.clock.advance(10_000);
    expect(foreign.map((get) => get())).toEqual(foreign.map((get) => get.before));
  });

  it('cleans up at once with a dead leader, and goes after 60 s with an Event that reports what remains there', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').cut('silence');
    leave(west);
    await fleet.until('nothing is left here', () => localObjects(west).length === 0, 2_000);
    await fleet.clock.advance(50_000);
    expect(hasLeft(west)()).toBe(false);
    expect(clusterSetCondition(west)).toBe('False Leaving');
    await fleet.until('west has left', hasLeft(west), 15_000);
    await fleet.clock.advance(1_000);
    expect(eventsOf(west).filter((event) => event.startsWith('LeaderUnreachable '))).toEqual([
      expect.stringMatching(
        /^LeaderUnreachable ClusterSet\/fleet: Left the ClusterSet without an answer from leader north: .* MemberClusterAnnounce antrea-multicluster\/member-announce-from-west and the exports of west may remain there/,
      ),
    ]);
    expect(remoteObjects(fleet, 'west')).toContain('member-announce-from-west');
  });

  it('goes when the leader answers within the 60 s', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').cut('refuse');
    leave(west);
    await fleet.clock.advance(30_000);
    fleet.link('west-member', 'north').heal();
    await fleet.until('west has left', hasLeft(west), 10_000);
    expect(remoteObjects(fleet, 'west')).toEqual([]);
    expect(eventsOf(west).filter((event) => event.startsWith('LeaderUnreachable '))).toEqual([]);
  });

  it('waits while the leader is removing what was exported, and goes then', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    fleet.leader.kill('leader');
    leave(west);
    await fleet.clock.advance(20_000);
    expect(hasLeft(west)()).toBe(false);
    fleet.leader.start('leader');
    await fleet.until('west has left', hasLeft(west), 10_000);
    expect(remoteObjects(fleet, 'west')).toEqual([]);
  });

  it('removes its announcement when the ClusterSet was deleted while no controller ran', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    west.kill();
    leave(west);
    await fleet.clock.advance(30_000);
    expect(hasLeft(west)()).toBe(false);
    west.start();
    await fleet.until('west has left', hasLeft(west), 10_000);
    expect(localObjects(west)).toEqual([]);
    expect(remoteObjects(fleet, 'west')).toEqual([]);
  });

  it('goes at once where it has no Secret for the leader any more', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    west.server.admin.delete(Secret, leaderSecret);
    await fleet.clock.advance(1_000);
    leave(west);
    await fleet.until('west has left', hasLeft(west), 5_000);
    expect(localObjects(west)).toEqual([]);
  });

  it('finishes after a restart in the middle of it', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').cut('silence');
    leave(west);
    await fleet.clock.advance(500);
    west.kill();
    await fleet.clock.advance(1_000);
    west.start();
    await fleet.until('nothing is left here', () => localObjects(west).length === 0, 5_000);
    await fleet.until('west has left', hasLeft(west), 65_000);
  });

  it('is not held up by what only looks like ours, and leaves it', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    const labels = { 'app.kubernetes.io/managed-by': 'isthmus' };
    const annotations = { 'multicluster.antrea.io/imported-service': 'true' };
    const copied = { namespace: 'shop', name: 'copied' };
    const sliceLabels = { ...labels, 'endpointslice.kubernetes.io/managed-by': 'isthmus.dev' };
    west.server.admin.put(Service, { metadata: { ...copied, labels, annotations }, spec: { ports: [{ port: 80 }] } });
    west.server.admin.put(EndpointSlice, {
      metadata: { ...copied, labels: sliceLabels },
      addressType: 'IPv4',
      endpoints: [],
    });
    leave(west);
    await fleet.until('west has left', hasLeft(west), 10_000);
    expect(west.server.admin.get(Service, copied)).toBeDefined();
    expect(west.server.admin.get(EndpointSlice, copied)).toBeDefined();
  });

  it('takes along what it imported where the finalizer was torn off', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    west.server.admin.remove(ClusterSet, clusterSetRef);
    await fleet.until('nothing is left here', () => localObjects(west).length === 0);
  });
});

describe('a cluster in no ClusterSet', () => {
  it('removes nothing of others when it starts', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' }, join: false });
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    const foreign = putForeign(west);
    const antreas = { namespace: 'shop', name: 'antrea-mc-antreas' };
    const before = west.server.admin.put(Service, {
      metadata: { ...antreas, annotations: { 'multicluster.antrea.io/imported-service': 'true' } },
      spec: { ports: [{ port: 80 }] },
    });
    west.start();
    await fleet.clock.advance(60_000);
    expect(foreign.map((get) => get())).toEqual(foreign.map((get) => get.before));
    expect(west.server.admin.get(Service, antreas)).toBe(before);
  });

  it('removes what it had imported before', async () => {
    await using fleet = await joinedFleet();
    const west = fleet.cluster('west');
    west.kill();
    west.server.admin.remove(ClusterSet, clusterSetRef);
    west.start();
    await fleet.until('nothing is left here', () => localObjects(west).length === 0);
  });
});

/** Objects of another implementation or a user. Each function reads one of the objects again. */
function putForeign({ server: { admin } }: VirtualCluster) {
  const services = ['shop', 'default'].map((namespace) => ({ namespace, name: 'antrea-mc-mine' }));
  const imports = ['theirs', 'mine'].map((name) => ({ namespace: 'default', name }));
  const slice = { namespace: 'shop', name: 'theirs' };
  for (const ref of services) admin.put(Service, { metadata: { ...ref }, spec: { ports: [{ port: 80 }] } });
  for (const ref of imports)
    admin.put(ServiceImport, { metadata: { ...ref }, spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] } });
  admin.put(EndpointSlice, {
    metadata: { ...slice, labels: { 'multicluster.kubernetes.io/service-name': 'theirs' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'] }],
  });
  const readers = [
    ...services.map((ref) => () => admin.get(Service, ref)),
    ...imports.map((ref) => () => admin.get(ServiceImport, ref)),
    () => admin.get(EndpointSlice, slice),
  ];
  return readers.map((read) => Object.assign(read, { before: read() }));
}
