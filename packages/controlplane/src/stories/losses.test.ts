import {
  Annotation,
  ClusterSet,
  EndpointSlice,
  Event,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
  memberAnnounceName,
} from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';
import type { VirtualFleet, VirtualFleetOptions } from '@isthmus/fleet-sim';
import {
  createVirtualFleet,
  exportService,
  leaderNamespace,
  putPod,
  putService,
  unexportService,
  westPorts,
} from '@isthmus/fleet-sim';
import { checksAllPoints, sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { all, deleteAll, names, shareCarts, existing } from '../testing/lost-carts.ts';

const fleetWithTwelve = (): Promise<VirtualFleet> => fleetWith(names.length);

/** West exports this many Services, and east imports them. */
async function fleetWith(count: number, options: Omit<VirtualFleetOptions, 'clusters'> = {}): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ ...options, clusters: { north: 'leader', east: 'member', west: 'member' } });
  await shareCarts(fleet, count, 15_000);
  return fleet;
}

const removeAll = (fleet: VirtualFleet, type: ResourceType) =>
  all(fleet, type).forEach(({ metadata }) => fleet.leader.server.admin.remove(type, metadata));
const heldFor = ({ metadata }: ServiceImport) => metadata.annotations?.[Annotation.heldFor];
const announced = { namespace: leaderNamespace, name: memberAnnounceName('west') };

/** A loss in a Common Area caused by users, and its cure; by default no cure is needed. */
interface Loss {
  readonly what: string;
  readonly lose: (fleet: VirtualFleet) => void;
  readonly mend?: (fleet: VirtualFleet) => void;
}

const losses: readonly Loss[] = (
  [
    ['all ResourceExports are deleted', (fleet) => deleteAll(fleet, ResourceExport)],
    ['all ResourceExports are torn away', (fleet) => removeAll(fleet, ResourceExport)],
    ['all ResourceImports are deleted', (fleet) => deleteAll(fleet, ResourceImport)],
    [
      'all ResourceImports are deleted while the leader is dead',
      (fleet) => {
        fleet.leader.kill();
        deleteAll(fleet, ResourceImport);
      },
      (fleet) => fleet.leader.start(),
    ],
    [
      'both are torn away, and the announcements',
      (fleet) => [ResourceImport, ResourceExport, MemberClusterAnnounce].forEach((type) => removeAll(fleet, type)),
    ],
    [
      'the announcement of the exporter is deleted',
      (fleet) => fleet.leader.server.admin.delete(MemberClusterAnnounce, announced),
    ],
    [
      'the announcement of the exporter is torn away',
      (fleet) => fleet.leader.server.admin.remove(MemberClusterAnnounce, announced),
    ],
    [
      'the endpoints of all exports are deleted',
      (fleet) =>
        all(fleet, ResourceExport)
          .filter(({ metadata }) => metadata.name.endsWith('-endpoints'))
          .forEach(({ metadata }) => fleet.leader.server.admin.delete(ResourceExport, metadata)),
    ],
  ] as readonly (readonly [string, Loss['lose'], Loss['mend']?])[]
).map(([what, lose, mend]) => (mend === undefined ? { what, lose } : { what, lose, mend }));

it('keeps an import without endpoints while its exporter is silent, if its ResourceImports were lost one after the other', async () => {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  const ref = { namespace: 'shop', name: 'cart-0' };
  putService(east, westPorts, { namespace: 'shop', name: 'other' });
  putService(west, westPorts, ref);
  exportService(west, ref);
  const imported = () => east.server.admin.get(ServiceImport, ref);
  await fleet.until('east has imported it', () => imported()?.status?.clusters?.[0]?.cluster === 'west');
  await fleet.clock.advance(15_000);
  const { uid } = imported()?.metadata ?? {};
  west.kill();
  fleet.leader.kill();
  // As the Namespace controller deletes them, with a heartbeat of east in between.
  const lost = all(fleet, ResourceImport).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  expect(lost.map(({ metadata }) => metadata.name)).toEqual(['shop-cart-0-endpoints', 'shop-cart-0-service']);
  for (const { metadata } of lost) {
    fleet.leader.server.admin.remove(ResourceImport, metadata);
    await fleet.clock.advance(2_000);
  }
  deleteAll(fleet, ResourceExport);
  fleet.leader.server.admin.remove(MemberClusterAnnounce, announced);
  fleet.leader.start();
  await fleet.clock.advance(180_000);
  expect(imported()).toMatchObject({ metadata: { uid }, status: { clusters: [{ cluster: 'west' }] } });
  west.start();
  await fleet.until('it is published again', () => published(fleet) === 1);
  await fleet.clock.advance(60_000);
  expect(imported()).toMatchObject({ metadata: { uid }, status: { clusters: [{ cluster: 'west' }] } });
});

const visited = sweepOf(
  losses.flatMap((loss) => [1, 12].map((imports) => ({ ...loss, imports }))),
  { oneIn: 16, kindOf: ({ imports }) => `${imports}` },
);

describe.each([1, 12])('%i imports keep uids, addresses and endpoints when', (count) => {
  it.each(visited.filter(({ imports }) => imports === count))('$what', async ({ lose, mend }) => {
    await using fleet = await fleetWith(count);
    const before = existing(fleet);
    lose(fleet);
    // Every moment counts: an import that is withdrawn for a second has lost its connections.
    for (let step = 0; step < 100; step++) {
      await fleet.clock.advance(step < 50 ? 100 : 1_000);
      expect(existing(fleet)).toEqual(before);
    }
    mend?.(fleet);
    await fleet.until(
      'all is exported and published again',
      () => {
        const isLive = ({ metadata }: { metadata: { deletionTimestamp?: string | undefined } }) =>
          metadata.deletionTimestamp === undefined;
        return all(fleet, ResourceExport).filter(isLive).length === 2 * count && published(fleet) === count;
      },
      120_000,
    );
    await fleet.clock.advance(90_000);
    expect(existing(fleet)).toEqual(before);
  });
});

describe('a withdrawal', () => {
  it('is believed at once, however many go', async () => {
    await using fleet = await fleetWithTwelve();
    for (const ref of names) unexportService(fleet.cluster('west'), ref);
    await fleet.until('all are gone', () => imported(fleet).length === 0, 2_000);
  });

  it('of a part of the exporters takes the endpoints of these alone, at once', async () => {
    await using fleet = await fleetWith(1);
    const [ref] = names;
    putService(fleet.cluster('east'), westPorts, ref);
    putPod(fleet.cluster('east'), 'own', '10.10.0.1', { app: 'cart-0' });
    exportService(fleet.cluster('east'), ref);
    await fleet.until('both export it', () => existing(fleet).slices.some((slice) => slice.includes('-east-')));
    unexportService(fleet.cluster('west'), ref);
    await fleet.until(
      'that of west goes',
      () => !existing(fleet).slices.some((slice) => slice.includes('-west-')),
      2_000,
    );
    expect(imported(fleet)).toHaveLength(1);
  });

  it('that was made while the importer was away is completed within a minute', async () => {
    await using fleet = await fleetWith(3);
    fleet.cluster('east').kill();
    for (const ref of names.slice(0, 2)) unexportService(fleet.cluster('west'), ref);
    await fleet.clock.advance(10_000);
    fleet.cluster('east').start();
    await fleet.until('both are gone', () => imported(fleet).length === 1, 60_000);
  });

  it.runIf(checksAllPoints())(
    'of a cluster that left while the importer was away is completed within a minute',
    async () => {
      await using fleet = await fleetWith(3);
      fleet.cluster('east').kill();
      leave(fleet, 'west');
      await fleet.until('west has left', () => announcesOf(fleet, 'west') === 0, 30_000);
      fleet.cluster('east').start();
      await fleet.until('all are gone', () => imported(fleet).length === 0, 60_000);
    },
  );

  it.runIf(checksAllPoints())(
    'of a cluster that left and came back while the importer was away loses nothing',
    async () => {
      await using fleet = await fleetWith(3);
      const before = existing(fleet);
      const west = fleet.cluster('west').server.admin;
      const [clusterSet] = west.list(ClusterSet, 'kube-system');
      fleet.cluster('east').kill();
      leave(fleet, 'west');
      await fleet.until('west has left', () => west.list(ClusterSet).length === 0, 30_000);
      west.put(ClusterSet, {
        metadata: { namespace: 'kube-system', name: clusterSet?.metadata.name ?? '' },
        spec: clusterSet?.spec,
      });
      await fleet.until('it exports again', () => published(fleet) === 3, 30_000);
      fleet.cluster('east').start();
      await fleet.clock.advance(120_000);
      expect(existing(fleet)).toEqual(before);
      // What its first leaving left behind must not count against it.
      expect(leftBehind(fleet)).toBe('');
    },
  );

  it.runIf(checksAllPoints())(
    'that the leader made because it rejects the export now is completed within a minute by an importer that was away',
    async () => {
      await using fleet = await fleetWith(1);
      const ref = { namespace: 'shop', name: 'web-api' };
      putService(fleet.cluster('west'), westPorts, ref);
      exportService(fleet.cluster('west'), ref);
      await fleet.until('both are imported', () => imported(fleet).length === 2);
      fleet.cluster('east').kill();
      const { admin } = fleet.leader.server;
      // Its exporter cannot correct it.
      const isExport = ({ method, path }: ApiRequest) => method !== 'GET' && path.includes('/resourceexports/');
      fleet.link('west-member', 'north').add({ match: isExport, fault: { kind: 'status', code: 403 } });
      const broken = { namespace: leaderNamespace, name: 'west-shop-web-api-service' };
      admin.patch(ResourceExport, broken, { spec: { service: null } });
      const rejected = () =>
        admin.get(ResourceExport, broken)?.status?.conditions?.[0]?.message?.includes('serviceSpec is missing') ===
        true;
      await fleet.until('the export of west is rejected', rejected, 10_000);
      fleet.cluster('east').start();
      await fleet.until('its import is gone', () => imported(fleet).length === 1, 60_000);
    },
  );

  it.runIf(checksAllPoints())(
    'that was made while the leader had lost the exports is completed when it has heard the exporter for a minute',
    async () => {
      await using fleet = await fleetWith(3);
      removeAll(fleet, ResourceExport);
      for (const ref of names.slice(0, 2)) unexportService(fleet.cluster('west'), ref);
      await fleet.until('both are gone', () => imported(fleet).length === 1, 180_000);
      await fleet.clock.advance(180_000);
      expect(imported(fleet)).toHaveLength(1);
    },
  );
});

function leave(fleet: VirtualFleet, name: string): void {
  const { admin } = fleet.cluster(name).server;
  const [clusterSet] = admin.list(ClusterSet, 'kube-system');
  admin.delete(ClusterSet, { namespace: 'kube-system', name: clusterSet?.metadata.name ?? '' });
}

const announcesOf = (fleet: VirtualFleet, name: string) =>
  all(fleet, MemberClusterAnnounce).filter(({ metadata }) => metadata.name === memberAnnounceName(name)).length;

/** The leader's record of clusters that have left. */
const leftBehind = (fleet: VirtualFleet) =>
  all(fleet, MemberClusterAnnounce)
    .map(({ metadata }) => metadata.annotations?.[Annotation.left] ?? '')
    .join('');

/**
 * The number of Services that the leader publishes with their endpoints, which come first, in any
 * form.
 */
const published = (fleet: VirtualFleet) =>
  all(fleet, ResourceImport).filter(({ metadata }) => metadata.name.endsWith('-service')).length;

const imported = (fleet: VirtualFleet) =>
  fleet
    .cluster('east')
    .server.admin.list(ServiceImport, 'shop')
    .map(({ metadata }) => metadata.uid);

/**
 * The leader's API server loses objects while no controller can watch: the visible effect of a
 * restored backup. The exporter reconnects forty seconds after the others.
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
    await using fleet = await fleetWithTwelve();
    const before = imported(fleet);
    await lose(fleet, [ResourceExport, ResourceImport]);
    await fleet.until('all is exported again', () => published(fleet) === names.length);
    await fleet.clock.advance(180_000);
    expect(imported(fleet)).toEqual(before);
  });

  it('and the exporter is gone too, members keep their imports until it is forgotten', async () => {
    // A day of heartbeats is half a minute of processor time.
    const forgottenAfterMs = 12 * 60_000;
    await using fleet = await fleetWith(3, { forgottenAfterMs });
    fleet.cluster('west').kill();
    await lose(fleet, [ResourceExport, ResourceImport]);
    await fleet.clock.advance(forgottenAfterMs - 120_000);
    expect(imported(fleet)).toHaveLength(3);
    await fleet.until('the imports are dropped', () => imported(fleet).length === 0, 180_000);
    expect(fleet.cluster('east').server.admin.get(Service, { namespace: 'shop', name: 'other' })).toBeDefined();
  });

  it.runIf(checksAllPoints())(
    'and the exporter is gone too, the day in which members keep their imports goes on when their controllers restart',
    async () => {
      const forgottenAfterMs = 12 * 60_000;
      await using fleet = await fleetWith(2, { forgottenAfterMs });
      fleet.cluster('west').kill();
      await lose(fleet, [ResourceExport, ResourceImport]);
      for (const minutes of [3, 6, 9]) {
        await fleet.clock.advance(3 * 60_000);
        for (const one of fleet.cluster('east').server.admin.list(ServiceImport))
          expect(Number(/^\*=(\d+)m$/.exec(heldFor(one) ?? '')?.[1])).toBeGreaterThan(minutes / 2 - 1);
        fleet.cluster('east').kill();
        fleet.cluster('east').start();
      }
      expect(imported(fleet)).toHaveLength(2);
      await fleet.until('the imports are dropped', () => imported(fleet).length === 0, 7 * 60_000);
    },
  );

  it.runIf(checksAllPoints())(
    'and the exporter is gone too, the day in which a leader keeps what it published goes on when its controller restarts',
    async () => {
      const forgottenAfterMs = 12 * 60_000;
      await using fleet = await fleetWith(2, { forgottenAfterMs });
      fleet.cluster('west').kill();
      await lose(fleet, [ResourceExport, MemberClusterAnnounce]);
      for (let restart = 0; restart < 3; restart++) {
        await fleet.clock.advance(3 * 60_000);
        fleet.leader.kill();
        fleet.leader.start();
      }
      expect(published(fleet)).toBe(2);
      await fleet.until('it is not published any more', () => published(fleet) === 0, 7 * 60_000);
    },
  );

  it.runIf(checksAllPoints())('the time for which an import was held does not count for its next loss', async () => {
    const forgottenAfterMs = 12 * 60_000;
    await using fleet = await fleetWith(1, { forgottenAfterMs });
    fleet.cluster('west').kill();
    await lose(fleet, [ResourceExport, ResourceImport]);
    await fleet.clock.advance(10 * 60_000);
    const [held] = fleet.cluster('east').server.admin.list(ServiceImport);
    expect(held === undefined ? '' : heldFor(held)).toMatch(/^\*=\d+m$/);
    fleet.cluster('west').start();
    await fleet.until('it is published again', () => published(fleet) === 1, 60_000);
    await fleet.clock.advance(5_000);
    expect(fleet.cluster('east').server.admin.list(ServiceImport).map(heldFor)).toEqual([undefined]);
    fleet.cluster('west').kill();
    await lose(fleet, [ResourceExport, ResourceImport]);
    fleet.cluster('east').kill();
    fleet.cluster('east').start();
    await fleet.clock.advance(10 * 60_000);
    expect(imported(fleet)).toHaveLength(1);
  });

  it('exporters export again after a minute what somebody cleaned up, and the list is empty until then', async () => {
    await using fleet = await fleetWithTwelve();
    const before = imported(fleet);
    deleteAll(fleet, ResourceExport);
    await fleet.until('it is empty', () => all(fleet, ResourceExport).length === 0, 2_000);
    await fleet.clock.advance(55_000);
    expect(all(fleet, ResourceExport)).toEqual([]);
    await fleet.until('all is exported again', () => all(fleet, ResourceExport).length === 2 * names.length, 10_000);
    await fleet.clock.advance(120_000);
    expect(imported(fleet)).toEqual(before);
  });

  it.runIf(checksAllPoints())('none is exported again while somebody deletes one after the other', async () => {
    await using fleet = await fleetWithTwelve();
    for (const { metadata } of all(fleet, ResourceExport)) {
      fleet.leader.server.admin.delete(ResourceExport, metadata);
      await fleet.clock.advance(300);
    }
    expect(all(fleet, ResourceExport)).toEqual([]);
    await fleet.clock.advance(55_000);
    expect(all(fleet, ResourceExport)).toEqual([]);
    await fleet.until('all is exported again', () => all(fleet, ResourceExport).length === 2 * names.length, 10_000);
  });

  it.runIf(checksAllPoints())('a few exports are made again at once', async () => {
    await using fleet = await fleetWithTwelve();
    const ref = { namespace: leaderNamespace, name: 'west-shop-cart-0-service' };
    const { admin } = fleet.leader.server;
    const uid = admin.get(ResourceExport, ref)?.metadata.uid;
    admin.delete(ResourceExport, ref);
    await fleet.until(
      'it is exported again',
      () => ![uid, undefined].includes(admin.get(ResourceExport, ref)?.metadata.uid),
      2_000,
    );
  });
});

describe('what is held', () => {
  const heldAt = (fleet: VirtualFleet, at: 'north' | 'east') => {
    const { admin } = at === 'north' ? fleet.leader.server : fleet.cluster(at).server;
    const [clusterSet] = admin.list(ClusterSet);
    const found = conditionOf(clusterSet?.status?.conditions, 'WithdrawalHeld');
    return found === undefined ? 'none' : `${found.status} ${found.message ?? ''}`;
  };

  it('by a leader is counted by a condition of its ClusterSet until it is exported again', async () => {
    await using fleet = await fleetWith(3);
    expect(heldAt(fleet, 'north')).toBe('none');
    deleteAll(fleet, ResourceExport);
    const said =
      /^True Objects held: 3\. The exports of published objects are missing.* isthmus\.dev\/allow-removals-until=/;
    await fleet.until('it says so', () => said.test(heldAt(fleet, 'north')), 5_000);
    await fleet.until('it is mended', () => heldAt(fleet, 'north') === 'none', 90_000);
    expect(all(fleet, ResourceExport)).toHaveLength(6);
  });

  it('by a member is counted by a condition of its ClusterSet until it is published again', async () => {
    await using fleet = await fleetWith(3);
    fleet.leader.kill();
    deleteAll(fleet, ResourceImport);
    const said = /^True Objects held: 3\. Imports are missing on leader north.* isthmus\.dev\/allow-removals-until=/;
    await fleet.until('it says so', () => said.test(heldAt(fleet, 'east')), 5_000);
    fleet.leader.start();
    await fleet.until('it is mended', () => heldAt(fleet, 'east') === 'none', 10_000);
  });

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

  it('by a member goes at once when a person releases it, with the command of an Event', async () => {
    await using fleet = await fleetWithTwelve();
    fleet.leader.kill();
    await lose(fleet, [ResourceImport]);
    expect(imported(fleet)).toHaveLength(names.length);
    expect(toldBy(fleet, 'east')).toEqual([
      expect.stringMatching(/^ClusterSet .*missing on leader north.* isthmus\.dev\/allow-removals-until=/),
    ]);
    annotate(fleet, 'east', 'kube-system');
    await fleet.until('the imports are dropped', () => imported(fleet).length === 0, 2_000);
  });

  it.runIf(checksAllPoints())(
    'by a leader goes at once when a person releases it, with the command of an Event',
    async () => {
      await using fleet = await fleetWithTwelve();
      fleet.cluster('west').kill();
      await lose(fleet, [ResourceExport]);
      expect(published(fleet)).toBe(names.length);
      expect(toldBy(fleet, 'north')).toEqual([
        expect.stringMatching(
          /^ClusterSet .*exports of published objects are missing.* isthmus\.dev\/allow-removals-until=/,
        ),
      ]);
      annotate(fleet, 'north', leaderNamespace);
      await fleet.until(
        'the imports are dropped',
        () => fleet.leader.server.admin.list(ResourceImport).length === 0,
        2_000,
      );
    },
  );
});

describe('when only the imports are lost', () => {
  it('they are kept for as long as the API server of the leader rejects new ones, as while their definition is being deleted', async () => {
    await using fleet = await fleetWith(3);
    const before = existing(fleet);
    const accept = fleet.link('north-leader', 'north').add({
      match: ({ method, path }) => method === 'POST' && path.endsWith('/resourceimports'),
      fault: { kind: 'status', code: 403 },
    });
    deleteAll(fleet, ResourceImport);
    for (let second = 0; second < 180; second++) {
      await fleet.clock.advance(1_000);
      expect(existing(fleet)).toEqual(before);
    }
    const reasons = all(fleet, ResourceExport).map(
      (object) => (object as ResourceExport).status?.conditions?.[0]?.reason,
    );
    expect(new Set(reasons)).toEqual(new Set(['ImportRejected']));
    accept();
    await fleet.until('all is published again', () => published(fleet) === 3, 120_000);
    await fleet.clock.advance(60_000);
    expect(existing(fleet)).toEqual(before);
  });
});

describe('when only the imports of single clusters are lost', () => {
  it.each(['ClusterIP', 'PodIP'] as const)(
    'the endpoints of importers and of the exporter stay as they are, with endpointIPType %s',
    async (endpointIPType) => {
      await using fleet = await createVirtualFleet({
        clusters: { north: 'leader', east: 'member', west: 'member' },
        endpointIPType,
      });
      const [ref] = names;
      for (const [name, ip] of [
        ['east', '10.10.1.1'],
        ['west', '10.20.1.1'],
      ] as const) {
        putService(fleet.cluster(name), westPorts, ref);
        putPod(fleet.cluster(name), 'cart-0', ip, { app: 'cart-0' });
        exportService(fleet.cluster(name), ref);
      }
      const slices = () =>
        ['east', 'west'].flatMap((name) =>
          fleet
            .cluster(name)
            .server.admin.list(EndpointSlice, 'shop')
            .filter(({ metadata }) => metadata.labels?.[Label.mcsServiceName] !== undefined)
            .map(({ metadata, endpoints, ports }) =>
              JSON.stringify([name, metadata.uid, metadata.generation, endpoints, ports]),
            ),
        );
      await fleet.until('both have imported both', () => slices().length === 4);
      await fleet.clock.advance(15_000);
      const before = slices();
      fleet.leader.kill();
      for (const clusterID of ['west', 'east']) {
        const name = `shop-cart-0-endpoints.${clusterID}`;
        fleet.leader.server.admin.delete(ResourceImport, { namespace: leaderNamespace, name });
        for (let second = 0; second < 10; second++) {
          await fleet.clock.advance(1_000);
          expect(slices()).toEqual(before);
        }
      }
      fleet.leader.start();
      await fleet.until('all is published again', () => all(fleet, ResourceImport).length === 4, 60_000);
      await fleet.clock.advance(120_000);
      expect(slices()).toEqual(before);
    },
  );
});

it('the endpoints of exports and of imports, both lost while the exporter is away, are held until it is back', async () => {
  await using fleet = await fleetWith(1);
  const before = existing(fleet);
  fleet.cluster('west').kill();
  for (const type of [ResourceExport, ResourceImport])
    for (const { metadata } of all(fleet, type).filter(({ metadata: { name } }) => name.endsWith('-endpoints')))
      fleet.leader.server.admin.remove(type, metadata);
  for (let step = 0; step < 60; step++) {
    await fleet.clock.advance(5_000);
    expect(existing(fleet)).toEqual(before);
  }
  fleet.cluster('west').start();
  await fleet.until('the endpoints are published again', () => all(fleet, ResourceImport).length === 2, 120_000);
  await fleet.clock.advance(60_000);
  expect(existing(fleet)).toEqual(before);
});

it('imports are kept when all exports are lost, and then the labels of what is published', async () => {
  await using fleet = await fleetWith(1);
  const before = existing(fleet);
  removeAll(fleet, ResourceExport);
  for (const { metadata } of all(fleet, ResourceImport))
    fleet.leader.server.admin.patch(ResourceImport, metadata, { metadata: { labels: null } });
  for (let step = 0; step < 50; step++) {
    await fleet.clock.advance(step < 20 ? 100 : 4_000);
    expect(existing(fleet)).toEqual(before);
  }
  expect(all(fleet, ResourceExport)).toHaveLength(2);
});

describe('when only the exports are lost', () => {
  it.runIf(checksAllPoints())('the leader keeps what it published until the exporters are back', async () => {
    await using fleet = await fleetWithTwelve();
    const published = () => fleet.leader.server.admin.list(ResourceImport).map(({ metadata }) => metadata.uid);
    const before = published();
    await lose(fleet, [ResourceExport]);
    await fleet.clock.advance(180_000);
    expect(published()).toEqual(before);
    expect(fleet.leader.server.admin.list(ResourceExport)).toHaveLength(2 * names.length);
  });
});

it('a member that leaves takes its exports along at once, however many they are', async () => {
  await using fleet = await fleetWithTwelve();
  leave(fleet, 'west');
  await fleet.until('east has dropped the imports', () => imported(fleet).length === 0, 20_000);
});
