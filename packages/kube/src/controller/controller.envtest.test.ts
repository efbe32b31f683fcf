import { setTimeout as delay } from 'node:timers/promises';
import { ConfigMap, Event, Lease, Namespace } from '@isthmus/api';
import { adminTransport, startApiServer } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { createEventRecorder } from '../events/event-recorder.ts';
import { memoryLog, noLog } from '../log/log.ts';
import { systemClock, systemRandom } from '../world/node-world.ts';
import { done } from './outcome.ts';
import type { CacheState } from '../cache/cache.ts';
import { runController } from './controller.ts';
import type { RunnableCache } from '../cache/create-cache.ts';
import { createCache } from '../cache/create-cache.ts';
import { runWithLease } from '../lease/lease.ts';
import { from } from './source.ts';
import { resourceOf } from '../cache/resource.ts';
import type { BreakableTransport } from '../testing/breakable-transport.ts';
import { breakableTransport } from '../testing/breakable-transport.ts';

const clock = systemClock();
const random = systemRandom();
const namespace = 'runtime-test';

let server: RealApiServer;
let client: Client;

beforeAll(async () => {
  server = await startApiServer({ name: 'runtime' });
  client = connected();
  await client.create(Namespace, { metadata: { name: namespace } });
});

afterAll(async () => {
  client?.close();
  await server?.[Symbol.asyncDispose]();
});

/** A way with connections of its own. */
function ownTransport(): BreakableTransport {
  const transport = adminTransport(server, 'isthmus-test');
  return breakableTransport(transport, clock);
}

function connected(transport = ownTransport(), timeoutMs = 10_000): Client {
  return createClient({ transport, clock, timeoutMs, server: server.url });
}

async function until(what: string, holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 5, message: what }).toBe(true);
}

/** The server goes on whatever comes of `work`. */
async function whileFrozen(work: () => Promise<void>): Promise<void> {
  await server.freeze('kube-apiserver');
  try {
    await work();
  } finally {
    server.resume('kube-apiserver');
  }
}

/** A running cache of the ConfigMaps of a Namespace of its own, which is empty at first. */
async function inNamespace(name: string, timeoutMs?: number) {
  await client.create(Namespace, { metadata: { name } });
  const stop = new AbortController();
  const transport = ownTransport();
  const own = connected(transport, timeoutMs);
  const log = memoryLog();
  const cache = createCache<ConfigMap>({ client: own, type: ConfigMap, namespace: name, clock, random, log });
  const ended = cache.run(stop.signal);
  const put = (key: string, value: string) =>
    client.create(ConfigMap, { metadata: { name: key, namespace: name }, data: { value } });
  return {
    cache,
    client: own,
    transport,
    log,
    put,
    signal: stop.signal,
    names: () => cache.list().map(({ metadata }) => metadata.name),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await ended;
      own.close();
    },
  };
}

/** What the cache holds is what the server holds, version for version. */
async function expectSame(cache: RunnableCache<ConfigMap>, name: string): Promise<void> {
  const { items } = await client.list(ConfigMap, { namespace: name });
  const versions = (maps: readonly ConfigMap[]) =>
    Object.fromEntries(maps.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  await until('the cache holds what the server holds', () => cache.size === items.length);
  expect(versions(cache.list())).toEqual(versions(items));
}

describe('a cache over a real API server', () => {
  it('reads what is there over several pages and follows what changes', async () => {
    const name = 'cache-follow';
    await client.create(Namespace, { metadata: { name } });
    for (let i = 0; i < 1_100; i += 50) {
      const batch = Array.from({ length: 50 }, (_, j) => `m${i + j}`);
      await Promise.all(batch.map((key) => client.create(ConfigMap, { metadata: { name: key, namespace: name } })));
    }
    const stop = new AbortController();
    const cache = createCache<ConfigMap>({ client, type: ConfigMap, namespace: name, clock, random, log: noLog });
    const ended = cache.run(stop.signal);
    await cache.whenSynced(stop.signal);
    expect(cache.size).toBe(1_100);
    const object = cache.get({ namespace: name, name: 'm7' });
    expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(object?.metadata).not.toHaveProperty('managedFields');
    await client.patch(ConfigMap, { namespace: name, name: 'm7' }, { type: 'merge', body: { data: { a: 'b' } } });
    await client.delete(ConfigMap, { namespace: name, name: 'm8' });
    await until('both have come', () => cache.size === 1_099 && cache.getByKey(`${name}/m7`)?.data?.['a'] === 'b');
    await expectSame(cache, name);
    stop.abort();
    await ended;
  });

  it('shows our own writes at once and reports each change once', async () => {
    await using here = await inNamespace('cache-own-writes');
    const { cache, client, signal } = here;
    await cache.whenSynced(signal);
    const maps = resourceOf(ConfigMap, cache, client);
    const told: string[] = [];
    cache.subscribe(
      ({ before, after }) => void told.push(`${before?.data?.['n'] ?? '-'}>${after?.data?.['n'] ?? '-'}`),
    );
    const ref = { name: 'a', namespace: 'cache-own-writes' };
    let current = await maps.create({ metadata: ref, data: { n: '0' } }, signal);
    for (let n = 1; n <= 20; n++) {
      await maps.change(current, { ...current, data: { n: String(n) } }, signal);
      expect(cache.get(ref)?.data).toEqual({ n: String(n) });
      current = cache.get(ref) ?? current;
    }
    await maps.delete(current, signal);
    expect(cache.get(ref)).toBeUndefined();
    await here.put('last', '');
    await until('the watch is past all of it', () => cache.getByKey('cache-own-writes/last') !== undefined);
    const expected = ['->0', ...Array.from({ length: 20 }, (_, n) => `${n}>${n + 1}`), '20>-', '->-'];
    expect(told).toEqual(expected);
  });

  it('learns from the answer to a write that an object went with its last finalizer', async () => {
    await using here = await inNamespace('cache-finalizer');
    const { cache, client, signal } = here;
    await cache.whenSynced(signal);
    const maps = resourceOf(ConfigMap, cache, client);
    const ref = { name: 'held', namespace: 'cache-finalizer' };
    const held = await maps.create({ metadata: { ...ref, finalizers: ['isthmus.dev/test'] } }, signal);
    await maps.delete(held, signal);
    const dying = cache.get(ref);
    expect(dying?.metadata.deletionTimestamp).toBeDefined();
    if (dying !== undefined)
      await maps.change(dying, { ...dying, metadata: { ...dying.metadata, finalizers: [] } }, signal);
    expect(cache.get(ref)).toBeUndefined();
    await delay(200);
    expect(cache.get(ref)).toBeUndefined();
  });

  it('serves what it has while kube-apiserver is gone, reports it, and heals without losing a change', async () => {
    await using here = await inNamespace('cache-restart');
    const { cache, signal, put, names } = here;
    await put('before', '1');
    await cache.whenSynced(signal);
    const states: CacheState['kind'][] = [];
    cache.onState(({ kind }) => states.push(kind));
    await server.stop('kube-apiserver');
    await until('the cache fails', () => cache.state.kind === 'failing');
    expect(names()).toEqual(['before']);
    await server.start('kube-apiserver');
    await put('after', '2');
    await until('the cache has healed', () => names().length === 2);
    await until('the cache says so', () => cache.state.kind === 'watching');
    await expectSame(cache, 'cache-restart');
    expect(states).toContain('failing');
  });

  it('finds out about a server that hangs, and heals when it goes on', async () => {
    await using here = await inNamespace('cache-freeze', 1_000);
    const { cache, client: impatient, put, signal, names } = here;
    await cache.whenSynced(signal);
    await whileFrozen(async () => {
      // The watch itself is quiet: what finds out is a call with a time-out.
      await expect(impatient.get(Namespace, { name: namespace })).rejects.toThrow('within 1000 ms');
      expect(cache.synced).toBe(true);
    });
    await put('after', '1');
    await until('the change has come', () => names().length === 1);
    await expectSame(cache, 'cache-freeze');
  });

  it('lists again after a restart that cost the server its history, and what was deleted meanwhile goes', async () => {
    await using here = await inNamespace('cache-expired');
    const { cache, signal, put, transport } = here;
    await put('a', '1');
    await cache.whenSynced(signal);
    transport.set('refuse');
    transport.breakOpen();
    await put('b', '1');
    await client.delete(ConfigMap, { namespace: 'cache-expired', name: 'a' });
    // A server that has just started remembers nothing of what was before.
    await server.restart('kube-apiserver');
    transport.set('pass');
    await until('all of it has come', () => cache.getByKey('cache-expired/b') !== undefined);
    await expectSame(cache, 'cache-expired');
  });
});

describe('a controller over a real API server', () => {
  it('goes on over a restart of the server and reconciles every object', async () => {
    await using here = await inNamespace('controller');
    const { cache, client: own, signal, put } = here;
    const maps = resourceOf(ConfigMap, cache, own);
    const reconciler = {
      name: 'marker',
      sources: [from(cache, ({ metadata }) => [metadata.name])],
      access: [],
      async reconcile(name: string, context: { readonly signal: AbortSignal }) {
        const map = cache.get({ namespace: 'controller', name });
        if (map === undefined || map.data?.['marked'] === 'yes') return done;
        await maps.change(map, { ...map, data: { ...map.data, marked: 'yes' } }, context.signal);
        return done;
      },
    };
    const stop = new AbortController();
    const ended = runController(reconciler, {
      clock,
      random,
      log: noLog,
      signal: AbortSignal.any([stop.signal, signal]),
    });
    const marked = () => cache.list().filter(({ data }) => data?.['marked'] === 'yes').length;
    for (let i = 0; i < 20; i++) await put(`m${i}`, '');
    await server.restart('kube-apiserver');
    for (let i = 20; i < 40; i++) await put(`m${i}`, '');
    await until('all are marked', () => marked() === 40);
    stop.abort();
    await ended;
  });
});

describe('a Lease on a real API server', () => {
  it('lets one of two lead, and the other at once when the first gives up', async () => {
    const leading: string[] = [];
    let most = 0;
    const times = { durationMs: 3_000, renewDeadlineMs: 2_000, renewPeriodMs: 300, retryPeriodMs: 300 };
    const start = (identity: string) => {
      const stop = new AbortController();
      const ended = runWithLease({
        client,
        namespace,
        name: 'election',
        identity,
        clock,
        random,
        log: noLog,
        times,
        signal: stop.signal,
        async lead(signal) {
          leading.push(identity);
          most = Math.max(most, leading.length);
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          leading.splice(leading.indexOf(identity), 1);
        },
      });
      return { ended, stop: () => stop.abort(new Error('stop')) };
    };
    const candidates = { a: start('a'), b: start('b') };
    await until('one leads', () => leading.length === 1);
    const first = leading[0] === 'a' ? 'a' : 'b';
    const second = first === 'a' ? 'b' : 'a';
    await delay(4_000);
    expect(leading).toEqual([first]);
    candidates[first].stop();
    expect(await candidates[first].ended).toEqual({ kind: 'stopped' });
    // Given back: the other need not wait until it has run out.
    expect((await client.get(Lease, { namespace, name: 'election' })).spec?.holderIdentity).not.toBe(first);
    await until('the other leads', () => leading[0] === second);
    expect((await client.get(Lease, { namespace, name: 'election' })).spec).toMatchObject({
      holderIdentity: second,
      leaseTransitions: 1,
    });
    // A server that hangs for longer than the renew deadline ends the lead.
    await whileFrozen(() => until('nobody leads', () => leading.length === 0));
    expect(await candidates[second].ended).toMatchObject({ kind: 'lost' });
    expect(most).toBe(1);
  });
});

describe('the event recorder on a real API server', () => {
  it('writes Events that the server accepts, and counts', async () => {
    const stop = new AbortController();
    const recorder = createEventRecorder({
      client,
      clock,
      random,
      log: noLog,
      component: 'isthmus-test',
      instance: 'one',
      signal: stop.signal,
    });
    const map = await client.create(ConfigMap, { metadata: { name: 'told', namespace } });
    const space = await client.get(Namespace, { name: namespace });
    for (let i = 0; i < 3; i++) {
      recorder.event(map, { type: 'Warning', reason: 'Conflict', message: 'ports differ', action: 'Export' });
      await recorder.flushed();
    }
    recorder.event(space, { type: 'Normal', reason: 'Seen', message: 'x'.repeat(5_000) });
    await recorder.flushed();
    const { items } = await client.list(Event, { fieldSelector: 'source=isthmus-test' });
    const shown = items
      .toSorted((a, b) => ((a.message ?? '').length < (b.message ?? '').length ? 1 : -1))
      .map(({ metadata, count, message, involvedObject }) => [
        metadata.namespace,
        count,
        message?.length,
        involvedObject.name,
      ]);
    expect(shown).toEqual([
      ['default', 1, 1_022, namespace],
      [namespace, 3, 12, 'told'],
    ]);
    stop.abort();
  });
});
