import {
  ClusterSet,
  MemberClusterAnnounce,
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
  importedSlices,
  leaderSecret,
  memberNamespace,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const clusterSetRef = { namespace: memberNamespace, name: clusterSetName };

async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three });
  exportCart(fleet.cluster('west'), '10.20.1.5');
  exportCart(fleet.cluster('east'), '10.10.3.4');
  await fleet.until('both have imported both', () =>
    ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 2),
  );
  await fleet.clock.advance(15_000);
  return fleet;
}

const leave = (cluster: VirtualCluster) => cluster.server.admin.delete(ClusterSet, clusterSetRef);
const hasLeft = (cluster: VirtualCluster) => () => cluster.server.admin.get(ClusterSet, clusterSetRef) === undefined;

describe('leaving', () => {
  it('is not held up by a Secret that cannot be read', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    west.kill();
    leave(west);
    const isSecret = ({ path }: { readonly path: string }) => path.includes('/secrets');
    fleet.link('west-member', 'west').add({ match: isSecret, fault: { kind: 'status', code: 403 } });
    west.start();
    await fleet.until('what was imported is gone', () => west.server.admin.list(ServiceImport).length === 0, 5_000);
    expect(hasLeft(west)()).toBe(false);
    await fleet.until('west has left', hasLeft(west), 65_000);
    await fleet.clock.advance(1_000);
    expect(eventsOf(west).join()).toMatch(
      /Left the ClusterSet without an answer from leader north: Secret leader-token cannot be read\. .*-from-west/,
    );
  });

  it('leaves at the leader when the Secret can be read in time after all', async () => {
    await using fleet = await fleetWithCart();
    const west = fleet.cluster('west');
    west.kill();
    leave(west);
    let isForbidden = true;
    const isSecret = ({ path }: { readonly path: string }) => isForbidden && path.includes('/secrets');
    fleet.link('west-member', 'west').add({ match: isSecret, fault: { kind: 'status', code: 403 } });
    west.start();
    await fleet.clock.advance(3_000);
    isForbidden = false;
    await fleet.until('west has left', hasLeft(west), 40_000);
    const names = fleet.leader.server.admin.list(MemberClusterAnnounce).map(({ clusterID }) => clusterID);
    expect(names).toEqual(['east']);
    expect(fleet.leader.server.admin.list(ResourceExport).map(({ spec }) => spec?.clusterID)).toEqual(['east', 'east']);
  });
});

describe('a member that joins while the leader is down', () => {
  async function lateLeader(): Promise<VirtualFleet> {
    const fleet = await createVirtualFleet({ clusters: three, join: false });
    for (const name of ['east', 'west']) fleet.cluster(name).start();
    fleet.join();
    exportCart(fleet.cluster('west'), '10.20.1.5');
    await fleet.until('west is connected', () => clusterSetCondition(fleet.cluster('west')) === 'True Connected');
    await fleet.clock.advance(20_000);
    return fleet;
  }

  it('and leaves again leaves nothing behind', async () => {
    await using fleet = await lateLeader();
    const west = fleet.cluster('west');
    leave(west);
    await fleet.until('west has left', hasLeft(west), 65_000);
    fleet.leader.start();
    await fleet.clock.advance(60_000);
    expect(fleet.leader.server.admin.list(ResourceExport)).toEqual([]);
    expect(fleet.leader.server.admin.list(ResourceImport)).toEqual([]);
  });
});

describe('a withdrawal that was made while the member did not run', () => {
  it.each(['resourceimports', 'memberclusterannounces', 'resourceexports'])(
    'reaches the leader although %s are read last',
    async (plural) => {
      await using fleet = await fleetWithCart();
      const west = fleet.cluster('west');
      west.kill();
      unexportService(west);
      fleet.link('west-member', 'north').add({
        match: ({ method, path }) => method === 'GET' && path.includes(`/${plural}`),
        fault: { kind: 'latency', ms: 4_000 },
      });
      west.start();
      await fleet.clock.advance(60_000);
      expect(fleet.leader.server.admin.list(ResourceExport).map(({ spec }) => spec?.clusterID)).toEqual([
        'east',
        'east',
      ]);
    },
  );
});

describe('a ClusterSet that is edited without rest', () => {
  it('ends in one session, with what was wished last, and loses no import on the way', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, hosts: { '172.18.0.2': 'north' } });
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    exportCart(east, '10.10.3.4');
    exportCart(west, '10.20.1.5');
    await fleet.until('west has imported both', () => importedSlices(west).length === 2);
    await fleet.clock.advance(15_000);
    const ip = west.server.admin.get(Service, derivedCart)?.metadata.uid;
    for (let edit = 0; edit < 35; edit++) {
      const server = edit % 3 === 0 ? 'https://172.18.0.2:6443' : 'https://north.test:6443';
      const secret = edit % 5 === 0 ? 'no-such-secret' : leaderSecret.name;
      west.server.admin.patch(ClusterSet, clusterSetRef, {
        spec: { leaders: [{ clusterID: 'north', server, secret }] },
      });
      if (edit % 7 === 0) {
        const data = { 'ca.crt': btoa('a certificate'), token: btoa(`token-${edit}`) };
        west.server.admin.put(Secret, { metadata: { ...leaderSecret }, data });
      }
      await fleet.clock.advance(edit % 4 === 0 ? 0 : edit % 11);
    }
    await fleet.until('west is connected', () => clusterSetCondition(west) === 'True Connected');
    await fleet.clock.advance(30_000);
    expect(west.server.admin.get(Service, derivedCart)?.metadata.uid).toBe(ip);
    const writes = recordWrites(fleet);
    const before = fleet.leader.server.requestLog().length;
    await fleet.clock.advance(60_000);
    expect(writes()).toEqual([]);
    const beats = fleet.leader.server
      .requestLog()
      .slice(before)
      .filter((line) => line.includes(' PATCH ') && line.includes('member-announce-from-west'))
      // Those of the leader are answers.
      .filter((line) => !line.includes(':antrea-mc-controller '));
    expect(beats.length).toBeGreaterThanOrEqual(4);
    expect(beats.length).toBeLessThanOrEqual(5);
    expect(new Set(beats.map((line) => line.split(' ')[1])).size).toBe(1);
  });
});
