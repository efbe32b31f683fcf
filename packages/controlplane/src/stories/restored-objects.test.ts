import {
  ClusterSet,
  EndpointSlice,
  Lease,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  createVirtualFleet,
  exportCart,
  exportMessage,
  fleetState,
  importedSlices,
  leaderNamespace,
  memberNamespace,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { watchOutages } from '../testing/import-outages.ts';

/** In the order in which Velero restores custom resources. */
const ofLeader: readonly ResourceType[] = [ClusterSet, MemberClusterAnnounce, ResourceExport, ResourceImport];
const ofMember: readonly ResourceType[] = [Service, EndpointSlice, ClusterSet, ServiceExport, ServiceImport];
const ways = ['north-leader', 'west-member', 'east-member'] as const;
const mark = { 'velero.io/backup-name': 'daily', 'velero.io/restore-name': 'again' };

/**
 * An object as a tool such as Velero creates it again in another cluster: with its old owners and
 * annotations, without identity and status.
 */
function created({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    generation: ____,
    managedFields: _____,
    ...kept
  } = metadata;
  const { status: ______, ...rest } = object as { status?: unknown };
  return { ...rest, metadata: { ...kept, labels: { ...kept.labels, ...mark } } };
}

/**
 * Removes all objects of these kinds from a cluster while no controller can see it. The returned
 * function creates them again, one after the other.
 */
function moveAway(
  fleet: VirtualFleet,
  { server }: VirtualCluster,
  kinds: readonly (readonly [ResourceType, string])[],
) {
  const kept = kinds.map(([kind, namespace]) => [kind, server.admin.list(kind, namespace).map(created)] as const);
  for (const [kind, namespace] of [...kinds, [Lease, kinds[0]?.[1] ?? ''] as const])
    for (const { metadata } of server.admin.list(kind, namespace)) server.admin.remove(kind, metadata);
  server.admin.compact();
  return async () => {
    for (const [kind, objects] of kept) {
      for (const object of objects) {
        if (server.admin.get(kind, object.metadata) === undefined) server.admin.put(kind, object);
        await fleet.clock.advance(700);
      }
    }
  };
}

/**
 * West exports `shop/cart` first, east with another appProtocol, which is not used: the oldest
 * export wins.
 */
async function fleetWithConflict(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  exportCart(fleet.cluster('west'), '10.20.1.5', westPorts.slice(0, 1));
  await fleet.clock.advance(20_000);
  const other = westPorts.slice(0, 1).map((port) => ({ ...port, appProtocol: 'grpc' }));
  exportCart(fleet.cluster('east'), '10.10.3.4', other);
  await fleet.until('both have imported both', () =>
    ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 2),
  );
  await fleet.clock.advance(20_000);
  return fleet;
}

function outagesOf(fleet: VirtualFleet, names: readonly string[]): readonly string[] {
  const outages: string[] = [];
  for (const name of names) {
    watchOutages(
      fleet.cluster(name),
      () => false,
      (what) => outages.push(what),
    );
  }
  return outages;
}

const stateOf = (fleet: VirtualFleet) =>
  fleetState(fleet).map((line) =>
    line
      .replaceAll(/,?"velero\.io[^"]*":"[a-z]+"/g, '')
      .replaceAll('{,', '{')
      .replaceAll('"labels":{},', ''),
  );

describe('after the objects of a leader were created again in another cluster', () => {
  it('everything is as it was, with the ages of the exports, if its controller was stopped meanwhile', async () => {
    await using fleet = await fleetWithConflict();
    const before = stateOf(fleet);
    const outages = outagesOf(fleet, ['east', 'west']);
    fleet.leader.kill();
    for (const way of ways) fleet.link(way, 'north').cut('refuse');
    const restore = moveAway(
      fleet,
      fleet.leader,
      ofLeader.map((kind) => [kind, leaderNamespace] as const),
    );
    await fleet.clock.advance(60_000);
    await restore();
    fleet.leader.start();
    for (const way of ways) fleet.link(way, 'north').heal();
    await fleet.clock.advance(180_000);
    expect(outages).toEqual([]);
    expect(stateOf(fleet)).toEqual(before);
  });

  it.each(['before', 'after'])('no import is lost where it runs, and members connect %s the restore', async (when) => {
    await using fleet = await fleetWithConflict();
    const outages = outagesOf(fleet, ['east', 'west']);
    fleet.leader.kill();
    for (const way of ways) fleet.link(way, 'north').cut('refuse');
    const restore = moveAway(
      fleet,
      fleet.leader,
      ofLeader.map((kind) => [kind, leaderNamespace] as const),
    );
    fleet.link('north-leader', 'north').heal();
    fleet.leader.start();
    const connect = () => ways.forEach((way) => fleet.link(way, 'north').heal());
    if (when === 'before') connect();
    await restore();
    await fleet.clock.advance(30_000);
    connect();
    await fleet.clock.advance(180_000);
    expect(outages).toEqual([]);
    // Without the imports and the members, the leader knows the ages of the exports only from the
    // restore.
    if (when === 'before')
      expect(exportMessage(fleet.cluster('west'), 'Conflict')).toContain('not set in west (exported first)');
    expect(importedSlices(fleet.cluster('west'))).toHaveLength(2);
  });
});

it('after the objects of a member were created again while its controller was stopped, the other clusters have what they had', async () => {
  await using fleet = await fleetWithConflict();
  const west = fleet.cluster('west');
  const before = stateOf(fleet).filter((line) => !line.startsWith('west '));
  const outages = outagesOf(fleet, ['east']);
  west.kill();
  const restore = moveAway(
    fleet,
    west,
    ofMember.map((kind) => [kind, kind === ClusterSet ? memberNamespace : 'shop'] as const),
  );
  await restore();
  west.start();
  await fleet.until('it has its imports', () => importedSlices(west).length === 2, 120_000);
  await fleet.clock.advance(60_000);
  expect(outages).toEqual([]);
  expect(stateOf(fleet).filter((line) => !line.startsWith('west '))).toEqual(before);
  expect(exportMessage(west, 'Ready')).toBe('The Service is exported successfully');
});
