import type { ResourceImport as ResourceImportObject } from '@isthmus/api';
import {
  Annotation,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  ServiceExport,
  SourceKind,
  memberAnnounceName,
} from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetName,
  eventsOf,
  exportCart,
  exportService,
  importedSlices,
  leaderNamespace,
  putPod,
  putService,
  recordWrites,
  unexportService,
} from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';
import { addresses, fleetOfThree, http, members, recordGaps } from '../testing/cart-of-three.ts';

const importNames = ({ leader }: VirtualFleet) =>
  leader.server.admin.list(ResourceImport, leaderNamespace).map(({ metadata }) => metadata.name);
const ofBoth = ['shop-cart-endpoints', 'shop-cart-endpoints.east', 'shop-cart-endpoints.west', 'shop-cart-service'];

/** The writes of exports and imports at the leader, as `method resource`, sorted. */
function recordExchange(fleet: VirtualFleet): () => readonly string[] {
  const writes = recordWrites(fleet);
  return () =>
    writes()
      .flatMap((line) => {
        const [cluster, method, path = '', code = ''] = line.split(' ');
        const [, resource = '', , subresource] =
          /\/(resource(?:exports|imports))(\/[^/]+)?(\/status)?$/.exec(path) ?? [];
        return cluster === 'north' && resource !== '' ? [`${method} ${resource}${subresource ?? ''} ${code}`] : [];
      })
      .toSorted();
}

/** A member of 0.1.0 announces itself: it writes only the version number of its wire format. */
function announceOlder({ leader, clock }: VirtualFleet): void {
  leader.server.admin.put(MemberClusterAnnounce, {
    metadata: {
      name: memberAnnounceName('old'),
      namespace: leaderNamespace,
      annotations: {
        [Annotation.touchTs]: rfc3339(clock.now()),
        [Annotation.version]: '0.1.0',
        [Annotation.wire]: '1',
      },
    },
    clusterID: 'old',
    clusterSetID: clusterSetName,
    leaderClusterID: 'north',
  });
}

/**
 * The addresses of `shop/cart` as a member of 0.1.0 reads them: those of the single clusters if
 * there are any, otherwise the merged ones. It never sees merged endpoints with a label of their
 * kind.
 */
function readBy010({ leader }: VirtualFleet): readonly string[] {
  const isSeen = ({ metadata }: ResourceImportObject) => metadata.labels?.[Label.sourceKind] !== SourceKind.endpoints;
  const seen = leader.server.admin.list(ResourceImport, leaderNamespace).filter(isSeen);
  const parts = seen.filter(({ spec }) => spec?.kind === SourceKind.endpointSlices);
  const found =
    parts.length > 0
      ? parts
          .flatMap(({ spec }) => spec?.endpointSlices ?? [])
          .flatMap(({ endpoints }) => endpoints.flatMap((one) => one.addresses))
      : seen
          .flatMap(({ spec }) => spec?.endpoints?.subsets ?? [])
          .flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip));
  return found.toSorted();
}

/**
 * Watches every write to imports. The returned function gives the addresses that a member of 0.1.0
 * read, each time that they changed.
 */
function recordReadBy010(fleet: VirtualFleet): () => readonly string[] {
  const read = [readBy010(fleet).join()];
  fleet.leader.server.admin.onChange(({ resource }) => {
    const now = readBy010(fleet).join();
    if (resource.endsWith('/resourceimports') && now !== read.at(-1)) read.push(now);
  });
  return () => read;
}

describe('a Service with one exporter, among members that read it from the merged import', () => {
  it('costs four writes at the leader, and its published import is the answer to its exporter', async () => {
    await using fleet = await fleetOfThree(5_000, []);
    putService(fleet.cluster('east'), http);
    putPod(fleet.cluster('east'), 'cart-1', '10.10.1.1');
    await fleet.clock.advance(5_000);
    const exchanged = recordExchange(fleet);
    exportService(fleet.cluster('east'));
    await fleet.clock.advance(5_000);
    expect(exchanged()).toEqual([
      'POST resourceexports 201',
      'POST resourceexports 201',
      'POST resourceimports 201',
      'POST resourceimports 201',
    ]);
    for (const member of members(fleet)) expect(importedSlices(member)).toEqual(['east: 10.10.1.1 http:8080']);
    const { conditions = [] } = fleet.cluster('east').server.admin.get(ServiceExport, cart)?.status ?? {};
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      'Valid True Valid',
      'Ready True Exported',
      'Conflict False NoConflicts',
    ]);
    const answers = fleet.leader.server.admin.list(ResourceExport, leaderNamespace).map(({ status }) => status);
    expect(answers).toEqual([undefined, undefined]);
  });

  it('has imports of its own for a second exporter, without a moment in which endpoints are missing, and keeps that form', async () => {
    await using fleet = await fleetOfThree(5_000, ['east']);
    expect(importNames(fleet)).toEqual(['shop-cart-endpoints', 'shop-cart-service']);
    const gapsOfEast = recordGaps(fleet, ['10.10.1.1']);
    exportCart(fleet.cluster('west'), '10.20.1.1', http);
    await fleet.clock.advance(5_000);
    expect(importNames(fleet)).toEqual(ofBoth);
    expect(gapsOfEast()).toEqual([]);
    const gapsOfWest = recordGaps(fleet, ['10.20.1.1']);
    unexportService(fleet.cluster('east'));
    await fleet.clock.advance(5_000);
    expect(importNames(fleet)).toEqual(ofBoth.filter((name) => !name.endsWith('.east')));
    expect(gapsOfWest()).toEqual([]);
    for (const member of members(fleet)) expect(importedSlices(member)).toEqual(['west: 10.20.1.1 http:8080']);
  });

  it('moves to another cluster while the leader is away, and nobody holds the endpoints that were withdrawn', async () => {
    await using fleet = await fleetOfThree(5_000, ['east']);
    fleet.leader.kill('leader');
    unexportService(fleet.cluster('east'));
    exportCart(fleet.cluster('west'), '10.20.1.1', http);
    await fleet.clock.advance(5_000);
    const served = new Set<string>();
    for (const member of members(fleet)) member.server.admin.onChange(() => void served.add(addresses(member).join()));
    fleet.leader.start('leader');
    await fleet.clock.advance(5_000);
    for (const member of members(fleet)) expect(importedSlices(member)).toEqual(['west: 10.20.1.1 http:8080']);
    expect(served).not.toContain('');
    expect(
      members(fleet)
        .flatMap(eventsOf)
        .filter((event) => event.startsWith('WithdrawalHeld')),
    ).toEqual([]);
  });

  it.runIf(checksAllPoints())(
    'goes through two swaps of the leader to Antrea and back with endpoints at every moment',
    async () => {
      await using fleet = await fleetOfThree(5_000, ['east']);
      const gaps = recordGaps(fleet, ['10.10.1.1']);
      for (let round = 0; round < 2; round++) {
        fleet.leader.kill('leader');
        const end = runAntreaLeader(fleet);
        await fleet.clock.advance(10_000);
        exportCart(fleet.cluster('west'), '10.20.1.1', http);
        await fleet.until('both serve', () => members(fleet).every((member) => addresses(member).length === 2));
        unexportService(fleet.cluster('west'));
        await fleet.until('east serves alone', () => members(fleet).every((member) => addresses(member).length === 1));
        end();
        fleet.leader.start('leader');
        await fleet.clock.advance(30_000);
        for (const member of members(fleet)) expect(importedSlices(member)).toEqual(['east: 10.10.1.1 http:8080']);
        expect(importNames(fleet)).toEqual(['shop-cart-endpoints', 'shop-cart-service']);
      }
      expect(gaps()).toEqual([]);
    },
  );
});

describe('a member of 0.1.0 that joins', () => {
  it('has endpoints at every moment, and so have the others, while its imports are made', async () => {
    await using fleet = await fleetOfThree(5_000, ['east']);
    const gaps = recordGaps(fleet, ['10.10.1.1']);
    const read = recordReadBy010(fleet);
    announceOlder(fleet);
    await fleet.clock.advance(5_000);
    expect(importNames(fleet)).toEqual(['shop-cart-endpoints', 'shop-cart-endpoints.east', 'shop-cart-service']);
    const merged = fleet.leader.server.admin.get(ResourceImport, {
      namespace: leaderNamespace,
      name: 'shop-cart-endpoints',
    });
    expect([merged?.metadata.labels?.[Label.sourceKind], merged?.spec?.clusterID]).toEqual(['Endpoints', undefined]);
    expect(read()).toEqual(['10.10.1.1']);
    expect(gaps()).toEqual([]);
    for (const member of members(fleet)) expect(importedSlices(member)).toEqual(['east: 10.10.1.1 http:8080']);
    // Existing imports stay when it is gone again, and new exports have the shorter form.
    const exchanged = recordExchange(fleet);
    fleet.leader.server.admin.remove(MemberClusterAnnounce, {
      namespace: leaderNamespace,
      name: memberAnnounceName('old'),
    });
    await fleet.clock.advance(5_000);
    expect(exchanged()).toEqual([]);
  });
});

describe('an Antrea member in the place of one of ours', () => {
  it('needs no other imports: nothing is written', async () => {
    await using fleet = await fleetOfThree(5_000, ['east']);
    fleet.cluster('south').kill();
    const exchanged = recordExchange(fleet);
    const ref = { namespace: leaderNamespace, name: memberAnnounceName('south') };
    for (let beat = 0; beat < 3; beat++) {
      await fleet.clock.advance(10_000);
      const annotations = { [Annotation.touchTs]: rfc3339(fleet.clock.now()) };
      fleet.leader.server.admin.patch(MemberClusterAnnounce, ref, { metadata: { annotations } });
    }
    expect(exchanged()).toEqual([]);
  });
});
