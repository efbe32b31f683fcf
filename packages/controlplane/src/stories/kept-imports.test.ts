import { EndpointSlice, Pod, Secret, Service, ServiceImport } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  createVirtualFleet,
  derivedCart,
  exportCart,
  fleetState,
  importedPorts,
  importedSlices,
  leaderSecret,
  memberNamespace,
  putPod,
  putService,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { sweepRow } from '@isthmus/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const secretRef = { namespace: memberNamespace, name: leaderSecret.name };

/** The situations in which a member runs without its leader. */
const ways: readonly (readonly [string, (fleet: VirtualFleet, west: VirtualCluster) => Promise<void>, string])[] = [
  [
    'the leader cannot be reached after a restart',
    async (fleet, west) => {
      fleet.link('west-member', 'north').cut('refuse');
      west.kill();
      await fleet.clock.advance(1_000);
      west.start();
    },
    'False Disconnected',
  ],
  [
    'the leader does not answer after a restart',
    async (fleet, west) => {
      fleet.link('west-member', 'north').cut('silence');
      west.kill();
      await fleet.clock.advance(1_000);
      west.start();
    },
    'False Disconnected',
  ],
  [
    'the Secret with the token is missing',
    async (_, west) => {
      west.server.admin.delete(Secret, secretRef);
      return Promise.resolve();
    },
    'False SecretNotFound',
  ],
  [
    'the leader refuses the token after a restart',
    async (fleet, west) => {
      fleet.revoke('member-west');
      west.kill();
      await fleet.clock.advance(1_000);
      west.start();
    },
    'False Unauthorized',
  ],
];

/** The state of one cluster without ClusterSets, which report how long the leader has been away. */
const stateOf = (fleet: VirtualFleet, name: string) =>
  fleetState(fleet).filter((line) => line.startsWith(`${name} `) && !line.includes(' ClusterSet '));
/** The writes of an import in a cluster. */
const importWrites = (writes: readonly string[], name: string) =>
  writes.filter((write) => write.startsWith(`${name} `) && /antrea-mc-|serviceimports|\/services/.test(write));

const rows = ways.map((way, row) => [...way, sweepRow(row, { oneIn: 3 })] as const);

describe.each(rows)('while %s', (_, cutOff, condition, isNext) => {
  let fleet: VirtualFleet;
  let west: VirtualCluster;
  beforeEach(async () => {
    fleet = await createVirtualFleet({ clusters: three });
    west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http);
    exportCart(fleet.cluster('east'), '10.10.3.4', http);
    await fleet.until('west has imported both', () => importedSlices(west).length === 2);
    await fleet.clock.advance(5_000);
    await cutOff(fleet, west);
    await fleet.until('west reports it', () => clusterSetCondition(west) === condition, 40_000);
  });
  afterEach(() => fleet[Symbol.asyncDispose]());

  const own = () => importedSlices(west).filter((slice) => slice.startsWith('west'));
  const others = () =>
    west.server.admin
      .list(EndpointSlice, cart.namespace)
      .filter(({ metadata: { labels } }) => labels?.['multicluster.kubernetes.io/source-cluster'] === 'east');
  const served = () => west.server.admin.get(Service, derivedCart);

  it.runIf(isNext())('own Pods of an import come and go, and the endpoints of other clusters stay', async () => {
    const before = { others: others(), service: served(), serviceImport: west.server.admin.get(ServiceImport, cart) };
    west.server.admin.delete(Pod, { namespace: cart.namespace, name: 'cart-1' });
    putPod(west, 'cart-2', '10.20.1.6');
    await fleet.until('the new Pod serves', () => own().join() === 'west: 10.20.1.6 http:8080', 5_000);
    west.server.admin.delete(Pod, { namespace: cart.namespace, name: 'cart-2' });
    await fleet.until('no Pod serves', () => own().length === 0, 5_000);
    putPod(west, 'cart-3', '10.20.1.7');
    await fleet.until('the next Pod serves', () => own().join() === 'west: 10.20.1.7 http:8080', 5_000);
    expect({
      others: others(),
      service: served(),
      serviceImport: west.server.admin.get(ServiceImport, cart),
    }).toEqual(before);
  });

  it.runIf(isNext())('the derived Service, its slices and the condition are repaired', async () => {
    await fleet.clock.advance(5_000);
    // Its exports are reported as Unknown meanwhile.
    const state = () => stateOf(fleet, 'west').filter((line) => !line.startsWith('west ServiceExport '));
    const before = state();
    const uid = served()?.metadata.uid;
    west.server.admin.patch(Service, derivedCart, {
      metadata: { labels: { 'app.kubernetes.io/managed-by': null } },
      spec: { ports: [{ name: 'x', port: 4 }], selector: { app: 'mine' } },
    });
    west.server.admin.patch(ServiceImport, cart, { status: { conditions: [] }, spec: { ips: ['10.9.9.9'] } });
    for (const { metadata } of others())
      west.server.admin.patch(EndpointSlice, metadata, { metadata: { ownerReferences: null } });
    await fleet.clock.advance(10_000);
    expect(state()).toEqual(before);
    expect(served()?.metadata.uid).toBe(uid);
  });

  it.runIf(isNext())('a deleted Service is made again, with the endpoints of the own cluster', async () => {
    const uid = served()?.metadata.uid;
    west.server.admin.delete(Service, derivedCart);
    await fleet.clock.advance(10_000);
    expect(served()?.metadata.uid).not.toBe(uid);
    expect(west.server.admin.get(ServiceImport, cart)?.spec?.ips).toEqual([served()?.spec?.clusterIP]);
    expect(own()).toEqual(['west: 10.20.1.5 http:8080']);
  });

  it.runIf(isNext())(
    'a withdrawn export is served, its Pods up to date, until the leader has heard of it',
    async () => {
      unexportService(west);
      putPod(west, 'cart-2', '10.20.1.6');
      await fleet.until('both Pods serve', () => own().join() === 'west: 10.20.1.5,10.20.1.6 http:8080', 5_000);
      expect(importedPorts(west)).toEqual(['http TCP 80']);
      expect(others()).toHaveLength(1);
    },
  );

  it.runIf(isNext())('own Pods behind a port that is renamed serve under its old name, which others know', async () => {
    let empty = 0;
    const stop = west.server.admin.onChange(() => {
      if (own().length === 0) empty += 1;
    });
    putService(west, [{ name: 'web', protocol: 'TCP', port: 80, targetPort: 8080 }]);
    await fleet.clock.advance(10_000);
    stop();
    expect(own()).toEqual(['west: 10.20.1.5 http:8080']);
    expect(empty).toBe(0);
  });

  it.runIf(isNext())('nothing is written where nothing changes', async () => {
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    await fleet.clock.advance(60_000);
    expect(importWrites(writes(), 'west')).toEqual([]);
  });
});

it('an import that was kept is taken over without a write when the leader is back', async () => {
  await using fleet = await createVirtualFleet({ clusters: three });
  const west = fleet.cluster('west');
  exportCart(west, '10.20.1.5', http);
  exportCart(fleet.cluster('east'), '10.10.3.4', http);
  await fleet.until('west has imported both', () => importedSlices(west).length === 2);
  await fleet.clock.advance(5_000);
  const link = fleet.link('west-member', 'north');
  link.cut('refuse');
  west.kill();
  west.start();
  await fleet.clock.advance(60_000);
  putPod(west, 'cart-2', '10.20.1.6');
  await fleet.until(
    'both Pods serve',
    () => importedSlices(west).includes('west: 10.20.1.5,10.20.1.6 http:8080'),
    5_000,
  );
  const slices = west.server.admin.list(EndpointSlice, cart.namespace);
  const writes = recordWrites(fleet);
  link.heal();
  await fleet.until('west is connected', () => clusterSetCondition(west) === 'True Connected', 60_000);
  await fleet.clock.advance(30_000);
  expect(importWrites(writes(), 'west')).toEqual([]);
  expect(west.server.admin.list(EndpointSlice, cart.namespace)).toEqual(slices);
  unexportService(fleet.cluster('east'));
  await fleet.until('what the leader says counts again', () => importedSlices(west).length === 1, 10_000);
});
