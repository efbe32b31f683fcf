import {
  EndpointSlice,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
} from '@isthmus/api';
import type { Random, ResourceType } from '@isthmus/machinery';
import { keyOfObject, seededRandom } from '@isthmus/machinery';
import type { Fault, VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportService, leaderNamespace, putPod, putService, westPorts } from '@isthmus/fleet-sim';
import { checksAllPoints, sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { watchOutages } from '../testing/import-outages.ts';

const members = ['east', 'west'] as const;
const refOf = (index: number) => ({ namespace: 'shop', name: `s-${index}` });
/** Exported by west; every second one by east too. */
const count = 4;
const exportersOf = (index: number) => (index % 2 === 0 ? ['west'] : ['west', 'east']);

/**
 * Exports the Services from `from` to `to`, and waits until both members have imported all exports
 * so far.
 */
async function exportServices(fleet: VirtualFleet, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) {
    const ref = refOf(index);
    for (const name of exportersOf(index)) {
      const cluster = fleet.cluster(name);
      putService(cluster, westPorts, ref);
      putPod(cluster, ref.name, `10.${name === 'west' ? 20 : 10}.1.${index + 1}`, { app: ref.name });
      exportService(cluster, ref);
    }
  }
  for (const name of members) putService(fleet.cluster(name), westPorts, { namespace: 'shop', name: 'other' });
  const slices = Array.from({ length: to }, (_, index) => exportersOf(index).length).reduce((sum, n) => sum + n, 0);
  await fleet.until('both have imported all', () =>
    members.every((name) => importedSlicesOf(fleet, name).length === slices),
  );
  await fleet.clock.advance(15_000);
}

const importedSlicesOf = (fleet: VirtualFleet, name: string) =>
  fleet
    .cluster(name)
    .server.admin.list(EndpointSlice, 'shop')
    .filter(({ metadata }) => metadata.name.startsWith('antrea-mc-'));

/** Everything in both members that a connection would notice, with the identity of all objects. */
const existing = (fleet: VirtualFleet) =>
  members.flatMap((name) => {
    const { admin } = fleet.cluster(name).server;
    const services = admin.list(Service, 'shop').filter(({ metadata }) => metadata.name.startsWith('antrea-mc-'));
    return [
      ...admin.list(ServiceImport).map(({ metadata, spec }) => JSON.stringify([name, metadata.uid, spec])),
      ...services.map(({ metadata, spec }) => JSON.stringify([name, metadata.uid, spec])),
      ...importedSlicesOf(fleet, name).map(({ metadata, endpoints, ports }) =>
        JSON.stringify([name, metadata.uid, endpoints, ports]),
      ),
    ];
  });

const kinds: readonly ResourceType[] = [ResourceExport, ResourceImport, MemberClusterAnnounce];

/**
 * Saves the content of the Common Area. The returned function restores it while no controller can
 * see it.
 */
function backUp(fleet: VirtualFleet): () => void {
  const { admin } = fleet.leader.server;
  const kept = kinds.map((kind) => admin.list(kind, leaderNamespace));
  return () => {
    for (const [index, kind] of kinds.entries()) {
      const before = new Map((kept[index] ?? []).map((object) => [keyOfObject(object), object]));
      for (const object of admin.list(kind, leaderNamespace))
        if (!before.has(keyOfObject(object))) admin.remove(kind, object.metadata);
      for (const object of before.values()) {
        const found = admin.get(kind, object.metadata);
        if (found?.metadata.resourceVersion !== object.metadata.resourceVersion) admin.put(kind, object);
      }
    }
    admin.compact();
  };
}

type Link = ReturnType<VirtualFleet['link']>;

const ways = ['north-leader', 'west-member', 'east-member'] as const;
const linksOf = (fleet: VirtualFleet) => ways.map((way) => fleet.link(way, 'north'));

/**
 * A fleet in which an older backup has been restored, with every controller still disconnected.
 * Half of the Services were exported after the backup.
 */
async function restoredFleet(seed: number, half: number): Promise<{ fleet: VirtualFleet; breaches: string[] }> {
  const fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' }, seed });
  await exportServices(fleet, 0, half);
  const restore = backUp(fleet);
  await exportServices(fleet, half, count);
  const breaches: string[] = [];
  for (const name of members) {
    for (let index = 0; index < count; index++)
      watchOutages(
        fleet.cluster(name),
        () => false,
        (what) => breaches.push(what),
        refOf(index),
      );
  }
  for (const link of linksOf(fleet)) link.cut('refuse');
  restore();
  await fleet.clock.advance(3_000);
  return { fleet, breaches };
}

const isWhole = (fleet: VirtualFleet) => {
  const exports = Array.from({ length: count }, (_, index) => 2 * exportersOf(index).length);
  const { admin } = fleet.leader.server;
  const published = new Set(admin.list(ResourceImport).map(({ metadata }) => metadata.name));
  return (
    admin.list(ResourceExport).length === exports.reduce((sum, n) => sum + n, 0) &&
    exports.every((_, index) => published.has(`shop-s-${index}-service`) && published.has(`shop-s-${index}-endpoints`))
  );
};

/** The first few requests of one kind are delayed, or answered by an error. */
function delay(link: Link, random: Random): void {
  const late = (match: Parameters<Link['add']>[0]['match']) => {
    const dice = random.next();
    const fault: Fault =
      dice < 0.7
        ? { kind: 'latency', ms: Math.floor(random.next() ** 2 * 8_000) }
        : { kind: 'status', code: 503, retryAfterSeconds: 1 + Math.floor(random.next() * 3) };
    link.add({ match, fault, times: Math.ceil(random.next() * 6) });
  };
  const writes = (kind: string) =>
    late(({ method, body = '' }) => method === 'POST' && body.includes(`"kind":"${kind}"`));
  const reads = (plural: string) => late(({ method, path }) => method === 'GET' && path.endsWith(`/${plural}`));
  for (const kind of ['Service', 'Endpoints', 'ServiceImport', 'EndpointSlices']) writes(kind);
  for (const plural of ['resourceexports', 'resourceimports', 'memberclusterannounces']) reads(plural);
  late(({ method }) => method === 'PATCH');
}

describe('after an older backup of the leader was restored', () => {
  it.runIf(checksAllPoints())(
    'nothing is published without endpoints while the exporter has written only the first half of its exports',
    async () => {
      const { fleet, breaches } = await restoredFleet(1, 1);
      await using _ = fleet;
      const before = existing(fleet);
      for (const way of ways) {
        const match = ({ method, body = '' }: { readonly method: string; readonly body?: string | undefined }) =>
          method === 'POST' && body.includes('"kind":"Endpoints"');
        if (way !== 'north-leader')
          fleet.link(way, 'north').add({ match, fault: { kind: 'latency', ms: 4_500 }, times: 4 });
      }
      for (const link of linksOf(fleet)) link.heal();
      await fleet.until('all is exported and published again', () => isWhole(fleet), 120_000);
      await fleet.clock.advance(60_000);
      expect(breaches).toEqual([]);
      expect(existing(fleet)).toEqual(before);
    },
  );

  it.each(sweepOf([28, 35, 39], { oneIn: 3 }))(
    'no import changes at any moment, in whatever order clusters, lists and writes come back (%i)',
    async (seed) => {
      const random = seededRandom(seed);
      const { fleet, breaches } = await restoredFleet(seed, Math.floor(random.next() * count));
      await using _ = fleet;
      const before = existing(fleet);
      for (const link of linksOf(fleet)) {
        delay(link, random);
        fleet.clock.after(Math.floor(random.next() * 10_000), () => link.heal());
      }
      for (const name of ['north', ...members]) {
        if (random.next() < 0.7) continue;
        fleet.clock.after(Math.floor(random.next() * 15_000), () => {
          fleet.cluster(name).kill();
          fleet.cluster(name).start();
        });
      }
      await fleet.clock.advance(15_000);
      await fleet.until('all is exported and published again', () => isWhole(fleet), 180_000);
      await fleet.clock.advance(60_000);
      expect(breaches).toEqual([]);
      expect(existing(fleet)).toEqual(before);
    },
  );
});
