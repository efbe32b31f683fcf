import { Annotation, Label, managedByIsthmus, marked, memberAnnounceName } from '@isthmus/api';
import type { ClusterSet, MemberClusterAnnounce, ResourceImport, ServiceImport } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import type { ReadCache, ReconcileContext } from '@isthmus/kube';
import { again, done, memoryLog } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import { withdrawnMark } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { createHeld } from '../../loss/held.ts';
import type { LeaderSession } from '../leader-session.ts';
import type { OwnCluster } from '../own-cluster.ts';
import type { MissingImport } from './missing-imports.ts';
import { createMissingImports } from './missing-imports.ts';

const startMs = Date.parse('2026-01-02T00:00:00Z');
const dayMs = 86_400_000;
const area = 'north/area';
const key = 'shop/cart';
const exchange = 'services';
const thing = (clusterID = '') => ({ exchange, key, clusterID });
const lost = (forMs: number) => again(forMs, 'the leader has lost the import');
const mayComeBack = (forMs: number) => again(forMs, 'the import may come back at once');

/** A cache whose changes a test makes. */
function cacheOf<T extends object>() {
  const listeners: ((change: { readonly after: T }) => void)[] = [];
  const cache = {
    synced: true,
    whenSynced: () => Promise.resolve(),
    list: () => [],
    subscribe: (listener: (typeof listeners)[number]) => {
      listeners.push(listener);
      return () => {};
    },
  } as unknown as ReadCache<never>;
  return { cache, tell: (after: T) => listeners.forEach((listener) => listener({ after })) };
}

/** A member that has imported these from its leader. */
function member({
  imported = [key] as readonly string[],
  kind = 'session',
  outlastsOtherImplementations = false,
} = {}) {
  const clock = createVirtualClock({ startMs });
  const object = (name: string): ServiceImport => ({
    metadata: { name, labels: { [Label.managedBy]: managedByIsthmus }, creationTimestamp: rfc3339(startMs - dayMs) },
  });
  const world = {
    objects: new Map(imported.map((name) => [name, object(name)])),
    offered: new Set<string>(),
    isExported: false,
    announces: [] as MemberClusterAnnounce[],
    read: 0,
    served: { metadata: { namespace: 'isthmus', name: 'shop' } } as ClusterSet | undefined,
    deleted: [] as string[],
    written: 0,
  };
  const held = createHeld(clock);
  const reported: string[] = [];
  const [clusterSets, imports] = [cacheOf<ClusterSet>(), cacheOf<ResourceImport>()];
  const own = {
    held,
    world: { clock },
    clusterSets,
    served: () => world.served,
    forgottenAfterMs: dayMs,
    events: { report: (_: object, __: object, { message }: { message: string }) => void reported.push(message) },
  } as unknown as OwnCluster;
  const spec = { clusterID: 'east', leaderClusterID: 'north', leaderNamespace: 'area' };
  const session = {
    spec,
    imports,
    client: {
      list() {
        world.read++;
        return Promise.resolve({ items: world.announces });
      },
    },
    answers: undefined as boolean | undefined,
    areaLostMs: undefined as number | undefined,
  };
  const log = memoryLog();
  const context = { signal: new AbortController().signal, log } as unknown as ReconcileContext;
  held.hold(thing('of an earlier session'));
  const source = kind === 'session' ? { kind, session: session as unknown as LeaderSession } : { kind: 'none' };
  const missing = createMissingImports<ServiceImport>(own, source as Parameters<typeof createMissingImports>[1], {
    exchange,
    what: 'imported Services',
    keys: ({ spec: of }) => (of?.name === undefined ? [] : [`shop/${of.name}`]),
    partNames: ({ spec: of }) => (of?.clusterID ?? []).map((clusterID) => `part-${clusterID}`),
    resource: {
      change(_: ServiceImport, desired: ServiceImport) {
        world.written++;
        world.objects.set(desired.metadata.name, desired);
        return Promise.resolve(desired);
      },
      delete({ metadata }: ServiceImport) {
        world.deleted.push(metadata.name);
        return Promise.resolve();
      },
    } as never,
    importOf: (name) => world.objects.get(name),
    imported: () => [...world.objects.keys()],
    isOffered: (name) => world.offered.has(name),
    outlastsOtherImplementations,
    isOfferedOrExported: () => Promise.resolve(world.isExported),
  });
  const woken: string[] = [];
  for (const one of missing.sources)
    one.start(
      (name) => void woken.push(name),
      () => {},
    );
  const doubt = (more: Partial<MissingImport> = {}) =>
    missing.doubt({ key, name: 'cart', marks: true, area, clusterIDs: ['west'], ...more }, context);
  const publish = (more: Partial<ResourceImport['spec']> = {}, annotations: Readonly<Record<string, string>> = {}) =>
    imports.tell({ metadata: { name: 'cart', annotations }, spec: { kind: 'Service', name: 'cart', ...more } });
  const announce = (beat: string, more: Readonly<Record<string, string>> = {}) => {
    const annotations = { [Annotation.touchTs]: beat, [Annotation.marksAt]: beat, ...more };
    const metadata = { namespace: 'area', name: memberAnnounceName('west'), annotations };
    world.announces = [{ metadata, clusterID: 'west', clusterSetID: 'shop', leaderClusterID: 'north' }];
  };
  /** Looks every five seconds, while west beats. */
  const beatFor = async (
    ms: number,
    more: Partial<MissingImport> = {},
    annotations: Readonly<Record<string, string>> = {},
  ) => {
    let outcome = await doubt(more);
    for (let at = 0; at < ms; at += 5_000) {
      announce(`${clock.now()}`, annotations);
      await clock.advance(5_000);
      outcome = await doubt(more);
    }
    return outcome;
  };
  const allow = () => {
    const until = rfc3339(clock.now() + 60_000);
    world.served = {
      metadata: { namespace: 'isthmus', name: 'shop', annotations: { [Annotation.allowRemovalsUntil]: until } },
    };
  };
  const record = () => world.objects.get(key)?.metadata.annotations?.[Annotation.heldFor];
  return {
    clock,
    world,
    held,
    session,
    missing,
    context,
    doubt,
    publish,
    announce,
    beatFor,
    allow,
    record,
    woken,
    clusterSets,
    reported,
    log,
  };
}

describe('an import that a leader of Isthmus does not have any more', () => {
  it('is held, and reported once for all that are lost together', async () => {
    const { doubt, held, reported, log } = member();
    expect(held.keys(exchange)).toEqual([]);
    expect(await doubt()).toEqual(lost(5_000));
    expect(await doubt({ key: 'shop/till', name: 'till' })).toEqual(lost(5_000));
    expect(held.keys(exchange)).toEqual([key, 'shop/till']);
    expect(reported).toEqual([expect.stringContaining('Some imported Services are missing on leader north')]);
    expect(reported[0]).toContain('They are published again when their exports are back');
    expect(log.entries).toHaveLength(1);
  });

  it('is held without a report where there is no ClusterSet', async () => {
    const { doubt, world, reported } = member();
    world.served = undefined;
    expect([await doubt(), reported]).toEqual([lost(5_000), []]);
  });

  it('goes after half a second where it was withdrawn, and a part of one cluster at once', async () => {
    const { clock, doubt, publish, held, world } = member();
    publish({}, withdrawnMark(startMs));
    expect(await doubt()).toEqual(mayComeBack(500));
    await clock.advance(499);
    expect(await doubt()).toEqual(mayComeBack(1));
    await clock.advance(1);
    expect(await doubt()).toBeUndefined();
    publish({ clusterID: ['east'] }, withdrawnMark(startMs));
    expect(await doubt({ name: 'part-east', clusterID: 'west' })).toBeUndefined();
    expect([held.size, world.read]).toEqual([0, 0]);
  });

  it('is held where what was withdrawn has another name, or is published again', async () => {
    const { doubt, publish } = member();
    publish({}, withdrawnMark(startMs));
    expect(await doubt({ name: 'another' })).toEqual(lost(5_000));
    publish();
    expect(await doubt()).toEqual(lost(5_000));
  });

  it.each([
    ['it is offered to others alone', { publish: { clusterID: ['south'] } }],
    ['the ClusterSet names another Common Area by now', { missing: { area: 'south/area' } }],
    ['a person allows it', { allows: true }],
  ])(
    'goes where %s',
    async (
      _,
      { publish: published, missing: more, allows }: { publish?: object; missing?: object; allows?: boolean },
    ) => {
      const { clock, doubt, publish, allow, world } = member();
      if (published !== undefined) publish(published);
      if (allows === true) allow();
      expect(await doubt(more)).toEqual(mayComeBack(500));
      await clock.advance(500);
      expect([await doubt(more), world.read]).toEqual([undefined, 0]);
    },
  );

  it('is held where it is not known of which Common Area it is', async () => {
    const { doubt } = member();
    expect(await doubt({ area: undefined })).toEqual(lost(5_000));
  });

  it('goes when its exporter has been heard for thirty seconds without it, unless the leader has its export', async () => {
    const { beatFor, doubt, world, held } = member();
    expect(await beatFor(35_000)).toEqual(lost(5_000));
    expect(await beatFor(5_000)).toBeUndefined();
    world.isExported = true;
    expect(await doubt()).toEqual(again(10_000, 'it is still exported'));
    expect(held.forMs(thing())).toBe(40_000);
  });

  it('counts the time for which its exporter was heard from the loss on, and only that of its part', async () => {
    const { beatFor, doubt, clock } = member();
    await beatFor(60_000, { key: 'shop/other' });
    expect(await doubt()).toEqual(lost(5_000));
    await beatFor(25_000);
    expect(await doubt({ clusterIDs: ['west', 'south'] })).toEqual(lost(5_000));
    expect(await doubt({ clusterID: 'south', clusterIDs: ['south'] })).toEqual(lost(5_000));
    await clock.advance(5_000);
    expect(await doubt()).toBeUndefined();
  });

  it('is looked at more rarely the longer nobody is heard', async () => {
    const { clock, doubt } = member();
    await doubt();
    await clock.advance(200_000);
    expect(await doubt()).toEqual(lost(20_000));
  });

  it('wakes when a person allows that it goes', async () => {
    const { doubt, allow, clusterSets, woken } = member();
    await doubt();
    clusterSets.tell({ metadata: { name: 'shop' } });
    expect(woken).toEqual([]);
    allow();
    clusterSets.tell({ metadata: { name: 'shop' } });
    expect(woken).toEqual([key]);
  });
});

describe('an import that a leader of another make does not have any more', () => {
  const foreign = { marks: false };

  it('goes after half a second, once the leader was asked whether it has an export', async () => {
    const { clock, doubt, world, held } = member();
    expect([await doubt(foreign), world.read]).toEqual([mayComeBack(500), 0]);
    await clock.advance(500);
    expect([await doubt(foreign), world.read, held.size]).toEqual([undefined, 1, 0]);
  });

  it('is held for a minute where the leader has its export', async () => {
    const { clock, doubt, world, reported } = member();
    await doubt(foreign);
    await clock.advance(500);
    world.isExported = true;
    expect(await doubt(foreign)).toEqual(lost(10_000));
    expect(reported).toEqual([expect.stringContaining('Leader north does not publish them again by itself')]);
    await clock.advance(10_000);
    expect(await doubt(foreign)).toEqual(lost(50_000));
    await clock.advance(50_000);
    expect(await doubt(foreign)).toEqual(again(10_000, 'it is still exported'));
  });

  it('is held for a minute where most are missing', async () => {
    const all = Array.from({ length: 20 }, (_, at) => `shop/s${at}`);
    const { clock, doubt, world } = member({ imported: all });
    for (const one of all.slice(11)) world.offered.add(one);
    expect(await doubt(foreign)).toEqual(lost(60_000));
    await clock.advance(500);
    expect(await doubt(foreign)).toEqual(lost(59_500));
    for (const one of all) world.offered.add(one);
    await clock.advance(29_500);
    expect(await doubt(foreign)).toEqual(lost(30_000));
    expect(await doubt({ ...foreign, key: 'shop/late' })).toEqual(again(1_000, 'it may be one of many'));
  });

  it('is waited for while more may go missing', async () => {
    const all = Array.from({ length: 30 }, (_, at) => `shop/s${at}`);
    const { clock, doubt, world } = member({ imported: all });
    for (const one of all) world.offered.add(one);
    await doubt(foreign);
    await clock.advance(500);
    expect(await doubt(foreign)).toEqual(again(500, 'it may be one of many'));
    await clock.advance(500);
    expect(await doubt(foreign)).toBeUndefined();
  });

  it('is held while its exporter announces that it has exports to restore', async () => {
    const { clock, doubt, announce } = member();
    await doubt(foreign);
    announce('1', { [Annotation.restoring]: '1' });
    await clock.advance(500);
    expect(await doubt(foreign)).toEqual(lost(5_000));
    announce('2');
    await clock.advance(5_000);
    expect(await doubt(foreign)).toBeUndefined();
  });

  it.each([
    ['is held where the Common Area lost more', 10_000, 0, true],
    ['goes where that was long ago', 300_000, 0, false],
    ['goes where it was imported after that', 10_000, dayMs, false],
  ])('%s', async (_, sinceMs, laterMs, isHeld) => {
    const { clock, doubt, session, world } = member();
    await clock.advance(400_000);
    session.areaLostMs = clock.monotonic() - sinceMs;
    const [object] = world.objects.values();
    if (object !== undefined) {
      const creationTimestamp = rfc3339(startMs - dayMs + laterMs + (laterMs === 0 ? 0 : 400_000));
      world.objects.set(key, { ...object, metadata: { ...object.metadata, creationTimestamp } });
    }
    await doubt(foreign);
    await clock.advance(500);
    expect(await doubt(foreign)).toEqual(isHeld ? lost(60_000) : undefined);
  });
});

describe('what members of another make exported', () => {
  const unmarked = { [Annotation.marksAt]: '' };

  it('is held until a person has it exported again, where it was seen and lost', async () => {
    const { publish, beatFor } = member({ outlastsOtherImplementations: true });
    publish();
    expect(await beatFor(120_000, {}, unmarked)).toEqual(lost(5_000));
  });

  it.each([
    ['does not outlast them', { outlasts: false, answers: undefined }],
    ['is of a leader that does not answer', { outlasts: true, answers: false }],
  ])('goes where the exchange %s', async (_, { outlasts, answers }) => {
    const { publish, beatFor, session } = member({ outlastsOtherImplementations: outlasts });
    session.answers = answers;
    publish();
    expect(await beatFor(60_000, {}, unmarked)).toBeUndefined();
  });
});

describe('an imported object whose import is lost', () => {
  const object: ServiceImport = {
    metadata: { name: key, annotations: { [Annotation.withdrawals]: marked, [Annotation.importedFrom]: area } },
  };
  const things = { key, name: 'cart', clusterIDs: ['west'] };

  it('stays while it is doubted, and states for how long', async () => {
    const { missing, world, context, clock, record } = member();
    world.objects.set(key, object);
    expect(await missing.withdraw(object, things, context)).toEqual(lost(5_000));
    expect([world.deleted, world.written, record()]).toEqual([[], 0, undefined]);
    await clock.advance(2 * 3_600_000);
    expect(missing.isRecorded(key)).toBe(false);
    await missing.withdraw(object, things, context);
    expect([world.written, record(), missing.isRecorded(key)]).toEqual([1, '*=120m', true]);
    await missing.withdraw(object, things, context);
    expect(world.written).toBe(1);
    missing.clear({ key });
    expect(missing.isRecorded(key)).toBe(false);
    await missing.record(key, context.signal);
    expect([record(), missing.isRecorded(key)]).toEqual([undefined, true]);
  });

  it('goes where it was withdrawn, or where the leader still offers it to others', async () => {
    const { missing, world, context, publish, clock, held } = member();
    publish({}, withdrawnMark(startMs));
    await missing.withdraw(object, things, context);
    expect(world.deleted).toEqual([]);
    await clock.advance(500);
    expect(await missing.withdraw(object, things, context)).toEqual(done);
    expect([world.deleted, held.size]).toEqual([[key], 0]);
    const other = member();
    expect(await other.missing.withdraw(object, { ...things, isOffered: true }, other.context)).toEqual(done);
    expect(other.world.deleted).toEqual([key]);
  });

  it('is held on after a restart, as long as was left', async () => {
    const { doubt, world, held } = member();
    world.objects.set(key, {
      metadata: { ...object.metadata, annotations: { [Annotation.heldFor]: '*=90m,west=30m' } },
    });
    await doubt();
    await doubt({ clusterID: 'west' });
    expect([held.forMs(thing()), held.forMs(thing('west'))]).toEqual([90 * 60_000, 30 * 60_000]);
  });

  it('is held again where it came back in the meantime, whatever its record states', async () => {
    const { doubt, missing, world, held, clock } = member();
    await doubt();
    missing.clear({ key });
    expect(held.size).toBe(0);
    world.objects.set(key, { metadata: { ...object.metadata, annotations: { [Annotation.heldFor]: '*=90m' } } });
    await clock.advance(1_000);
    await doubt();
    expect(held.forMs(thing())).toBe(0);
  });

  it('forgets the parts that are not doubted any more, and all with the whole', async () => {
    const { doubt, missing, held } = member();
    for (const clusterID of ['west', 'south', 'far']) await doubt({ clusterID });
    missing.onlyParts(key, new Set(['west', 'south']));
    expect([held.forMs(thing('west')), held.forMs(thing('far'))]).toEqual([0, undefined]);
    await doubt();
    missing.gone(key);
    expect(held.size).toBe(0);
    missing.onlyParts('shop/unknown', new Set());
  });
});

describe('without a leader', () => {
  it('what carries our label goes, and nothing is doubted', async () => {
    const { missing, doubt, world, context, held } = member({ kind: 'none' });
    expect([await doubt(), missing.sources, missing.isRecorded(key), held.size]).toEqual([undefined, [], true, 0]);
    const [ours] = world.objects.values();
    const things = { key, name: 'cart', clusterIDs: [] };
    for (const object of ours === undefined ? [] : [ours, { metadata: { name: 'foreign' } }]) {
      expect(await missing.withdraw(object, things, context)).toEqual(done);
    }
    expect(world.deleted).toEqual([key]);
  });
});
