import { describe, expect, it } from 'vitest';
import { runtimeMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import type { CacheState, Change } from './cache.ts';
import { createTestCluster } from '../testing/cluster.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { Thing } from '../testing/thing.ts';
import type { BreakableTransport } from '../testing/breakable-transport.ts';
import { answer } from '../testing/breakable-transport.ts';

const served = { ...Thing, statusSubresource: false };
const put = (cluster: TestCluster, name: string, size = 0, more: object = {}) =>
  cluster.server.admin.put<Thing>(served, { metadata: { name, namespace: 'shop', ...more }, spec: { size } });
const names = (things: readonly Thing[]) => things.map((object) => object.metadata.name);
const lists = (transport: BreakableTransport) =>
  transport.sent.filter(({ query }) => query?.['watch'] === undefined).length;
const watches = (transport: BreakableTransport) => transport.sent.filter(({ query }) => query?.['watch'] === 'true');

describe('createCache', () => {
  it('reads what is there and follows what changes', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'b');
    put(cluster, 'a');
    const cache = cluster.cache({ indexes: { size: (object) => [String(object.spec?.size)] } });
    expect([cache.synced, cache.state.kind]).toEqual([false, 'listing']);
    await cluster.clock.settle();
    expect([cache.synced, cache.state.kind, names(cache.list()), cache.size]).toEqual([
      true,
      'watching',
      ['a', 'b'],
      2,
    ]);
    put(cluster, 'c', 5);
    cluster.server.admin.delete(served, { namespace: 'shop', name: 'b' });
    await cluster.clock.settle();
    expect([names(cache.list('shop')), names(cache.byIndex('size', '5')), cache.getByKey('shop/b')]).toEqual([
      ['a', 'c'],
      ['c'],
      undefined,
    ]);
    expect(cache.get({ namespace: 'shop', name: 'c' })).toMatchObject({ apiVersion: 'example.io/v1', kind: 'Thing' });
  });

  it('takes in a large list page by page, with turns of the event loop in between, and shows it at one go', async () => {
    await using cluster = await createTestCluster();
    const count = 1_200;
    for (let index = 0; index < count; index++) put(cluster, `t-${index}`);
    const { clock } = cluster;
    let turns = 0;
    const tick = () => {
      turns++;
      clock.after(1_000, tick);
    };
    clock.after(500, tick);
    cluster.transport.set('slow-answer');
    const taken: number[] = [];
    const sizes = new Set<number>();
    const cache = cluster.cache({
      indexes: {
        name({ metadata }) {
          taken[turns] = (taken[turns] ?? 0) + 1;
          sizes.add(cache.size);
          return [metadata.name];
        },
      },
    });
    let told = 0;
    cache.subscribe(() => void told++);
    await clock.advance(20_000);
    expect(Object.values(taken)).toEqual([500, 500, 200]);
    expect([[...sizes], told, cache.size, cache.list().length, cache.byIndex('name', 't-7').length]).toEqual([
      [0],
      count,
      count,
      count,
      1,
    ]);
  });

  it('keeps the objects that have not changed when it lists again', async () => {
    await using cluster = await createTestCluster();
    for (const name of ['a', 'b', 'c']) put(cluster, name);
    let indexed = 0;
    const cache = cluster.cache({ indexes: { count: () => [String(indexed++)] } });
    await cluster.clock.settle();
    const before = cache.list();
    put(cluster, 'b', 7);
    await cluster.clock.settle();
    cache.renew();
    await cluster.clock.settle();
    expect(indexed).toBe(4);
    expect(cache.list()[0]).toBe(before[0]);
    expect(lists(cluster.transport)).toBe(2);
  });

  it('reports each change once and in order, its own writes too, and changes that happen meanwhile', async () => {
    await using cluster = await createTestCluster();
    const { client } = cluster;
    const cache = cluster.cache();
    await cluster.clock.settle();
    const told: [number, string, Change<Thing>][] = [];
    const version = (change: Change<Thing>) =>
      `${change.before?.metadata.resourceVersion}>${change.after?.metadata.resourceVersion}`;
    const listen = (who: number) => cache.subscribe((change) => void told.push([who, version(change), change]));
    cache.subscribe((change) => {
      if (change.before === undefined) cache.deleted({ namespace: 'shop', name: 'a' }, change.after?.metadata.uid);
    });
    const stop = listen(1);
    listen(2);
    const created = await client.create(Thing, { metadata: { name: 'a', namespace: 'shop' } });
    cache.wrote(created);
    await cluster.clock.settle();
    const v = created.metadata.resourceVersion;
    expect(told.map(([who, text]) => `${who} ${text}`)).toEqual([
      `1 undefined>${v}`,
      `2 undefined>${v}`,
      `1 ${v}>undefined`,
      `2 ${v}>undefined`,
    ]);
    expect(cluster.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
    stop();
    put(cluster, 'b');
    await cluster.clock.settle();
    expect(told.slice(4).map(([who]) => who)).toEqual([2]);
  });

  it('goes on when a listener throws, and reports it', async () => {
    await using cluster = await createTestCluster();
    const cache = cluster.cache({
      indexes: {
        bad: () => {
          throw new Error('index bug');
        },
      },
    });
    let heard = 0;
    cache.subscribe(() => {
      throw new Error('listener bug');
    });
    cache.subscribe(() => void heard++);
    await cluster.clock.settle();
    put(cluster, 'a');
    put(cluster, 'b');
    await cluster.clock.settle();
    expect(heard).toBe(2);
    const errors = cluster.log.entries
      .filter(({ level }) => level === 'error')
      .map(({ error }) => (error as Error).message);
    // The index is reported once, the listener each time.
    expect(errors).toEqual(['index bug', 'listener bug', 'listener bug']);
  });

  it('shows its failing with the reason and the time, serves what it has, and lists again once the server is back', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    const cache = cluster.cache();
    const states: CacheState[] = [];
    cache.onState((state) => states.push(state));
    await cluster.clock.settle();
    const brokenAt = cluster.clock.now();
    cluster.transport.set('refuse');
    cluster.transport.breakOpen();
    await cluster.clock.settle();
    put(cluster, 'b');
    await cluster.clock.advance(60_000);
    expect(cache.state).toMatchObject({
      kind: 'failing',
      sinceMs: brokenAt,
      why: expect.stringContaining('ECONNREFUSED'),
    });
    expect(names(cache.list())).toEqual(['a']);
    const refused = lists(cluster.transport);
    cluster.transport.set('pass');
    await cluster.clock.advance(30_000);
    expect([names(cache.list()), lists(cluster.transport), cache.state.kind]).toEqual([
      ['a', 'b'],
      refused + 1,
      'watching',
    ]);
    expect(states.map(({ kind }) => kind)).toEqual(['watching', 'failing', 'failing', 'watching']);
    const said = cluster.log.entries
      .filter(({ level }) => level === 'info')
      .map(({ message, fields }) => ({ message, fields }));
    expect(said).toEqual([
      {
        message: 'the cache is connected again',
        fields: { cache: 'things.example.io', afterMs: expect.any(Number) },
      },
    ]);
    expect(said[0]?.fields?.['afterMs']).toBeGreaterThanOrEqual(60_000);
  });

  it('resumes a watch from the last bookmark, and counts its objects under its name', async () => {
    await using cluster = await createTestCluster();
    const registry = createMetricsRegistry();
    const bookmark = { kind: 'Thing', apiVersion: 'example.io/v1', metadata: { resourceVersion: '4711' } };
    put(cluster, 'a');
    cluster.transport.set(({ query }) =>
      query?.['watch'] === 'true'
        ? answer(200, `${JSON.stringify({ type: 'BOOKMARK', object: bookmark })}\n`)
        : undefined,
    );
    const cache = cluster.cache({ metrics: registry.declare(runtimeMetrics) });
    await cluster.clock.advance(250);
    expect(watches(cluster.transport).at(-1)?.query?.['resourceVersion']).toBe('4711');
    expect(names(cache.list())).toEqual(['a']);
    const text = await registry.render();
    expect(text).toContain('isthmus_cache_size_objects{cache="things.example.io"} 1');
    expect(text).toMatch(/isthmus_cache_event_total\{cache="things.example.io",type="BOOKMARK"\} \d/);
  });

  it('reports that its place in history is gone, and is not connected until it has listed again', async () => {
    await using cluster = await createTestCluster();
    const cache = cluster.cache();
    const states: string[] = [];
    cache.onState(({ kind }) => states.push(kind));
    await cluster.clock.advance(60_000);
    cluster.transport.set(({ query }) => {
      if (query?.['watch'] !== 'true') return undefined;
      const status = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' };
      return answer(410, JSON.stringify(status));
    });
    cluster.transport.breakOpen();
    await cluster.clock.advance(250);
    cluster.transport.set('pass');
    await cluster.clock.advance(30_000);
    expect(cache.state.kind).toBe('watching');
    const said = cluster.log.entries.filter(({ message }) => message === 'the watch has expired; listing again');
    expect(said.length).toBeGreaterThan(0);
    expect(said[0]?.fields).toMatchObject({ cache: 'things.example.io', why: expect.stringContaining('too old') });
  });

  it('tries at once when it is renewed, rather than when the pause of a long outage is over', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    const cache = cluster.cache();
    await cluster.clock.settle();
    cluster.transport.set('refuse');
    cluster.transport.breakOpen();
    await cluster.clock.advance(300_000);
    put(cluster, 'b');
    const refused = lists(cluster.transport);
    cluster.transport.set('pass');
    cache.renew();
    await cluster.clock.settle();
    expect([names(cache.list()), lists(cluster.transport), cache.state.kind]).toEqual([
      ['a', 'b'],
      refused + 1,
      'watching',
    ]);
  });

  it('replaces a watch that is dead without knowing it by a new list when it is renewed', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    const cache = cluster.cache();
    cluster.transport.set('hang-watches');
    await cluster.clock.settle();
    put(cluster, 'b');
    await cluster.clock.advance(10_000);
    expect(names(cache.list())).toEqual(['a']);
    cluster.transport.set('pass');
    cache.renew();
    cache.renew();
    await cluster.clock.settle();
    expect([names(cache.list()), lists(cluster.transport), watches(cluster.transport).length]).toEqual([
      ['a', 'b'],
      2,
      2,
    ]);
  });

  it('is synced without objects while a kind that need not exist is not served, and reads it once it is', async () => {
    await using cluster = await createTestCluster();
    const registry = createMetricsRegistry();
    put(cluster, 'a');
    cluster.transport.set(() => answer(404, '404 page not found'));
    const cache = cluster.cache({ whenUnserved: 'empty', metrics: registry.declare(runtimeMetrics) });
    await cluster.clock.settle();
    expect([cache.synced, cache.size, cache.state.kind]).toEqual([true, 0, 'failing']);
    cluster.transport.set('pass');
    await cluster.clock.advance(30_000);
    expect([names(cache.list()), cache.state.kind]).toEqual([['a'], 'watching']);
    cluster.transport.set(() => answer(404, '404 page not found'));
    cluster.transport.breakOpen();
    await cluster.clock.advance(1_000);
    expect(names(cache.list())).toEqual([]);
    expect(cluster.log.entries.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'the cache is disconnected',
    ]);
    expect(await registry.render()).toMatch(/watch_restart_total\{cache="things\.example\.io",reason="failed"\} 1\n/);
  });

  it('keeps what it has read, unsynced or not, when a kind that must exist is not served', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    const cache = cluster.cache();
    await cluster.clock.settle();
    cluster.transport.set(() => answer(404, '404 page not found'));
    cluster.transport.breakOpen();
    await cluster.clock.advance(60_000);
    expect([names(cache.list()), cache.state.kind]).toEqual([['a'], 'failing']);
  });

  it('lists again a few seconds after writes have found that objects are missing, once for all of them', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    put(cluster, 'b');
    const cache = cluster.cache();
    cluster.transport.set('hang-watches');
    await cluster.clock.settle();
    put(cluster, 'c');
    for (const { metadata } of cache.list()) cache.missing(metadata, metadata.uid);
    expect(cache.list()).toEqual([]);
    await cluster.clock.advance(6_000);
    expect([names(cache.list()), lists(cluster.transport)]).toEqual([['a', 'b', 'c'], 2]);
  });

  it('lists again when its place in history is gone, and takes the list as a whole', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    put(cluster, 'b', 1);
    const cache = cluster.cache();
    await cluster.clock.settle();
    cluster.transport.set('refuse');
    cluster.transport.breakOpen();
    await cluster.clock.settle();
    cluster.server.admin.delete(served, { namespace: 'shop', name: 'a' });
    put(cluster, 'b', 2);
    put(cluster, 'c', 3);
    cluster.server.admin.compact();
    const seen: string[][] = [];
    cache.subscribe(() => void seen.push(names(cache.list())));
    cluster.transport.set('pass');
    await cluster.clock.advance(1_000);
    expect(lists(cluster.transport)).toBe(2);
    // Three changes, and each listener call saw the end state.
    expect(seen).toEqual([
      ['b', 'c'],
      ['b', 'c'],
      ['b', 'c'],
    ]);
    expect(cache.state.kind).toBe('watching');
  });

  it('lists again when the server was restored from a backup and does not know the resourceVersion yet', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    const cache = cluster.cache();
    await cluster.clock.settle();
    cluster.transport.set(({ query }) => {
      if (query?.['watch'] !== 'true') return undefined;
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      const details = { causes, retryAfterSeconds: 1 };
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        reason: 'Timeout',
        code: 504,
        details,
      };
      return answer(504, JSON.stringify(status));
    });
    cluster.transport.breakOpen();
    await cluster.clock.advance(3_000);
    expect(lists(cluster.transport)).toBeGreaterThan(1);
    cluster.transport.set('pass');
    put(cluster, 'b');
    await cluster.clock.advance(30_000);
    expect([names(cache.list()), cache.state.kind]).toEqual([['a', 'b'], 'watching']);
  });

  it('watches on for hours over the time-outs of the server, with few requests and no list', async () => {
    await using cluster = await createTestCluster();
    const cache = cluster.cache();
    const states: string[] = [];
    cache.onState(({ kind }) => states.push(kind));
    await cluster.clock.advance(3 * 3_600_000);
    expect(states).toEqual(['watching']);
    const seconds = watches(cluster.transport).map(({ query }) => Number(query?.['timeoutSeconds']));
    expect([lists(cluster.transport), cache.state.kind]).toEqual([1, 'watching']);
    expect(seconds.length).toBeGreaterThan(36);
    expect(seconds.length).toBeLessThan(43);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(260);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(290);
    expect(new Set(seconds).size).toBeGreaterThan(10);
    expect(watches(cluster.transport).every(({ query }) => query?.['allowWatchBookmarks'] === 'true')).toBe(true);
  });

  it('follows a watch for as long as its options ask', async () => {
    await using cluster = await createTestCluster();
    cluster.cache({ watchSeconds: 3_000 });
    await cluster.clock.advance(3 * 3_600_000);
    const seconds = watches(cluster.transport).map(({ query }) => Number(query?.['timeoutSeconds']));
    expect(seconds).toHaveLength(4);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(3_000);
    expect(Math.max(...seconds)).toBeLessThan(3_600);
  });

  it('leaves malformed objects out, counts them, reports the first, and keeps the good ones beside them', async () => {
    await using cluster = await createTestCluster();
    const registry = createMetricsRegistry();
    const metrics = registry.declare(runtimeMetrics);
    const ofKind = (kind: string, name: string, resourceVersion: string) => {
      const object = { kind, apiVersion: 'example.io/v1', metadata: { name, namespace: 'shop', resourceVersion } };
      return `${JSON.stringify({ type: 'ADDED', object })}\n`;
    };
    const watch = ofKind('Thing', 'good', '52') + ofKind('Other', 'x', '9999');
    cluster.transport.set(({ query }) => {
      if (query?.['watch'] === 'true') return answer(200, watch);
      const items = [
        { metadata: { name: 'no-version', namespace: 'shop' } },
        { metadata: { name: 'a', namespace: 'shop', resourceVersion: '49' } },
      ];
      return answer(
        200,
        JSON.stringify({ kind: 'ThingList', apiVersion: 'example.io/v1', metadata: { resourceVersion: '50' }, items }),
      );
    });
    const cache = cluster.cache({ metrics });
    await cluster.clock.settle();
    expect(names(cache.list())).toEqual(['a', 'good']);
    await cluster.clock.advance(250);
    // What is not taken does not move the place from which the watch is resumed.
    expect(watches(cluster.transport).map(({ query }) => query?.['resourceVersion'])).toEqual(['50', '52']);
    cluster.transport.set('hang');
    expect(await registry.render()).toContain('isthmus_cache_skipped_object_total{cache="things.example.io"} 3');
    expect(cluster.log.entries.filter(({ message }) => message.includes('sent an invalid object'))).toHaveLength(1);
  });

  it('rejects those who wait for the first list when their signal aborts', async () => {
    await using cluster = await createTestCluster();
    cluster.transport.set('hang');
    const cache = cluster.cache();
    const impatient = new AbortController();
    const waiting = cache.whenSynced(impatient.signal);
    impatient.abort(new Error('no time'));
    await expect(waiting).rejects.toThrow('no time');
    await expect(cache.whenSynced(impatient.signal)).rejects.toThrow('no time');
  });

  it('stops at once when its signal aborts, and can still be read', async () => {
    const cluster = await createTestCluster();
    put(cluster, 'a');
    const cache = cluster.cache();
    await cluster.clock.settle();
    cluster.stop();
    await cluster[Symbol.asyncDispose]();
    put(cluster, 'b');
    await cluster.clock.settle();
    expect([names(cache.list()), cluster.clock.pending]).toEqual([['a'], 0]);
    await expect(cache.run(cluster.signal)).rejects.toThrow('it has already been run');
  });

  it('reads only what it selects', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'in', 0, { labels: { app: 'x' } });
    put(cluster, 'out');
    const cache = cluster.cache({ namespace: 'shop', labelSelector: 'app=x' });
    await cluster.clock.settle();
    cluster.server.admin.patch(served, { namespace: 'shop', name: 'out' }, { metadata: { labels: { app: 'x' } } });
    cluster.server.admin.patch(served, { namespace: 'shop', name: 'in' }, { metadata: { labels: { app: null } } });
    await cluster.clock.settle();
    expect(names(cache.list())).toEqual(['out']);
    expect(cluster.transport.sent[0]).toMatchObject({
      path: '/apis/example.io/v1/namespaces/shop/things',
      query: { labelSelector: 'app=x', limit: '500' },
    });
  });
});
