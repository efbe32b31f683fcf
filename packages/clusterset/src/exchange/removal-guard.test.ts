import { Annotation, ClusterSet, Event, ResourceExport, ResourceImport, Service, ServiceImport } from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/testkit';
import { createVirtualFleet, exportService, leaderNamespace, putService, westPorts } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { decideRemoval, holdMs } from './removal-guard.ts';

describe('a removal', () => {
  it.each([
    [
      'that the watch told of goes',
      { deletedByWatch: true, allowed: false, missing: 500, total: 500, heldMs: undefined },
      { kind: 'go' },
    ],
    [
      'that a person allows goes',
      { deletedByWatch: false, allowed: true, missing: 500, total: 500, heldMs: undefined },
      { kind: 'go' },
    ],
    [
      'of ten at once goes',
      { deletedByWatch: false, allowed: false, missing: 10, total: 10, heldMs: undefined },
      { kind: 'go' },
    ],
    [
      'of half goes',
      { deletedByWatch: false, allowed: false, missing: 50, total: 100, heldMs: undefined },
      { kind: 'go' },
    ],
    [
      'of more than half is held',
      { deletedByWatch: false, allowed: false, missing: 51, total: 100, heldMs: undefined },
      { kind: 'hold', forMs: holdMs },
    ],
    [
      'that is held stays so for the rest of a minute',
      { deletedByWatch: false, allowed: false, missing: 51, total: 100, heldMs: 45_000 },
      { kind: 'hold', forMs: 15_000 },
    ],
    [
      'that is held stays so while others come back',
      { deletedByWatch: false, allowed: false, missing: 1, total: 100, heldMs: 45_000 },
      { kind: 'hold', forMs: 15_000 },
    ],
    [
      'is asked for once more after a minute',
      { deletedByWatch: false, allowed: false, missing: 51, total: 100, heldMs: holdMs },
      { kind: 'confirm' },
    ],
  ] as const)('%s', (_, input, verdict) => {
    expect(decideRemoval(input)).toEqual(verdict);
  });
});

const names = Array.from({ length: 20 }, (_, index) => ({ namespace: 'shop', name: `cart-${index}` }));

async function fleetWithTwenty(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  putService(fleet.cluster('east'), westPorts, { namespace: 'shop', name: 'other' });
  for (const ref of names) {
    putService(fleet.cluster('west'), westPorts, ref);
    exportService(fleet.cluster('west'), ref);
  }
  await fleet.until('east has imported all', () => imported(fleet).length === names.length);
  return fleet;
}

const imported = (fleet: VirtualFleet) =>
  fleet
    .cluster('east')
    .server.admin.list(ServiceImport, 'shop')
    .map(({ metadata }) => metadata.uid);

/**
 * The leader's API server loses objects while nobody can watch it: what a restored backup looks like from outside. It is back for the
 * exporter forty seconds after it is for the others.
 */
async function lose(fleet: VirtualFleet, types: readonly ResourceType[]): Promise<void> {
  const { admin } = fleet.leader.server;
  const links = ['east-member', 'north-leader', 'west-member'].map((controller) => fleet.link(controller, 'north'));
  for (const link of links) link.cut('refuse');
  for (const type of types) for (const { metadata } of admin.list(type, leaderNamespace)) admin.remove(type, metadata);
  admin.compact();
  await fleet.clock.advance(5_000);
  for (const link of links.slice(0, 2)) link.heal();
  await fleet.clock.advance(40_000);
  links[2]?.heal();
}

describe('when the leader has lost everything', () => {
  it('members keep their imports until the exporters have brought them back', async () => {
    await using fleet = await fleetWithTwenty();
    const before = imported(fleet);
    await lose(fleet, [ResourceExport, ResourceImport]);
    await fleet.until(
      'all is exported again',
      () => fleet.leader.server.admin.list(ResourceImport).length === 3 * names.length,
    );
    await fleet.clock.advance(180_000);
    expect(imported(fleet)).toEqual(before);
  });

  it('and the exporter is gone too, members drop the imports after a minute', async () => {
    await using fleet = await fleetWithTwenty();
    fleet.cluster('west').kill();
    await lose(fleet, [ResourceExport, ResourceImport]);
    expect(imported(fleet)).toHaveLength(names.length);
    await fleet.until('the imports are dropped', () => imported(fleet).length === 0, 300_000);
    expect(fleet.cluster('east').server.admin.get(Service, { namespace: 'shop', name: 'other' })).toBeDefined();
  });
});

describe('what is held', () => {
  const annotate = (fleet: VirtualFleet, at: 'north' | 'east', namespace: string) => {
    const { admin } = at === 'north' ? fleet.leader.server : fleet.cluster(at).server;
    const [clusterSet] = admin.list(ClusterSet, namespace);
    const until = rfc3339(fleet.clock.now() + 300_000);
    const ref = { namespace, name: clusterSet?.metadata.name ?? '' };
    admin.patch(ClusterSet, ref, { metadata: { annotations: { [Annotation.allowRemovalsUntil]: until } } });
  };
  const toldBy = (fleet: VirtualFleet, at: 'north' | 'east') =>
    (at === 'north' ? fleet.leader.server : fleet.cluster(at).server).admin
      .list(Event)
      .filter(({ reason }) => reason === 'WithdrawalHeld')
      .map(({ involvedObject, message }) => `${involvedObject.kind} ${message}`);

  it('by a member goes at once when a person says so, as an Event tells how', async () => {
    await using fleet = await fleetWithTwenty();
    fleet.leader.kill();
    await lose(fleet, [ResourceImport]);
    expect(imported(fleet)).toHaveLength(names.length);
    expect(toldBy(fleet, 'east')).toEqual([
      expect.stringMatching(/^ClusterSet .*missing on leader north.* isthmus\.dev\/allow-removals-until=/),
    ]);
    annotate(fleet, 'east', 'kube-system');
    await fleet.until('the imports are dropped', () => imported(fleet).length === 0, 2_000);
  });

  it('by a leader goes at once when a person says so, as an Event tells how', async () => {
    await using fleet = await fleetWithTwenty();
    fleet.cluster('west').kill();
    await lose(fleet, [ResourceExport]);
    expect(fleet.leader.server.admin.list(ResourceImport)).toHaveLength(3 * names.length);
    expect(toldBy(fleet, 'north')).toEqual([
      expect.stringMatching(/^ClusterSet .*lost their exports.* isthmus\.dev\/allow-removals-until=/),
    ]);
    annotate(fleet, 'north', leaderNamespace);
    await fleet.until(
      'the imports are dropped',
      () => fleet.leader.server.admin.list(ResourceImport).length === 0,
      2_000,
    );
  });
});

describe('when only the exports are lost', () => {
  it('the leader keeps what it published until the exporters are back', async () => {
    await using fleet = await fleetWithTwenty();
    const published = () => fleet.leader.server.admin.list(ResourceImport).map(({ metadata }) => metadata.uid);
    const before = published();
    await lose(fleet, [ResourceExport]);
    await fleet.clock.advance(180_000);
    expect(published()).toEqual(before);
    expect(fleet.leader.server.admin.list(ResourceExport)).toHaveLength(2 * names.length);
  });
});

it('a member that leaves takes its exports along at once, however many they are', async () => {
  await using fleet = await fleetWithTwenty();
  const west = fleet.cluster('west').server.admin;
  const [clusterSet] = west.list(ClusterSet, 'kube-system');
  west.delete(ClusterSet, { namespace: 'kube-system', name: clusterSet?.metadata.name ?? '' });
  await fleet.until('east has dropped the imports', () => imported(fleet).length === 0, 20_000);
});
