import {
  Annotation,
  AntreaMessage,
  ClusterSet,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  ServiceExport,
  ServiceImport,
  memberAnnounceName,
} from '@isthmus/api';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportService,
  leaderNamespace,
  memberNamespace,
  putAntreaExports,
  putService,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';
import { all, deleteAll, names, shareCarts, existing } from '../testing/lost-carts.ts';

/**
 * West exports this many Services, and east imports them. Both are ours, and the leader is
 * Antrea's.
 */
async function underAntrea(count: number): Promise<VirtualFleet> {
  return (await underAntreaThatEnds(count)).fleet;
}

/** The same, and a function that stops the leader's controller. */
async function underAntreaThatEnds(count: number): Promise<{ readonly fleet: VirtualFleet; readonly end: () => void }> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    antreaCrds: true,
    join: false,
  });
  const end = runAntreaLeader(fleet);
  for (const name of ['east', 'west']) fleet.cluster(name).start();
  fleet.join();
  await shareCarts(fleet, count, 35_000);
  return { fleet, end };
}

const losses: readonly { readonly what: string; readonly lose: (fleet: VirtualFleet) => unknown }[] = [
  { what: 'all ResourceExports are deleted at once', lose: (fleet) => deleteAll(fleet, ResourceExport) },
  {
    what: 'all ResourceExports are deleted one after the other',
    async lose(fleet) {
      for (const { metadata } of all(fleet, ResourceExport)) {
        fleet.leader.server.admin.delete(ResourceExport, metadata);
        await fleet.clock.advance(200);
      }
    },
  },
  {
    what: 'both exports of one Service are deleted',
    lose(fleet) {
      for (const kind of ['service', 'endpoints'])
        fleet.leader.server.admin.delete(ResourceExport, {
          namespace: leaderNamespace,
          name: `west-shop-cart-0-${kind}`,
        });
    },
  },
  { what: 'all ResourceImports are deleted', lose: (fleet) => deleteAll(fleet, ResourceImport) },
  {
    what: 'the announcement of the exporter is deleted, and its exports with it',
    lose(fleet) {
      const ref = { namespace: leaderNamespace, name: memberAnnounceName('west') };
      fleet.leader.server.admin.delete(MemberClusterAnnounce, ref);
    },
  },
];

const visited = sweepOf(
  losses.flatMap((loss) => [1, 12].map((imports) => ({ ...loss, imports }))),
  { oneIn: 6, kindOf: ({ imports }) => `${imports}` },
);

describe.each([1, 12])('under an Antrea leader %i imports keep uids, addresses and endpoints when', (count) => {
  it.each(visited.filter(({ imports }) => imports === count))('$what', async ({ lose }) => {
    await using fleet = await underAntrea(count);
    const before = existing(fleet);
    const exported = all(fleet, ResourceExport).length;
    const gaps = new Set<string>();
    fleet.cluster('east').server.admin.onChange(() => {
      const missing = count - existing(fleet).slices.length;
      if (missing > 0) gaps.add(`${missing} missing`);
    });
    await lose(fleet);
    await fleet.clock.advance(180_000);
    expect([...gaps]).toEqual([]);
    expect(existing(fleet)).toEqual(before);
    expect(all(fleet, ResourceExport)).toHaveLength(exported);
    // A withdrawal is not held.
    unexportService(fleet.cluster('west'), names[0]);
    await fleet.until('the withdrawn one is gone', () => existing(fleet).slices.length === count - 1, 2_000);
  });
});

it('under an Antrea leader what was lost with many others stays for a minute, also when the others are back', async () => {
  await using fleet = await underAntrea(names.length);
  const before = existing(fleet);
  // No member is running that could announce anything.
  fleet.cluster('west').kill();
  deleteAll(fleet, ResourceExport);
  await fleet.clock.advance(20_000);
  const back = names.slice(0, 6);
  for (const ref of back) {
    const subsets = [
      { addresses: [{ ip: '10.99.0.1' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' as const }] },
    ];
    putAntreaExports(fleet, 'west', { ...ref, ports: westPorts, subsets });
  }
  await fleet.clock.advance(35_000);
  expect(existing(fleet).imports).toEqual(before.imports);
  await fleet.clock.advance(10_000);
  expect(existing(fleet).imports).toEqual(
    before.imports.filter((line) => back.some(({ name }) => line.startsWith(`${name} `))),
  );
});

it('under an Antrea leader that lost all ResourceImports, what reports it names the restart that brings them back', async () => {
  const { fleet, end } = await underAntreaThatEnds(names.length);
  await using _ = fleet;
  const before = existing(fleet);
  const east = fleet.cluster('east');
  const held = () => {
    const found = east.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    return conditionOf(found?.status?.conditions, 'WithdrawalHeld')?.message;
  };
  deleteAll(fleet, ResourceImport);
  await fleet.until('it is reported', () => held() !== undefined, 5_000);
  const cure =
    /They are kept\. Leader north does not publish them again by itself.* kubectl -n antrea-multicluster rollout restart deployment antrea-mc-controller/;
  expect(held()).toMatch(cure);
  expect(eventsOf(east).find((event) => event.startsWith('WithdrawalHeld'))).toMatch(cure);
  end();
  runAntreaLeader(fleet);
  await fleet.until('it is not reported any more', () => held() === undefined, 5_000);
  expect(all(fleet, ResourceImport)).toHaveLength(2 * names.length);
  expect(existing(fleet)).toEqual(before);
});

it('an export that a restored Antrea leader does not notice names the restart of its controller after a minute', async () => {
  const { fleet, end } = await underAntreaThatEnds(1);
  await using _ = fleet;
  // It is connected, and its API server works. Its controller watches objects that no longer exist.
  end();
  const west = fleet.cluster('west');
  const late = { namespace: 'shop', name: 'late' };
  putService(west, westPorts, late);
  exportService(west, late);
  const ready = () => {
    const found = west.server.admin.get(ServiceExport, late);
    return conditionOf(found?.status?.conditions, 'Ready')?.message ?? '';
  };
  const cure = 'kubectl -n antrea-multicluster rollout restart deployment antrea-mc-controller';
  await fleet.until('it waits', () => ready() === 'Waiting for leader north to merge the export', 20_000);
  await fleet.until('the cure is reported', () => ready().endsWith(cure), 65_000);
  runAntreaLeader(fleet);
  await fleet.until('it is exported', () => ready().startsWith(AntreaMessage.exported), 30_000);
});

it('under an Antrea leader that lost all ResourceImports, a member that imports only its own exports reports it, too', async () => {
  const { fleet, end } = await underAntreaThatEnds(names.length);
  await using _ = fleet;
  const west = fleet.cluster('west');
  const held = () => {
    const found = west.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    return conditionOf(found?.status?.conditions, 'WithdrawalHeld')?.message ?? '';
  };
  deleteAll(fleet, ResourceImport);
  await fleet.until('it is reported', () => held().startsWith(`Objects held: ${names.length}. `), 60_000);
  // The command in the message works as promised, even if the export of this cluster still exists.
  const until = rfc3339(fleet.clock.now() + 300_000);
  const ref = { namespace: memberNamespace, name: clusterSetName };
  const release = { metadata: { annotations: { [Annotation.allowRemovalsUntil]: until } } };
  west.server.admin.patch(ClusterSet, ref, release);
  await fleet.until(
    'they are removed',
    () => held() === '' && west.server.admin.list(ServiceImport).length === 0,
    5_000,
  );
  end();
  runAntreaLeader(fleet);
  const imported = () => west.server.admin.list(ServiceImport).length;
  await fleet.until('they are imported again', () => imported() === names.length, 60_000);
  expect(held()).toBe('');
});

it('under an Antrea leader that lost all announcements, what reports it names the restarts, although the leader is not heard', async () => {
  const { fleet } = await underAntreaThatEnds(names.length);
  await using _ = fleet;
  fleet.cluster('west').kill();
  deleteAll(fleet, MemberClusterAnnounce);
  const reported = () => eventsOf(fleet.cluster('east')).find((event) => event.startsWith('WithdrawalHeld'));
  await fleet.until('it is reported', () => reported() !== undefined, 5_000);
  expect(reported()).toContain('kubectl -n antrea-multicluster rollout restart deployment antrea-mc-controller');
});

it('under an Antrea leader that has lost all, the first Event of a new session names the restarts', async () => {
  const { fleet, end } = await underAntreaThatEnds(names.length);
  await using _ = fleet;
  const [east, { admin }] = [fleet.cluster('east'), fleet.leader.server];
  east.kill();
  fleet.cluster('west').kill();
  end();
  // The leader's controller has ended and no longer removes its finalizers.
  for (const { metadata } of all(fleet, ResourceExport))
    admin.patch(ResourceExport, metadata, { metadata: { finalizers: [] } });
  for (const { metadata } of all(fleet, MemberClusterAnnounce))
    admin.patch(MemberClusterAnnounce, metadata, { metadata: { finalizers: [] } });
  deleteAll(fleet, ResourceExport);
  deleteAll(fleet, ResourceImport);
  deleteAll(fleet, MemberClusterAnnounce);
  const before = eventsOf(east).length;
  east.start();
  const first = () =>
    eventsOf(east)
      .slice(before)
      .find((event) => event.startsWith('WithdrawalHeld'));
  await fleet.until('it is reported', () => first() !== undefined, 120_000);
  expect(first()).toContain('kubectl -n antrea-multicluster rollout restart deployment antrea-mc-controller');
});

it('under an Antrea leader a member that always announces exports to restore holds withdrawals of others for ten minutes', async () => {
  await using fleet = await underAntrea(1);
  const { admin } = fleet.leader.server;
  const name = memberAnnounceName('south');
  const announce = async (forMs: number) => {
    for (const endMs = fleet.clock.now() + forMs; fleet.clock.now() < endMs;) {
      const beat = rfc3339(fleet.clock.now());
      const annotations = {
        [Annotation.touchTs]: beat,
        [Annotation.marksAt]: beat,
        [Annotation.restoring]: beat,
      };
      admin.put(MemberClusterAnnounce, {
        metadata: { name, namespace: leaderNamespace, annotations },
        clusterID: 'south',
        clusterSetID: clusterSetName,
        leaderClusterID: 'north',
      });
      await fleet.clock.advance(10_000);
    }
  };
  await announce(30_000);
  unexportService(fleet.cluster('west'), names[0]);
  await announce(590_000);
  expect(existing(fleet).imports).toHaveLength(1);
  await announce(30_000);
  expect(existing(fleet).imports).toEqual([]);
});
