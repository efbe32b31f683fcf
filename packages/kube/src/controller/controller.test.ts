import { seededRandom } from '@isthmus/machinery';
import type { Status } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../client/errors.ts';
import type { MemoryLog } from '../log/log.ts';
import { memoryLog } from '../log/log.ts';
import { runtimeMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import type { Outcome } from './outcome.ts';
import { again, blocked, done } from './outcome.ts';
import { runController } from './controller.ts';
import type { Reconciler } from './reconciler.ts';
import type { Source } from './source.ts';
import { from } from './source.ts';
import { createTestCluster } from '../testing/cluster.ts';
import { Thing } from '../testing/thing.ts';

/** A source that a test wakes by hand. */
interface HandSource extends Source {
  wake(...keys: readonly string[]): void;
  sync(): void;
  readonly listeners: number;
}

function handSource(isSynced = true): HandSource {
  const first = Promise.withResolvers<void>();
  const listeners = new Set<(key: string) => void>();
  if (isSynced) first.resolve();
  return {
    synced: isSynced,
    whenSynced: (signal) =>
      Promise.race([
        first.promise,
        new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]),
    start(enqueue) {
      listeners.add(enqueue);
      return () => listeners.delete(enqueue);
    },
    wake: (...keys) => keys.forEach((key) => listeners.forEach((enqueue) => enqueue(key))),
    sync: () => first.resolve(),
    get listeners() {
      return listeners.size;
    },
  };
}

interface Running extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly log: MemoryLog;
  readonly ended: Promise<void>;
  stop(): void;
  metrics(): Promise<string>;
}

async function run(
  reconciler: Partial<Reconciler> & Pick<Reconciler, 'reconcile'>,
  stopWithinMs?: number,
): Promise<Running> {
  const clock = createVirtualClock({ startMs: 0 });
  const log = memoryLog();
  const stop = new AbortController();
  const registry = createMetricsRegistry();
  const metrics = registry.declare(runtimeMetrics);
  const random = seededRandom(1);
  const whole = { name: 'test', sources: [], access: [], ...reconciler };
  const ended = runController(whole, { clock, random, log, metrics, signal: stop.signal, stopWithinMs });
  await clock.settle();
  return {
    clock,
    log,
    ended,
    stop: () => stop.abort(new Error('stop')),
    metrics: () => registry.render(),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('stop'));
      await clock.advance(20_000);
      await ended;
    },
  };
}

const errorsOf = (log: MemoryLog) => log.entries.filter(({ level }) => level === 'error');

describe('runController', () => {
  it('starts when all required sources are synced, and hears of what was there before', async () => {
    const [a, b] = [handSource(false), handSource(false)];
    const seen: string[] = [];
    const early = { ...a, start: (enqueue: (key: string) => void) => (enqueue('there-before'), a.start(enqueue)) };
    await using controller = await run({ sources: [early, b], reconcile: async (key) => (seen.push(key), done) });
    a.sync();
    await controller.clock.advance(60_000);
    expect(seen).toEqual([]);
    expect(controller.log.entries.map(({ message }) => message)).toEqual([
      'still waiting for the first list of caches',
    ]);
    b.sync();
    await controller.clock.settle();
    expect(seen).toEqual(['there-before']);
  });

  it('does not wait for optional sources, but hears them', async () => {
    const [required, optional] = [handSource(), handSource(false)];
    const seen: string[] = [];
    await using controller = await run({
      sources: [required],
      optionalSources: [optional],
      reconcile: async (key) => (seen.push(key), done),
    });
    required.wake('a');
    optional.wake('b');
    await controller.clock.settle();
    expect(seen).toEqual(['a', 'b']);
  });

  it('runs keys side by side up to its concurrency, first come first served, and never one key twice at once', async () => {
    const source = handSource();
    const begun: string[] = [];
    const gates = new Map<string, () => void>();
    await using controller = await run({
      sources: [source],
      concurrency: 2,
      async reconcile(key) {
        begun.push(key);
        await new Promise<void>((resolve) => gates.set(key, resolve));
        return done;
      },
    });
    const { clock } = controller;
    source.wake('a', 'b', 'c', 'd', 'a');
    await clock.settle();
    expect(begun).toEqual(['a', 'b']);
    source.wake('a', 'a');
    gates.get('b')?.();
    await clock.settle();
    expect(begun).toEqual(['a', 'b', 'c']);
    gates.get('a')?.();
    await clock.settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    gates.get('c')?.();
    await clock.settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'a']);
    for (const open of gates.values()) open();
    await clock.settle();
    for (const open of gates.values()) open();
  });

  it.each<[string, Outcome<string>, number]>([
    ['done: runs when a source wakes it', done, 1],
    ['blocked: runs when a source wakes it', blocked('NoService', 'create it'), 1],
    ['blocked, to look again: runs each second', blocked('NameTaken', 'delete it', { lookAgainMs: 1_000 }), 11],
    ['again: runs each second', again(1_000, 'waiting for the leader'), 11],
  ])('%s', async (_, outcome, runs) => {
    const source = handSource();
    let count = 0;
    await using controller = await run({ sources: [source], reconcile: async () => (count++, outcome) });
    source.wake('a');
    await controller.clock.advance(10_000);
    expect(count).toBe(runs);
    source.wake('a');
    await controller.clock.settle();
    expect(count).toBe(runs + 1);
    expect(await controller.metrics()).toContain(
      `isthmus_controller_reconcile_total{controller="test",outcome="${outcome.kind}"} ${runs + 1}`,
    );
  });

  const hostile = (reconcile: unknown) => reconcile as Reconciler['reconcile'];
  it.each<[string, Reconciler['reconcile']]>([
    ['rejects', async () => Promise.reject(new Error('broken world'))],
    [
      'throws at once',
      () => {
        throw new Error('bug');
      },
    ],
    ['throws no Error', () => Promise.reject('text')],
    ['throws undefined', () => Promise.reject(undefined)],
    ['gives no outcome', hostile(async () => undefined)],
    ['gives an unknown outcome', hostile(async () => ({ kind: 'maybe' }))],
    ['asks to run again after no number', hostile(async () => again(Number.NaN, ''))],
  ])('a reconcile that %s is logged, counted and repeated with back-off, and the other keys go on', async (_, fail) => {
    const source = handSource();
    let [fine, failed] = [0, 0];
    await using controller = await run({
      sources: [source],
      concurrency: 1,
      async reconcile(key, context) {
        if (key === 'fine') return (fine++, done);
        failed++;
        return await fail(key, context);
      },
    });
    source.wake('bad', 'fine');
    await controller.clock.advance(10_000);
    source.wake('fine');
    await controller.clock.settle();
    expect(fine).toBe(2);
    // 5 ms doubled with jitter: 12 or 13 attempts in 10 s.
    expect(failed).toBeGreaterThan(10);
    expect(failed).toBeLessThan(15);
    expect(errorsOf(controller.log)).toHaveLength(1);
    expect(errorsOf(controller.log)[0]?.fields).toMatchObject({ controller: 'test', key: 'bad' });
    expect(await controller.metrics()).toContain(`outcome="error"} ${failed}`);
  });

  const refused = (code: number, reason: string, details: object) =>
    new ApiError({ verb: 'patch', resource: 'things' }, { kind: 'Status', code, reason, details } as Status);
  it.each([
    ['a write conflict', refused(409, 'Conflict', { name: 'a', kind: 'things' })],
    ['an object that somebody made in between', refused(409, 'AlreadyExists', { name: 'a', kind: 'things' })],
    ['an object that somebody removed in between', refused(404, 'NotFound', { name: 'a', kind: 'things' })],
  ])('takes %s for no failure, unless it goes on', async (_, error) => {
    const source = handSource();
    let times = 3;
    await using controller = await run({
      sources: [source],
      reconcile: () => (times-- > 0 ? Promise.reject(error) : Promise.resolve(done)),
    });
    source.wake('a');
    await controller.clock.advance(1_000);
    expect([times, errorsOf(controller.log)]).toEqual([-1, []]);
    times = 100;
    source.wake('a');
    await controller.clock.advance(60_000);
    expect(errorsOf(controller.log)).toHaveLength(1);
  });

  it('reports on the object what blocks a key, and that nothing does any more, in every run', async () => {
    const source = handSource();
    const reported: [string, string | undefined][] = [];
    const outcomes = [blocked('NoService', 'create it'), blocked('NoService', 'create it'), done, again(1_000, '')];
    await using controller = await run({
      sources: [source],
      reconcile: async () => outcomes.shift() ?? done,
      report: async (key, blocked) => void reported.push([key, blocked?.reason]),
    });
    const { clock, metrics } = controller;
    source.wake('a');
    await clock.settle();
    expect(await metrics()).toContain('isthmus_controller_blocked_keys{controller="test",reason="NoService"} 1');
    for (let run = 0; run < 3; run++) {
      source.wake('a');
      await clock.settle();
    }
    expect(reported).toEqual([
      ['a', 'NoService'],
      ['a', 'NoService'],
      ['a', undefined],
      ['a', undefined],
    ]);
    expect(await metrics()).toContain('isthmus_controller_blocked_keys{controller="test",reason="NoService"} 0');
  });

  it('fails a reconcile whose report fails, reports nothing of one that failed, and still knows what was blocked', async () => {
    const source = handSource();
    let reports = 0;
    let [worldIsBroken, reportIsBroken] = [false, false];
    await using controller = await run({
      sources: [source],
      async reconcile() {
        if (worldIsBroken) throw new Error('down');
        return blocked('NoService', 'create it');
      },
      async report() {
        reports++;
        if (reportIsBroken) throw new Error('no status');
      },
    });
    const { clock, log, metrics } = controller;
    source.wake('a');
    await clock.settle();
    worldIsBroken = true;
    source.wake('a');
    await clock.settle();
    expect(reports).toBe(1);
    [worldIsBroken, reportIsBroken] = [false, true];
    source.wake('a');
    await clock.advance(2_000);
    expect(reports).toBeGreaterThan(5);
    expect(errorsOf(log).map(({ error }) => (error as Error).message)).toContain('no status');
    expect(await metrics()).toContain('isthmus_controller_blocked_keys{controller="test",reason="NoService"} 1');
    expect(log.entries.filter(({ level }) => level === 'info')).toHaveLength(1);
  });

  it('logs a missing Namespace at once', async () => {
    const source = handSource();
    const error = refused(404, 'NotFound', { name: 'shop', kind: 'namespaces' });
    await using controller = await run({ sources: [source], reconcile: () => Promise.reject(error) });
    source.wake('a');
    await controller.clock.settle();
    expect(errorsOf(controller.log)).toHaveLength(1);
  });

  it('recovers when the world does, and then backs off from the start again', async () => {
    const source = handSource();
    let [broken, runs] = [true, 0];
    await using controller = await run({
      sources: [source],
      async reconcile() {
        runs++;
        if (broken) throw new Error('down');
        return done;
      },
    });
    source.wake('a');
    await controller.clock.advance(60_000);
    broken = false;
    await controller.clock.advance(60_000);
    const recovered = runs;
    await controller.clock.advance(600_000);
    expect(runs).toBe(recovered);
    broken = true;
    source.wake('a');
    await controller.clock.advance(100);
    expect(runs).toBeGreaterThan(recovered + 3);
  });

  it('aborts the signal of running reconciles when it stops, waits for them, and starts no more', async () => {
    const source = handSource();
    const told: string[] = [];
    const controller = await run({
      sources: [source],
      concurrency: 1,
      async reconcile(key, { signal }) {
        told.push(`${key} begins`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        told.push(`${key} ends`);
        throw signal.reason;
      },
    });
    source.wake('a', 'b');
    await controller.clock.settle();
    controller.stop();
    await controller.ended;
    expect(source.listeners).toBe(0);
    expect(told).toEqual(['a begins', 'a ends']);
    expect([errorsOf(controller.log), controller.clock.pending]).toEqual([[], 0]);
  });

  it('does not wait for ever for a reconcile that ignores the stop', async () => {
    const source = handSource();
    const controller = await run({ sources: [source], reconcile: () => new Promise(() => {}) }, 3_000);
    source.wake('a');
    await controller.clock.settle();
    controller.stop();
    let ended = false;
    void controller.ended.then(() => (ended = true));
    await controller.clock.advance(2_999);
    expect(ended).toBe(false);
    await controller.clock.advance(1);
    expect(ended).toBe(true);
    expect(controller.log.entries.at(-1)).toMatchObject({ level: 'warn', fields: { running: 1 } });
  });

  it('stops while it waits for its sources', async () => {
    const controller = await run({ sources: [handSource(false)], reconcile: async () => done });
    controller.stop();
    await controller.ended;
    expect(controller.clock.pending).toBe(0);
  });

  it('survives sources that throw', async () => {
    const good = handSource();
    const seen: string[] = [];
    let waits = 0;
    const bad: Source = {
      synced: true,
      whenSynced: () => (waits++ < 2 ? Promise.reject(new Error('not yet')) : Promise.resolve()),
      start() {
        throw new Error('bug');
      },
    };
    await using controller = await run({ sources: [bad, good], reconcile: async (key) => (seen.push(key), done) });
    await controller.clock.advance(10_000);
    good.wake('a');
    await controller.clock.settle();
    expect(seen).toEqual(['a']);
    expect(errorsOf(controller.log)).toHaveLength(3);
  });

  it('is woken by the objects of a cache as they were and as they are, and by others where one cannot be mapped', async () => {
    await using cluster = await createTestCluster();
    const { clock, server, log, signal } = cluster;
    const served = { ...Thing, statusSubresource: false };
    const put = (name: string, size: number) =>
      server.admin.put<Thing>(served, { metadata: { name, namespace: 'shop' }, spec: { size } });
    put('a', 1);
    put('bad', 0);
    const cache = cluster.cache();
    const seen: string[] = [];
    const keys = (object: Thing) => {
      if (object.spec?.size === 0) throw new Error('no key for this');
      return [`size-${object.spec?.size}`];
    };
    const sources = [from(cache, keys)];
    const reconciler = { name: 'sizes', sources, access: [], reconcile: async (key: string) => (seen.push(key), done) };
    const ended = runController(reconciler, { clock, random: seededRandom(1), log, signal });
    await clock.settle();
    expect(seen).toEqual(['size-1']);
    put('a', 2);
    await clock.settle();
    expect(seen).toEqual(['size-1', 'size-1', 'size-2']);
    expect(errorsOf(log).map(({ error }) => (error as Error).message)).toEqual(['no key for this']);
    cluster.stop();
    await ended;
  });

  it('gives timers their turn while thousands of keys have nothing to wait for', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    // A clock on which each look costs a quarter of a millisecond.
    let spent = 0;
    const slow = { ...clock, monotonic: () => clock.monotonic() + (spent += 0.25) };
    const source = handSource();
    const stop = new AbortController();
    let runs = 0;
    const reconciler = { name: 'test', sources: [source], access: [], reconcile: async () => (runs++, done) };
    const ended = runController(reconciler, {
      clock: slow,
      random: seededRandom(1),
      log: memoryLog(),
      signal: stop.signal,
    });
    await clock.settle();
    source.wake(...Array.from({ length: 1_000 }, (_, i) => `key-${i}`));
    await clock.settle();
    expect(runs).toBeGreaterThan(0);
    expect(runs).toBeLessThan(200);
    await clock.advance(0);
    expect(runs).toBe(1_000);
    stop.abort();
    await ended;
  });
});
