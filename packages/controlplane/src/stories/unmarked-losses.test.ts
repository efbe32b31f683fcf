import {
  ClusterSet,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
  ServiceImport,
  memberAnnounceName,
} from '@isthmus/api';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import type { VirtualFleet, VirtualFleetOptions } from '@isthmus/fleet-sim';
import {
  createVirtualFleet,
  deleteAntreaExports,
  leaderNamespace,
  putAntreaExports,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';
import { deleteDefinition } from '../testing/deleted-definitions.ts';
import { all, deleteAll, names, existing } from '../testing/lost-carts.ts';

const announced = { namespace: leaderNamespace, name: memberAnnounceName('antrea') };

/** Our leader and our member east, and an Antrea member, which exports this many Services. */
async function withAntreaMember(
  count: number,
  options: Omit<VirtualFleetOptions, 'clusters'> = {},
  restMs = 15_000,
): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ ...options, clusters: { north: 'leader', east: 'member' } });
  if (options.join === false) {
    runAntreaLeader(fleet);
    fleet.cluster('east').start();
    fleet.join();
  }
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  const { admin } = fleet.leader.server;
  const beat = () => {
    const found = admin.get(MemberClusterAnnounce, announced);
    const annotations = { ...found?.metadata.annotations, 'touch-ts': rfc3339(fleet.clock.now()) };
    const metadata = { ...announced, ...found?.metadata, annotations };
    admin.put(MemberClusterAnnounce, {
      ...found,
      metadata,
      clusterID: 'antrea',
      clusterSetID: 'clusterset',
      leaderClusterID: 'north',
    });
    fleet.clock.after(10_000, beat);
  };
  beat();
  exportCarts(fleet, count);
  await fleet.until('east has imported all', () => existing(fleet).slices.length === count);
  await fleet.clock.advance(restMs);
  return fleet;
}

function exportCarts(fleet: VirtualFleet, count: number): void {
  for (const ref of names.slice(0, count)) {
    const ports = westPorts.map(({ name = '', port, protocol = 'TCP' }) => ({ name, port, protocol }));
    const subsets = [{ addresses: [{ ip: '10.99.0.1' }], ports }];
    putAntreaExports(fleet, 'antrea', { ...ref, ports: westPorts, subsets });
  }
}

/**
 * As `kubectl delete resourceexports --all` does: one request after the other, in the order of
 * names.
 */
async function deleteInTurn(fleet: VirtualFleet, everyMs: number): Promise<void> {
  for (const { metadata } of all(fleet, ResourceExport)) {
    fleet.leader.server.admin.delete(ResourceExport, metadata);
    await fleet.clock.advance(everyMs);
  }
}

describe('of a member that does not mark what it withdraws', () => {
  it.each([20, 400])('all exports that are deleted in turn, every %i ms, are kept for a minute', async (everyMs) => {
    await using fleet = await withAntreaMember(names.length);
    const before = existing(fleet);
    await deleteInTurn(fleet, everyMs);
    await fleet.clock.advance(30_000);
    expect(existing(fleet)).toEqual(before);
    expect(all(fleet, ResourceExport)).toEqual([]);
    await fleet.until('what nobody exports is gone', () => existing(fleet).imports.length === 0, 60_000);
  });

  it('a single withdrawal is believed after a second', async () => {
    await using fleet = await withAntreaMember(names.length);
    deleteAntreaExports(fleet, 'antrea', names[0] ?? { namespace: '', name: '' });
    await fleet.until('it is gone', () => existing(fleet).imports.length === names.length - 1, 2_000);
  });

  it('a withdrawal is believed at once where it cannot be one of many', async () => {
    await using fleet = await withAntreaMember(10);
    deleteAntreaExports(fleet, 'antrea', names[0] ?? { namespace: '', name: '' });
    await fleet.until('it is gone', () => existing(fleet).imports.length === 9, 700);
  });
});

it('under an Antrea leader all exports of its members that are deleted in turn are kept by ours for a minute', async () => {
  await using fleet = await withAntreaMember(names.length, { antreaCrds: true, join: false });
  const before = existing(fleet);
  await deleteInTurn(fleet, 400);
  await fleet.clock.advance(30_000);
  expect(existing(fleet)).toEqual(before);
  await fleet.until('what nobody exports is gone', () => existing(fleet).imports.length === 0, 60_000);
});

it('under an Antrea leader a withdrawal just after the importer has joined is believed at once', async () => {
  await using fleet = await withAntreaMember(1, { antreaCrds: true, join: false }, 2_000);
  deleteAntreaExports(fleet, 'antrea', names[0] ?? { namespace: '', name: '' });
  await fleet.until('it is gone', () => existing(fleet).imports.length === 0, 700);
});

describe.each([
  ['this leader', {}, ['north', 'east']],
  ['an Antrea leader', { antreaCrds: true, join: false }, ['east']],
] as const)('under %s, of a member that does not mark what it withdraws', (_, options, restarted) => {
  it('all exports that are lost with their definition are kept until they are exported again, however long that takes', async () => {
    await using fleet = await withAntreaMember(names.length, options);
    const before = existing(fleet);
    const apply = deleteDefinition(fleet, 'resourceexports');
    await fleet.clock.advance(90_000);
    apply();
    await fleet.clock.advance(600_000);
    // While a user restores what is lost, controllers are restarted.
    for (const cluster of restarted.map((name) => fleet.cluster(name))) {
      cluster.kill();
      cluster.start();
    }
    await fleet.clock.advance(600_000);
    expect(existing(fleet)).toEqual(before);
    exportCarts(fleet, names.length);
    await fleet.clock.advance(60_000);
    expect(existing(fleet)).toEqual(before);
    deleteAntreaExports(fleet, 'antrea', names[0] ?? { namespace: '', name: '' });
    await fleet.until('a withdrawal is believed', () => existing(fleet).imports.length === names.length - 1, 2_000);
  });
});

it('a ServiceImport that somebody else made is not held, nor written, when the Common Area loses a definition', async () => {
  await using fleet = await withAntreaMember(1);
  const { admin } = fleet.cluster('east').server;
  const foreign = { namespace: 'shop', name: 'theirs' };
  admin.put(ServiceImport, { metadata: foreign, spec: { type: 'ClusterSetIP', ports: [] } });
  await fleet.clock.advance(5_000);
  const apply = deleteDefinition(fleet, 'resourceimports');
  await fleet.clock.advance(90_000);
  apply();
  await fleet.clock.advance(1_000);
  // Its owner keeps changing it.
  const before = admin.patch(ServiceImport, foreign, { metadata: { labels: { step: 'two' } } });
  await fleet.clock.advance(600_000);
  expect(admin.get(ServiceImport, foreign)).toEqual(before);
  const { status } = admin.list(ClusterSet).at(0) ?? {};
  expect(conditionOf(status?.conditions, 'WithdrawalHeld')).toBeUndefined();
});

describe('of a member that does not mark what it withdraws, under this leader', () => {
  it.each([1, names.length])(
    '%i imports that the leader loses together with their exports are kept until they are exported again',
    async (count) => {
      await using fleet = await withAntreaMember(count);
      const before = existing(fleet);
      // As after an older backup: no controller saw the deletions.
      fleet.leader.kill();
      for (const type of [ResourceExport, ResourceImport])
        for (const { metadata } of all(fleet, type)) fleet.leader.server.admin.remove(type, metadata);
      fleet.leader.start();
      await fleet.clock.advance(600_000);
      expect(existing(fleet)).toEqual(before);
      fleet.cluster('east').kill();
      fleet.cluster('east').start();
      await fleet.clock.advance(600_000);
      expect(existing(fleet)).toEqual(before);
      exportCarts(fleet, count);
      await fleet.clock.advance(60_000);
      expect(existing(fleet)).toEqual(before);
      deleteAntreaExports(fleet, 'antrea', names[0] ?? { namespace: '', name: '' });
      await fleet.until('a withdrawal is believed', () => existing(fleet).imports.length === count - 1, 2_000);
    },
  );

  it('a withdrawal while the importer is away is believed when the exporter has been heard for half a minute', async () => {
    await using fleet = await withAntreaMember(2);
    fleet.cluster('east').kill();
    deleteAntreaExports(fleet, 'antrea', names[0] ?? { namespace: '', name: '' });
    await fleet.clock.advance(60_000);
    fleet.cluster('east').start();
    await fleet.until('it is gone', () => existing(fleet).imports.length === 1, 60_000);
  });
});

it.each([1, names.length])(
  'under an Antrea leader whose Common Area is empty, %i imports are kept until they are exported again, also by a member that restarts',
  async (count) => {
    await using fleet = await withAntreaMember(count, { antreaCrds: true, join: false });
    const before = existing(fleet);
    const east = fleet.cluster('east');
    // While the token is invalid, no controller sees what is lost.
    east.kill();
    for (const type of [ResourceExport, ResourceImport, MemberClusterAnnounce]) deleteAll(fleet, type);
    await fleet.clock.advance(5_000);
    east.start();
    await fleet.clock.advance(600_000);
    east.kill();
    east.start();
    await fleet.clock.advance(600_000);
    expect(existing(fleet)).toEqual(before);
    exportCarts(fleet, count);
    await fleet.clock.advance(60_000);
    expect(existing(fleet)).toEqual(before);
    deleteAntreaExports(fleet, 'antrea', names[0] ?? { namespace: '', name: '' });
    await fleet.until('a withdrawal is believed', () => existing(fleet).imports.length === count - 1, 2_000);
  },
);
