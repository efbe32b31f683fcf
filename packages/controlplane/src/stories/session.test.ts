import {
  ClusterSet,
  EndpointSlice,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  Secret,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  eventsOf,
  exportCart,
  exportCondition,
  exportMessage,
  importedPorts,
  importedSlices,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
  putPod,
  putService,
  recordWrites,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', west: 'member' } as const;
const three = { north: 'leader', east: 'member', west: 'member' } as const;
const clusterSetRef = { namespace: memberNamespace, name: clusterSetName };
const announceRef = { namespace: leaderNamespace, name: 'member-announce-from-west' };
const http = (port: number) => [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }];

const secretData = (token: string) => ({ 'ca.crt': btoa('a certificate'), token: btoa(token) });
const putToken = (cluster: VirtualCluster, token: string, name: string = leaderSecret.name) =>
  cluster.server.admin.put(Secret, {
    metadata: { name, namespace: memberNamespace },
    data: secretData(token),
  });
const changeLeader = (cluster: VirtualCluster, change: { readonly server?: string; readonly secret?: string }) => {
  const [leader] = cluster.server.admin.get(ClusterSet, clusterSetRef)?.spec?.leaders ?? [];
  cluster.server.admin.patch(ClusterSet, clusterSetRef, { spec: { leaders: [{ ...leader, ...change }] } });
};
const message = (cluster: VirtualCluster) =>
  conditionOf(cluster.server.admin.get(ClusterSet, clusterSetRef)?.status?.conditions, 'Ready')?.message ?? '';
const lastBeat = (fleet: VirtualFleet) =>
  fleet.leader.server.admin.get(MemberClusterAnnounce, announceRef)?.metadata.annotations?.['touch-ts'];

/** Heartbeats are sent and both directions work: a new export of west arrives in west. */
async function expectAlive(fleet: VirtualFleet, port: number): Promise<void> {
  const before = lastBeat(fleet);
  putService(fleet.cluster('west'), http(port));
  await fleet.until(
    `port ${port} goes the whole way`,
    () => importedPorts(fleet.cluster('west')).join() === `http TCP ${port}`,
  );
  await fleet.until('the heart beats', () => lastBeat(fleet) !== before);
}

async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: pair });
  exportCart(fleet.cluster('west'), '10.20.1.5', http(80));
  await fleet.until('west has imported', () => importedSlices(fleet.cluster('west')).length === 1);
  await fleet.clock.advance(5_000);
  return fleet;
}

describe('a session with the leader', () => {
  it('goes on in the same process when another Secret is named', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    putToken(west, 'another-token', 'renamed');
    fleet.revoke('member-west');
    changeLeader(west, { secret: 'renamed' });
    await expectAlive(fleet, 81);
    expect(clusterSetCondition(west)).toBe('True Connected');
    expect(fleet.leader.server.requestLog().at(-1)).toMatch(/antrea-multicluster:another-token/);
  });

  it('goes on when the address of the leader changes', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, hosts: { '172.18.0.2': 'north' } });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('west has imported', () => importedSlices(west).length === 1);
    changeLeader(west, { server: 'https://172.18.0.2:6443' });
    await expectAlive(fleet, 81);
    expect(clusterSetCondition(west)).toBe('True Connected');
  });

  it('goes on when the ClusterSet is deleted and created again', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const clusterSet = west.server.admin.get(ClusterSet, clusterSetRef);
    west.server.admin.delete(ClusterSet, clusterSetRef);
    await fleet.until('west has left', () => west.server.admin.get(ClusterSet, clusterSetRef) === undefined);
    west.server.admin.put(ClusterSet, { metadata: { ...clusterSetRef }, spec: clusterSet?.spec });
    await fleet.until('west has joined', () => clusterSetCondition(west) === 'True Connected');
    await expectAlive(fleet, 81);
  });

  it('keeps its exports when the token changes', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    putToken(west, 'rotated');
    fleet.revoke('member-west');
    putService(west, http(81));
    await fleet.until('the export follows', () => importedPorts(west).join() === 'http TCP 81');
    const [writer] = fleet.leader.server
      .requestLog()
      .filter((line) => line.includes(' PATCH ') && line.includes('resourceexports/west-shop-cart-service 200'))
      .slice(-1);
    expect(writer).toContain('antrea-multicluster:rotated PATCH');
  });

  it('uses a token that is rotated within the same Secret', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const imported = west.server.admin.get(Service, derivedCart);
    putToken(west, 'rotated');
    fleet.revoke('member-west');
    await expectAlive(fleet, 81);
    expect(west.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(imported?.metadata.uid);
  });

  it('writes nothing but the heartbeat when the token is rotated', async () => {
    await using fleet = await fleetWithCart();
    const writes = recordWrites(fleet);
    putToken(fleet.cluster('west'), 'rotated');
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
  });

  it('reports that the token is refused, and goes on with the next one', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    fleet.revoke('member-west');
    await fleet.until('west says so', () => clusterSetCondition(west) === 'False Unauthorized', 5_000);
    expect(message(west)).toMatch(
      /^Disconnected from leader: Leader north does not accept the token: issue a new member token/,
    );
    expect(message(west)).not.toContain('member-west');
    expect(importedSlices(west)).toHaveLength(1);
    const text = 'does not accept the token';
    expect(JSON.stringify(west.server.admin.get(ClusterSet, clusterSetRef)?.status).split(text)).toHaveLength(2);
    expect(eventsOf(west)).toContainEqual(expect.stringMatching(/^Unauthorized ClusterSet\/fleet: .*the token/));
    putToken(west, 'rotated');
    await fleet.until('west is back', () => clusterSetCondition(west) === 'True Connected', 5_000);
    await expectAlive(fleet, 81);
  });

  it('starts completely when the Secret appears after the first failure, and removes stale objects', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    west.kill();
    west.server.admin.delete(Secret, leaderSecret);
    unexportService(west);
    west.start();
    await fleet.until('west says what is missing', () => clusterSetCondition(west) === 'False SecretNotFound', 5_000);
    expect(message(west)).toMatch(/^Secret kube-system\/leader-token does not exist\. Create it/);
    await fleet.clock.advance(30_000);
    expect(importedSlices(west)).toHaveLength(1);
    putToken(west, 'member-west');
    await fleet.until('west is back', () => clusterSetCondition(west) === 'True Connected', 5_000);
    await fleet.until('what is stale is gone', () => west.server.admin.get(ServiceImport, cart) === undefined);
    await fleet.until('on the leader too', () => fleet.leader.server.admin.list(ResourceExport).length === 0);
  });

  it.each([
    ['ca.crt', { token: btoa('member-west') }],
    ['token', { 'ca.crt': btoa('a certificate') }],
  ])('reports that the Secret has no %s, and keeps what is imported', async (key, data) => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    west.server.admin.put(Secret, { metadata: { ...leaderSecret }, data });
    await fleet.until('west says so', () => clusterSetCondition(west) === 'False InvalidSecret', 5_000);
    expect(message(west)).toBe(
      `Secret kube-system/leader-token has no key ${key}. Copy it from the leader's token Secret.`,
    );
    await fleet.until('the export says so', () => exportCondition(west, 'Ready') === 'Unknown Disconnected', 5_000);
    expect(exportMessage(west, 'Ready')).toBe(
      `Secret kube-system/leader-token has no key ${key}. Copy it from the leader's token Secret. Other clusters keep their imports. Changes are exported later; after 24 hours without a heartbeat, the leader removes the export.`,
    );
    fleet.revoke('member-west');
    putToken(west, 'member-west');
    await fleet.until('the next cause is reported', () => clusterSetCondition(west) === 'False Unauthorized', 5_000);
    await fleet.clock.advance(40_000);
    expect(exportMessage(west, 'Ready')).toMatch(/^Leader north at .* has not accepted a heartbeat of this cluster/);
    expect(importedSlices(west)).toHaveLength(1);
  });

  it('is Ready and IsLeader where the announcement exists already', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const west = fleet.cluster('west');
    west.start();
    fleet.join();
    fleet.leader.server.admin.put(MemberClusterAnnounce, {
      metadata: { ...announceRef },
      clusterID: 'west',
      clusterSetID: clusterSetName,
      leaderClusterID: 'north',
    });
    await fleet.until('west is connected', () => clusterSetCondition(west) === 'True Connected');
    const [status] = west.server.admin.get(ClusterSet, clusterSetRef)?.status?.clusterStatuses ?? [];
    expect(status?.conditions?.map(({ type, status: value }) => `${type} ${value}`)).toEqual([
      'Ready True',
      'IsLeader True',
      'ClusterConnected True',
    ]);
  });

  it('reports that there is an announcement of another ClusterSet in its place', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const west = fleet.cluster('west');
    west.start();
    fleet.leader.server.admin.put(Namespace, { metadata: { name: leaderNamespace } });
    fleet.leader.server.admin.put(MemberClusterAnnounce, {
      metadata: { ...announceRef },
      clusterID: 'west',
      clusterSetID: 'another',
      leaderClusterID: 'north',
    });
    fleet.join();
    await fleet.until('west says so', () => clusterSetCondition(west) === 'False Refused', 5_000);
    expect(message(west)).toMatch(/has clusterSetID "another", but this cluster's ClusterSet has "fleet"/);
  });

  it('announces itself with a time stamp from the first moment', async () => {
    const stamps: (string | undefined)[] = [];
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    fleet.leader.server.admin.onChange(({ resource, before, after }) => {
      if (resource.endsWith('memberclusterannounces') && before === undefined)
        stamps.push(after?.metadata.annotations?.['touch-ts']);
    });
    fleet.cluster('west').start();
    fleet.join();
    await fleet.until('west is connected', () => clusterSetCondition(fleet.cluster('west')) === 'True Connected');
    expect(stamps).toEqual(['2026-11-21T10:00:00Z']);
  });

  it('shows in each ClusterSet, to the minute, until when its controller lived, with one write a minute', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const sets = [
      [fleet.leader, { namespace: leaderNamespace, name: clusterSetName }],
      [west, clusterSetRef],
    ] as const;
    const ages = () =>
      sets.map(([{ server }, ref]) => {
        const time = server.admin.get(ClusterSet, ref)?.status?.lastHeartbeatTime ?? '';
        return fleet.clock.now() - Date.parse(time);
      });
    const writes = () =>
      [fleet.leader, west]
        .flatMap(({ server }) => server.requestLog())
        .filter((line) => line.includes('lastHeartbeat'));
    await fleet.clock.advance(30_000);
    const before = writes().length;
    for (let minute = 0; minute < 30; minute++) {
      await fleet.clock.advance(60_000);
      for (const ms of ages()) expect(ms).toBeLessThanOrEqual(75_000);
    }
    expect(writes().length - before).toBeLessThanOrEqual(60);
    west.kill();
    fleet.leader.kill();
    await fleet.clock.advance(600_000);
    for (const ms of ages()) expect(ms).toBeGreaterThan(590_000);
  });

  it('sets ClusterConnected on both sides, and clears it when the other side is silent', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    const connected = (cluster: VirtualCluster, namespace: string) =>
      cluster.server.admin
        .get(ClusterSet, { namespace, name: clusterSetName })
        ?.status?.clusterStatuses?.[0]?.conditions?.find(({ type }) => type === 'ClusterConnected')?.status;
    await fleet.until('the leader sees west', () => connected(fleet.leader, leaderNamespace) === 'True');
    expect(connected(west, memberNamespace)).toBe('True');
    fleet.link('west-member', 'north').cut('refuse');
    await fleet.until('west says so', () => connected(west, memberNamespace) === 'False');
    await fleet.until('the leader says so', () => connected(fleet.leader, leaderNamespace) === 'False');
  });
});

describe('while the leader cannot be reached', () => {
  it.each(sweepOf(['refuse', 'silence'] as const, { oneIn: 2 }))(
    'imports stay, the ClusterSet reports it, and all recovers (%s)',
    async (how) => {
      await using fleet = await createVirtualFleet({ clusters: three });
      const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
      exportCart(west, '10.20.1.5', http(80));
      east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
      await fleet.until('east has imported', () => importedSlices(east).length === 1);
      const before = east.server.admin.get(Service, derivedCart);
      const link = fleet.link('east-member', 'north');
      link.cut(how);
      await fleet.until('east says so', () => clusterSetCondition(east) === 'False Disconnected', 40_000);
      expect(message(east)).toMatch(/^Disconnected from leader: /);
      await fleet.clock.advance(600_000);
      expect(importedSlices(east)).toHaveLength(1);
      putService(west, http(81));
      await fleet.clock.advance(10_000);
      link.heal();
      await fleet.until('east is back', () => clusterSetCondition(east) === 'True Connected', 30_000);
      await fleet.until('and has what changed meanwhile', () => importedPorts(east).join() === 'http TCP 81', 45_000);
      expect(east.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(before?.metadata.uid);
    },
  );

  it.each(sweepOf(['refuse', 'silence'] as const, { oneIn: 2 }))(
    'changed exports arrive when it is back (%s)',
    async (how) => {
      await using fleet = await fleetWithCart();
      const west = fleet.cluster('west');
      const other = { namespace: 'shop', name: 'other' };
      const link = fleet.link('west-member', 'north');
      link.cut(how);
      await fleet.clock.advance(60_000);
      unexportService(west);
      exportCart(west, '10.20.1.5', http(82));
      putService(west, http(83), other);
      west.server.admin.put(ServiceExport, { metadata: { ...other } });
      await fleet.clock.advance(600_000);
      expect(exportCondition(west, 'Ready', other)).toMatch(/^False /);
      link.heal();
      const arrived = () => importedPorts(west).join() === 'http TCP 82' && importedPorts(west, other).length === 1;
      await fleet.until('all arrives', arrived, 60_000);
      await fleet.until('and is told', () => exportCondition(west, 'Ready', other) === 'True Exported', 60_000);
    },
  );

  it('own Pods that get ready while it is away serve the import at once, and its return changes nothing', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    exportCart(west, 'none', http(80));
    await fleet.until('it is imported', () => importedPorts(west).join() === 'http TCP 80');
    expect(importedSlices(west)).toEqual([]);
    const link = fleet.link('west-member', 'north');
    link.cut('refuse');
    await fleet.until('west says so', () => clusterSetCondition(west) === 'False Disconnected', 40_000);
    putPod(west, 'cart-1', '10.20.1.5');
    await fleet.until('it is served', () => importedSlices(west).join() === 'west: 10.20.1.5 http:8080', 1_000);
    const before = west.server.admin.list(EndpointSlice, 'shop');
    link.heal();
    await fleet.until('west is back', () => clusterSetCondition(west) === 'True Connected', 30_000);
    await fleet.clock.advance(60_000);
    expect(west.server.admin.list(EndpointSlice, 'shop')).toEqual(before);
  });

  it('changes made while no controller ran arrive when the leader is slow to answer', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    west.kill();
    putService(west, http(84));
    fleet.link('west-member', 'north').add({ match: () => true, fault: { kind: 'latency', ms: 3_000 } });
    west.start();
    await fleet.until('it arrives', () => importedPorts(west).join() === 'http TCP 84');
  });

  it('reports on a new ServiceExport which leader it waits for', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').cut('refuse');
    west.start();
    fleet.join();
    exportCart(west, '10.20.1.5');
    await fleet.until('it says so', () => exportCondition(west, 'Ready') === 'False Pending', 5_000);
    expect(exportMessage(west, 'Ready')).toMatch(/^Waiting for leader north at https:\/\/north\.test:6443: /);
    expect(exportCondition(west, 'Valid')).toBe('True Valid');
  });

  it('reports on a ServiceExport that the cluster is in no ClusterSet', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const west = fleet.cluster('west');
    west.start();
    exportCart(west, '10.20.1.5');
    await fleet.until('it says so', () => exportCondition(west, 'Ready') === 'False Pending', 5_000);
    expect(exportMessage(west, 'Ready')).toMatch(/not joined a ClusterSet/);
  });

  it('a write conflict on a heartbeat does not count as a lost leader', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').add({
      match: ({ method, path }) => method === 'PATCH' && path.includes('memberclusterannounces'),
      fault: { kind: 'status', code: 409 },
      times: 2,
    });
    const seen = new Set<string>();
    west.server.admin.onChange(() => seen.add(clusterSetCondition(west)));
    await fleet.clock.advance(60_000);
    expect([...seen].filter((condition) => condition !== 'True Connected')).toEqual([]);
  });

  it('a heartbeat that is never answered does not stall the status', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').add({
      match: ({ method }) => method === 'PATCH',
      fault: { kind: 'hang' },
    });
    await fleet.until('west says so', () => clusterSetCondition(west) === 'False Disconnected', 31_000);
  });

  it('waits for no pause of a watch after a long outage: once a heartbeat is answered, what changed meanwhile arrives', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const link = fleet.link('west-member', 'north');
    link.cut('refuse');
    await fleet.clock.advance(300_000);
    putService(west, http(81));
    link.heal();
    await fleet.until('west is connected', () => clusterSetCondition(west) === 'True Connected', 11_000);
    await fleet.until('the change has gone the whole way', () => importedPorts(west).join() === 'http TCP 81', 1_000);
  });

  it('does not believe a watch from before a heartbeat that failed', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    const link = fleet.link('west-member', 'north');
    link.add({
      match: ({ query }) => query?.['watch'] !== undefined,
      fault: { kind: 'stall-stream', afterLines: 0 },
      times: 3,
    });
    link.cut('refuse');
    link.heal();
    await fleet.clock.advance(15_000);
    putService(west, http(81));
    await fleet.clock.advance(15_000);
    expect(importedPorts(west)).toEqual(['http TCP 80']);
    link.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 503 }, times: 1 });
    await fleet.until('the change has arrived', () => importedPorts(west).join() === 'http TCP 81', 25_000);
  });

  it('the watches resume after five minutes in which they could not be set up', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair, join: false });
    const west = fleet.cluster('west');
    fleet.link('west-member', 'north').add({
      match: ({ method }) => method === 'GET',
      fault: { kind: 'status', code: 503 },
      times: 30,
    });
    fleet.leader.start();
    west.start();
    fleet.join();
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('it is imported', () => importedSlices(west).length === 1, 900_000);
  });
});

describe('when the leader forgot this member', () => {
  it('announces itself again after somebody deleted its announcement, and its exports stay', async () => {
    await using fleet = await fleetWithCart();
    const { admin } = fleet.leader.server;
    const uid = () => admin.get(MemberClusterAnnounce, announceRef)?.metadata.uid;
    const [before, exported] = [uid(), admin.list(ResourceExport).map(({ metadata }) => metadata.uid)];
    admin.delete(MemberClusterAnnounce, announceRef);
    await fleet.until('it is announced again', () => uid() !== undefined && uid() !== before);
    expect(admin.list(ResourceExport).map(({ metadata }) => metadata.uid)).toEqual(exported);
    await fleet.until('west is connected', () => clusterSetCondition(fleet.cluster('west')) === 'True Connected');
    await fleet.until('and its import stands', () => importedSlices(fleet.cluster('west')).length === 1);
  });

  it('writes exports again that somebody deleted on the leader', async () => {
    await using fleet = await fleetWithCart();
    const { admin } = fleet.leader.server;
    for (const { metadata } of admin.list(ResourceExport)) admin.delete(ResourceExport, metadata);
    await fleet.until(
      'they are back',
      () => {
        const found = admin.list(ResourceExport);
        return found.length === 2 && found.every(({ metadata }) => metadata.deletionTimestamp === undefined);
      },
      90_000,
    );
    await fleet.until('and imported', () => importedSlices(fleet.cluster('west')).length === 1);
    await fleet.until('and told', () => exportCondition(fleet.cluster('west'), 'Ready') === 'True Exported');
  });

  it('completes the deletion of all exports while the leader runs', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const { admin } = fleet.leader.server;
    for (const name of ['east', 'west']) exportCart(fleet.cluster(name), '10.20.1.5', westPorts);
    await fleet.until('both are imported', () => importedSlices(fleet.cluster('east')).length === 2);
    const uids = admin.list(ResourceExport).map(({ metadata }) => metadata.uid);
    for (const { metadata } of admin.list(ResourceExport)) admin.delete(ResourceExport, metadata);
    await fleet.until('all of them are gone', () =>
      admin.list(ResourceExport).every(({ metadata }) => !uids.includes(metadata.uid)),
    );
  });
});
