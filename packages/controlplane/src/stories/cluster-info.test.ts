import { ClusterInfoImport, ClusterSet, Gateway, ResourceExport, ResourceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  clusterSetCondition,
  eventsOf,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const ref = { namespace: memberNamespace, name: 'west-clusterinfo' };
const exportRef = { namespace: leaderNamespace, name: 'west-clusterinfo' };

const putGateway = (cluster: VirtualCluster, gatewayIP: string, name = 'node-1') =>
  cluster.server.admin.put(Gateway, {
    metadata: { name, namespace: memberNamespace },
    gatewayIP,
    serviceCIDR: '10.96.0.0/12',
  });
const importedBy = (cluster: VirtualCluster) => cluster.server.admin.get(ClusterInfoImport, ref);
const gatewaysSeenBy = (cluster: VirtualCluster) =>
  importedBy(cluster)?.spec?.gatewayInfos?.map(({ gatewayIP }) => gatewayIP);

async function fleetWithGateway(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  putGateway(fleet.cluster('west'), '192.0.2.10');
  await fleet.until('east knows the network of west', () => importedBy(fleet.cluster('east')) !== undefined);
  return fleet;
}

describe('the network of a member with a Gateway', () => {
  it('is known to the other members, and not imported by the member itself', async () => {
    await using fleet = await fleetWithGateway();
    expect(importedBy(fleet.cluster('east'))?.spec).toEqual({
      clusterID: 'west',
      serviceCIDR: '10.96.0.0/12',
      gatewayInfos: [{ gatewayIP: '192.0.2.10' }],
    });
    expect(fleet.cluster('west').server.admin.list(ClusterInfoImport)).toEqual([]);
  });

  it('changes in place when the Gateway does', async () => {
    await using fleet = await fleetWithGateway();
    const uid = importedBy(fleet.cluster('east'))?.metadata.uid;
    putGateway(fleet.cluster('west'), '192.0.2.11');
    await fleet.until('east knows the new address', () => gatewaysSeenBy(fleet.cluster('east'))?.[0] === '192.0.2.11');
    expect(importedBy(fleet.cluster('east'))?.metadata.uid).toBe(uid);
  });

  it('is withdrawn everywhere with the last Gateway', async () => {
    await using fleet = await fleetWithGateway();
    fleet.cluster('west').server.admin.delete(Gateway, { namespace: memberNamespace, name: 'node-1' });
    await fleet.until('east forgets it', () => importedBy(fleet.cluster('east')) === undefined);
    const { admin } = fleet.leader.server;
    expect([admin.get(ResourceExport, exportRef), admin.get(ResourceImport, exportRef)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('comes back where somebody deletes the import by hand', async () => {
    await using fleet = await fleetWithGateway();
    fleet.cluster('east').server.admin.delete(ClusterInfoImport, ref);
    await fleet.until('it is back', () => importedBy(fleet.cluster('east')) !== undefined);
  });

  it('stays while the leader is away', async () => {
    await using fleet = await fleetWithGateway();
    fleet.leader.kill();
    await fleet.clock.advance(120_000);
    expect(gatewaysSeenBy(fleet.cluster('east'))).toEqual(['192.0.2.10']);
  });

  it('is forgotten by a member that leaves, and with a member that leaves', async () => {
    await using fleet = await fleetWithGateway();
    const clusterSet = { namespace: memberNamespace, name: clusterSetName };
    const { admin } = fleet.cluster('east').server;
    admin.delete(ClusterSet, clusterSet);
    await fleet.until('east has left', () => admin.get(ClusterSet, clusterSet) === undefined);
    expect(importedBy(fleet.cluster('east'))).toBeUndefined();
    fleet.cluster('west').server.admin.delete(ClusterSet, clusterSet);
    await fleet.until('nothing is left of west', () => fleet.leader.server.admin.list(ResourceImport).length === 0);
  });

  it('that the leader does not publish is reported on the Gateway', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    fleet.leader.server.admin.put(ResourceImport, {
      metadata: exportRef,
      spec: { kind: 'Endpoints', namespace: 'shop', name: 'cart' },
    });
    putGateway(fleet.cluster('west'), '192.0.2.10');
    await fleet.until('an Event names the object in the way', () =>
      eventsOf(fleet.cluster('west')).some((event) => event.includes('NotExported')),
    );
  });

  it('that an Antrea leader has not published for a minute is reported on the Gateway, until it is published', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, antreaCrds: true, join: false });
    const west = fleet.cluster('west');
    runAntreaLeader(fleet);
    fleet.join();
    for (const name of ['east', 'west']) fleet.cluster(name).start();
    await fleet.until('joined', () => clusterSetCondition(west) === 'True Connected');
    putGateway(west, '192.0.2.10');
    const { admin } = fleet.leader.server;
    await fleet.until('it is exported', () => admin.get(ResourceExport, exportRef) !== undefined);
    const publish = () =>
      admin.put(ResourceImport, {
        metadata: exportRef,
        spec: {
          kind: 'ClusterInfo',
          ...exportRef,
          clusterinfo: admin.get(ResourceExport, exportRef)?.spec?.clusterInfo,
        },
      });
    const reported = () => eventsOf(west).filter((event) => event.startsWith('NotExported'));
    publish();
    await fleet.clock.advance(120_000);
    expect(reported()).toEqual([]);
    admin.delete(ResourceImport, exportRef);
    await fleet.clock.advance(50_000);
    expect(reported()).toEqual([]);
    await fleet.until('it is reported', () => reported().length > 0, 15_000);
    expect(reported()).toEqual([
      'NotExported Gateway/node-1: Leader north has not published the network of this cluster for a minute: there is no ResourceImport west-clusterinfo. Its controller may be stopped, or the ResourceImport was deleted, and Antrea does not publish it again by itself. Restart the controller there: kubectl -n antrea-multicluster rollout restart deployment antrea-mc-controller',
    ]);
    const lastSaid = () =>
      west.log.entries.findLast(({ fields }) => fields['key'] === 'cluster-info' && fields['reason'] === 'NotExported');
    expect(lastSaid()?.message).toBe('blocked until the reported problem is fixed');
    publish();
    await fleet.until('it is not reported any more', () => lastSaid()?.message === 'no longer blocked', 5_000);
  });

  it('is exported a minute after the object that had its name on the leader is deleted', async () => {
    await using fleet = await createVirtualFleet({ clusters: three });
    const { admin } = fleet.leader.server;
    const west = fleet.cluster('west');
    admin.put(ResourceExport, { metadata: exportRef, spec: { kind: 'Endpoints', clusterID: 'other' } });
    putGateway(west, '192.0.2.10');
    await fleet.until('it is reported', () => eventsOf(west).some((event) => event.includes('Delete it there')), 5_000);
    const ofNetwork = () =>
      west.log.entries.filter(({ fields }) => fields['key'] === 'cluster-info' && fields['reason'] === 'NotExported');
    expect(ofNetwork().map(({ message }) => message)).toEqual(['blocked until the reported problem is fixed']);
    admin.delete(ResourceExport, exportRef);
    await fleet.until('east knows the network of west', () => importedBy(fleet.cluster('east')) !== undefined, 65_000);
    expect(ofNetwork().at(-1)?.message).toBe('no longer blocked');
  });
});

describe('a member whose manifests are older than its image', () => {
  it.each([
    [2_000, 5_000, []],
    [15_000, 1_000, []],
    [12_000, 5_000, []],
    [2_000, 60_000, ['OutdatedManifests']],
  ])(
    'is not what an API server looks like that was away for %i ms and serves a kind again %i ms after its start: %j',
    async (cutMs, awayMs, seen) => {
      await using fleet = await createVirtualFleet({ clusters: three });
      const east = fleet.cluster('east');
      const link = fleet.link('east-member', 'east');
      const reason = () => clusterSetCondition(east).split(' ')[1] ?? '';
      link.cut('refuse');
      await fleet.clock.advance(cutMs);
      const serve = link.add({ match: ({ path }) => path.endsWith('/gateways'), fault: { kind: 'status', code: 404 } });
      link.heal();
      const reasons = new Set<string>();
      for (let ms = 0; ms < awayMs + 60_000; ms += 500) {
        if (ms === awayMs) serve();
        await fleet.clock.advance(500);
        reasons.add(reason());
      }
      expect([...reasons].filter((one) => one !== 'Connected')).toEqual(seen);
      expect(reason()).toBe('Connected');
    },
  );

  it('reports on the ClusterSet the kinds that it cannot read, and goes on with everything else, until it can', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, join: false });
    const east = fleet.cluster('east');
    const serve = fleet.link('east-member', 'east').add({
      match: ({ path }) => path.endsWith('/gateways'),
      fault: { kind: 'status', code: 404 },
    });
    fleet.join();
    for (const cluster of fleet.clusters) cluster.start();
    const ready = () => {
      const { status } = east.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName }) ?? {};
      return conditionOf(status?.conditions, 'Ready');
    };
    await fleet.until('it is reported', () => ready()?.reason === 'OutdatedManifests', 5_000);
    expect(ready()).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/does not serve gateways\.multicluster\.crd\.antrea\.io, .*deploy\/member\.yaml/),
    });
    putGateway(fleet.cluster('west'), '192.0.2.10');
    await fleet.until('east knows the network of west', () => importedBy(east) !== undefined);
    serve();
    await fleet.until('nothing is missing', () => ready()?.reason === 'Connected', 65_000);
  });
});
