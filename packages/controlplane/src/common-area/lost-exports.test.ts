import { Annotation, Label, managedByIsthmus, marked, memberAnnounceName } from '@isthmus/api';
import type { ClusterSet, MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import type { CacheState, ReadCache, ReconcileContext, World } from '@isthmus/kube';
import { again, memoryLog, reducedBy } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import { withdrawnMark, withoutGrant } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../define-exchange.ts';
import { createHeld } from '../loss/held.ts';
import type { CommonArea } from './common-area.ts';
import { createLostExports } from './lost-exports.ts';

const startMs = Date.parse('2026-01-02T00:00:00Z');
const dayMs = 86_400_000;
const key = 'shop/cart';
const thing = (clusterID = '') => ({ exchange: 'services', key, clusterID });
const lookAgain = (ms: number) => again(ms, 'it has lost its exports');
const deletionTimestamp = '2026-01-02T00:00:00Z';

const exported = (name: string, metadata: Partial<ResourceExport['metadata']> = {}): ResourceExport => ({
  metadata: { namespace: 'area', name, ...metadata },
});
/** What is published of one cluster has the name of its export. */
const imported = (name: string, annotations: Readonly<Record<string, string>> = {}): ResourceImport => ({
  metadata: {
    name,
    labels: { [Label.managedBy]: managedByIsthmus },
    annotations: { [Annotation.withdrawals]: marked, [Annotation.sourceWithdrawals]: marked, ...annotations },
  },
  spec: { clusterID: [name] },
});
/** The same of an exporter that does not mark what it withdraws. */
const unmarked = (name: string, annotations: Readonly<Record<string, string>> = {}): ResourceImport => {
  const object = imported(name, annotations);
  const { [Annotation.sourceWithdrawals]: _, ...others } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations: others } };
};
const shared: ResourceImport = { ...imported('shared'), spec: {} };

/** A leader that has published something. */
function leader({ isTraced = true, isSeen = undefined as undefined | (() => boolean) } = {}) {
  const clock = createVirtualClock({ startMs });
  const world = {
    exports: [] as ResourceExport[],
    imports: [] as ResourceImport[],
    announces: new Map<string, MemberClusterAnnounce>(),
    state: { kind: 'watching' } as CacheState,
    isExported: false,
    lostMs: undefined as number | undefined,
    served: { metadata: { namespace: 'isthmus', name: 'shop' } } as ClusterSet | undefined,
    written: [] as (string | undefined)[],
  };
  const [sets, members] = [new Set<(change: object) => void>(), new Set<(change: object) => void>()];
  const cacheOf = (listeners: typeof sets, more: object = {}) => ({
    cache: {
      synced: true,
      whenSynced: () => Promise.resolve(),
      list: () => [],
      subscribe(listener: (change: object) => void) {
        listeners.add(listener);
        return () => {};
      },
      ...more,
    } as unknown as ReadCache<never>,
  });
  const held = createHeld(clock);
  const reported: string[] = [];
  const area = {
    namespace: 'area',
    clusterSets: cacheOf(sets),
    announces: cacheOf(members, {
      get: ({ name }: { readonly name: string }) => world.announces.get(name),
      byIndex: (_: string, id: string) => [...world.announces.values()].filter(({ clusterID }) => clusterID === id),
    }),
    exports: {
      cache: {
        get state() {
          return world.state;
        },
        get: ({ name }: { readonly name: string }) => world.exports.find(({ metadata }) => metadata.name === name),
      },
    },
    imports: {
      cache: { list: () => world.imports },
      change(_: ResourceImport, desired: ResourceImport) {
        world.written.push(desired.metadata.annotations?.[Annotation.heldFor]);
        return Promise.resolve(desired);
      },
    },
    served: () => world.served,
    grants: { of: () => withoutGrant },
    held,
    forgottenAfterMs: dayMs,
    lostMs: () => world.lostMs,
    isExported: () => Promise.resolve(world.isExported),
    events: { report: (_: object, __: object, { message }: { message: string }) => void reported.push(message) },
  } as unknown as CommonArea;
  const traced = {
    sourceOf: ({ spec }: ResourceImport) => spec?.clusterID?.[0],
    substitutes: ({ metadata: { name } }: ResourceImport) => [exported(name)],
    isSeen,
  };
  const importKeys = ({ metadata }: ResourceImport) => [`key of ${metadata.name}`];
  const exchange = {
    name: 'services',
    leader: { traced: isTraced ? traced : undefined, importKeys, sources: () => [] },
  } as unknown as Exchange;
  const log = memoryLog();
  const context = { signal: new AbortController().signal, log } as unknown as ReconcileContext;
  const losses = createLostExports(exchange, area, { clock } as unknown as World);
  const woken: string[] = [];
  for (const one of losses.sources)
    one.start(
      (name) => void woken.push(name),
      () => {},
    );
  const look = async (imports: readonly ResourceImport[], ...exports: readonly ResourceExport[]) => {
    const { substitutes, keeps, outcome } = await losses.look(key, { imports, exports }, context);
    const kept = imports.filter(keeps).map(({ metadata }) => metadata.name);
    return { substitutes: substitutes.map(({ metadata }) => metadata.name), kept, outcome };
  };
  const announce = (
    clusterID: string,
    beat: string,
    more: Partial<MemberClusterAnnounce['metadata']> = {},
    isMarking = true,
  ) => {
    const annotations = { [Annotation.touchTs]: beat, ...(isMarking && { [Annotation.marksAt]: beat }) };
    const name = memberAnnounceName(clusterID);
    const object: MemberClusterAnnounce = {
      metadata: { namespace: 'area', name, ...more, annotations: { ...annotations, ...more.annotations } },
      clusterID,
      clusterSetID: 'shop',
      leaderClusterID: 'north',
    };
    world.announces.set(name, object);
    members.forEach((tell) => tell({ after: object }));
  };
  /** Looks every ten seconds, while a member beats. */
  const beatFor = async (ms: number, ...imports: readonly ResourceImport[]) => {
    let found = await look(imports);
    for (let at = 0; at < ms; at += 10_000) {
      announce('a', `${clock.now()}`);
      await clock.advance(10_000);
      found = await look(imports);
    }
    return found;
  };
  const allow = () => {
    const until = rfc3339(clock.now() + 60_000);
    world.served = {
      metadata: { namespace: 'isthmus', name: 'shop', annotations: { [Annotation.allowRemovalsUntil]: until } },
    };
  };
  const wake = () => sets.forEach((tell) => tell({ after: { metadata: { name: 'shop' } } }));
  return { clock, world, held, losses, look, announce, beatFor, allow, wake, woken, reported, log };
}

const nothing = { substitutes: [], kept: [], outcome: undefined };
const keptA = (ms: number) => ({ substitutes: ['a'], kept: ['a'], outcome: lookAgain(ms) });

describe('what is published of an exporter that marks what it withdraws', () => {
  it('is held while its export is gone, and reported once', async () => {
    const { look, held, reported, log, world } = leader();
    expect(await look([imported('a'), imported('b')])).toEqual({
      substitutes: ['a', 'b'],
      kept: ['a', 'b'],
      outcome: lookAgain(60_000),
    });
    expect([held.forMs(thing('a')), held.forMs(thing('b')), held.forMs(thing())]).toEqual([0, 0, undefined]);
    expect(reported).toEqual([expect.stringContaining('The exports of published objects are missing')]);
    expect([log.entries.length, world.written]).toEqual([1, []]);
  });

  it('is held without a report where no ClusterSet is served', async () => {
    const { look, world, reported } = leader();
    world.served = undefined;
    expect([await look([imported('a')]), reported]).toEqual([keptA(60_000), []]);
  });

  it('is held no more once it is exported again', async () => {
    const { look, held } = leader();
    await look([imported('a')]);
    expect(await look([imported('a')], exported('a'))).toEqual(nothing);
    expect(held.size).toBe(0);
  });

  it.each([
    ['was withdrawn', exported('a', { deletionTimestamp, annotations: withdrawnMark(0) }), true],
    ['is deleted without a mark', exported('a', { deletionTimestamp }), false],
    ['is marked for another name', exported('b', { deletionTimestamp, annotations: withdrawnMark(0) }), false],
  ])('goes only where its export was withdrawn: it %s', async (_, object, goes) => {
    expect(await leader().look([imported('a')], exported('c'), object)).toEqual(goes ? nothing : keptA(60_000));
  });

  it('goes where a person allows it, which wakes what is held', async () => {
    const { look, allow, wake, woken } = leader();
    await look([imported('a')]);
    wake();
    expect(woken).toEqual([]);
    allow();
    wake();
    expect([woken, await look([imported('a')])]).toEqual([[key], nothing]);
  });

  it('goes with the announcement of a member that leaves, which wakes all that is of it', async () => {
    const { look, announce, world, woken } = leader();
    world.imports = [imported('a'), imported('b'), imported('a')];
    announce('a', '1', { deletionTimestamp });
    expect([woken, await look([imported('a')])]).toEqual([[], keptA(60_000)]);
    announce('a', '1', { deletionTimestamp, annotations: withdrawnMark(0) });
    expect(woken).toEqual(['key of a', 'key of a']);
    expect(await look([imported('a'), imported('b')])).toMatchObject({ substitutes: ['b'] });
    announce('b', '1', { annotations: withdrawnMark(0) });
    expect(await look([imported('b')])).toMatchObject({ substitutes: ['b'] });
  });

  it('goes when its exporter has been heard for a minute without it, unless the API server has the export', async () => {
    const { beatFor, look, world, losses, woken } = leader();
    expect(await beatFor(60_000, imported('a'))).toEqual(keptA(10_000));
    expect(losses.connectedMsOf('a')).toBe(50_000);
    expect(woken.slice(1)).toEqual([key, key, key, key, key]);
    world.isExported = true;
    expect(await beatFor(10_000, imported('a'))).toEqual(keptA(60_000));
    world.isExported = false;
    expect(await look([imported('a')])).toEqual(nothing);
  });

  it('is held for a minute again where the exports could not be read, or were lost only then', async () => {
    const { beatFor, look, world } = leader();
    await beatFor(50_000, imported('a'));
    world.state = { kind: 'failing', why: 'it does not answer', sinceMs: 0, codeSinceMs: 0 };
    expect(await beatFor(20_000, imported('a'))).toEqual(keptA(60_000));
    world.state = { kind: 'watching' };
    await look([imported('a')]);
    expect(await beatFor(50_000, imported('a'))).toEqual(keptA(10_000));
    expect(await look([imported('b'), imported('a')])).toMatchObject({ substitutes: ['b', 'a'] });
  });

  it('states for how long it is held, now and then, and is held on by the next process', async () => {
    const { clock, look, world, held } = leader();
    await look([imported('a')]);
    await clock.advance(2 * 3_600_000);
    await look([imported('a')]);
    expect(world.written).toEqual(['a=120m']);
    await look([imported('a', { [Annotation.heldFor]: 'a=120m' })]);
    expect(world.written).toEqual(['a=120m']);
    await look([imported('a', { [Annotation.heldFor]: 'a=120m' })], exported('a'));
    expect([world.written, held.size]).toEqual([['a=120m', undefined], 0]);
    const next = leader();
    await next.look([imported('a', { [Annotation.heldFor]: 'a=120m' })]);
    expect(next.held.forMs(thing('a'))).toBe(2 * 3_600_000);
  });
});

describe('what all exporters share', () => {
  it('is held while none of its exports is left, until all members have been heard', async () => {
    const { look, beatFor, held, world, clock } = leader();
    const kept = { substitutes: [], kept: ['shared'], outcome: lookAgain(60_000) };
    expect(await look([shared])).toEqual(kept);
    expect(held.forMs(thing())).toBe(0);
    expect(await beatFor(70_000, shared)).toEqual(nothing);
    await look([shared], exported('a'));
    expect([held.size, world.written]).toEqual([0, []]);
    await look([shared]);
    await clock.advance(2 * 3_600_000);
    await look([shared]);
    expect(world.written).toEqual(['*=120m']);
    const recorded = { ...shared, metadata: { ...shared.metadata, annotations: { [Annotation.heldFor]: '*=120m' } } };
    await look([recorded], exported('a'));
    expect([held.size, world.written]).toEqual([0, ['*=120m', undefined]]);
  });

  it('is not held for itself where parts of it are', async () => {
    const { look, held } = leader();
    expect(await look([shared, imported('a')])).toEqual({ ...keptA(60_000), kept: ['shared', 'a'] });
    expect(held.forMs(thing())).toBeUndefined();
  });
});

describe('what is published of an exporter that does not mark what it withdraws', () => {
  const many = Array.from({ length: 30 }, (_, at) => `s${at}`);

  it('goes at once where little is published', async () => {
    const { look, held } = leader();
    expect([await look([unmarked('a')]), held.size]).toEqual([nothing, 0]);
  });

  it('is waited for where more may follow, and goes then', async () => {
    const { clock, look, world, held } = leader();
    world.imports = many.map((name) => unmarked(name));
    world.exports = many.map((name) => exported(name));
    expect([await look([unmarked('a')]), held.size]).toEqual([keptA(1_000), 0]);
    await clock.advance(1_000);
    expect(await look([unmarked('a')])).toEqual(nothing);
    expect(await look([unmarked('a')])).toEqual(keptA(1_000));
  });

  it('is held for a minute where most are lost, and counted once for all', async () => {
    const { clock, look, world } = leader();
    world.imports = many.map((name) => unmarked(name));
    world.exports = many.slice(16).map((name) => exported(name));
    expect(await look([unmarked('a')])).toEqual(keptA(60_000));
    world.exports = many.map((name) => exported(name));
    expect(await look([unmarked('b')])).toMatchObject({ outcome: lookAgain(60_000) });
    await clock.advance(100);
    expect(await look([unmarked('c')])).toMatchObject({ outcome: lookAgain(1_000) });
    expect(await look([unmarked('a')])).toEqual(keptA(59_900));
    world.isExported = true;
    await clock.advance(59_900);
    expect(await look([unmarked('a')])).toEqual(keptA(60_000));
  });

  it('counts exports that are being deleted or not seen as lost, and reduced ones not', async () => {
    const counts = async (exports: readonly ResourceExport[], isSeen?: () => boolean) => {
      const { look, world } = leader({ isSeen });
      world.imports = [...many.map((name) => unmarked(name)), shared];
      world.exports = [...exports];
      return (await look([unmarked('a')])).outcome;
    };
    const limits = { objects: 1, bytes: 1, allBytes: 1, ownerOf: () => '', reduce: (one: ResourceExport) => one };
    expect(await counts(many.map((name) => exported(name, { deletionTimestamp })))).toEqual(lookAgain(60_000));
    expect(
      await counts(
        many.map((name) => exported(name)),
        () => false,
      ),
    ).toEqual(lookAgain(60_000));
    const reduced = many.map((name) => reducedBy(limits, exported(name)));
    expect(await counts(reduced, () => false)).toEqual(lookAgain(1_000));
  });

  it('is held where the Common Area lost more, and states so from the start', async () => {
    const { clock, look, world, held } = leader();
    world.lostMs = clock.monotonic();
    expect(await look([unmarked('a')])).toEqual(keptA(60_000));
    expect(world.written).toEqual(['a=0m']);
    world.lostMs = undefined;
    await clock.advance(120_000);
    expect(await look([unmarked('a', { [Annotation.heldFor]: 'a=0m' })])).toEqual(keptA(60_000));
    await look([unmarked('a')], exported('a'));
    expect([await look([unmarked('a')]), held.size]).toEqual([nothing, 0]);
  });

  it('is held where an earlier process has recorded that, and not where its exporter marks', async () => {
    const recorded = { [Annotation.heldFor]: 'a=5m' };
    const { look, held } = leader();
    expect(await look([unmarked('a', recorded)])).toEqual(keptA(60_000));
    expect(held.forMs(thing('a'))).toBe(300_000);
    const { announce, look: lookAt, world, clock } = leader();
    world.lostMs = clock.monotonic();
    announce('a', '1');
    await lookAt([unmarked('a')]);
    expect(world.written).toEqual([]);
  });

  it('is known by its announcement, whatever it marked before', async () => {
    const { look, announce } = leader();
    announce('a', '1', {}, false);
    expect(await look([imported('a')])).toEqual(nothing);
  });
});

it('an exchange whose imports have no single source loses nothing', async () => {
  const { look, losses } = leader({ isTraced: false });
  expect([await look([imported('a')]), losses.sources, losses.connectedMsOf('a')]).toEqual([nothing, [], undefined]);
});
