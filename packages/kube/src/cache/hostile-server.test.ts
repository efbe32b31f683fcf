import { seededRandom } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse } from '../transport/transport.ts';
import { again, done } from '../controller/outcome.ts';
import { runController } from '../controller/controller.ts';
import { from } from '../controller/source.ts';
import { resourceOf } from './resource.ts';
import { createTestCluster } from '../testing/cluster.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { Thing, thing } from '../testing/thing.ts';
import type { Fate } from '../testing/breakable-transport.ts';
import { answer } from '../testing/breakable-transport.ts';

const served = { ...Thing, statusSubresource: false };
const list = (metadata: object, items: unknown) =>
  answer(200, JSON.stringify({ kind: 'ThingList', apiVersion: 'example.io/v1', metadata, items }));
const isWatch = ({ query }: ApiRequest) => query?.['watch'] === 'true';
const status = (code: number, reason: string) =>
  answer(
    code,
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code,
      reason,
      message: reason,
      metadata: {},
    }),
  );

/** A watch that sends half a line and then nothing. */
function stalled(): ApiResponse {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('{"type":"MODI');
    await new Promise(() => {});
  }
  return { status: 200, headers: {}, body: body() };
}

const fates: Readonly<Record<string, Fate>> = {
  'hangs on every request': 'hang',
  'refuses connections': 'refuse',
  'answers with garbage': 'garbage',
  'is a proxy without its backend': 'not-json',
  'closes each answer at once': 'closed',
  'stalls in the middle of a line': (request) => (isWatch(request) ? stalled() : undefined),
  'says 401 to everything': () => status(401, 'Unauthorized'),
  'says 404 to everything': () => answer(404, '404 page not found'),
  'says 410 to everything': () => status(410, 'Expired'),
  'says 410 to each watch': (request) => (isWatch(request) ? status(410, 'Expired') : undefined),
  'is overloaded': () => status(429, 'TooManyRequests'),
  'sends lists without a resourceVersion': (request) => (isWatch(request) ? undefined : list({}, [])),
  'sends a list that is none': (request) =>
    isWatch(request) ? undefined : list({ resourceVersion: '7' }, { not: 'a list' }),
  'ends each watch at once': (request) => (isWatch(request) ? answer(200, '') : undefined),
  'sends watch lines that are none': (request) =>
    isWatch(request) ? answer(200, 'null\n7\n"x"\n{}\n{"type":"ADDED"}\n') : undefined,
  'sends unknown objects in a watch': (request) =>
    isWatch(request)
      ? answer(200, `${JSON.stringify({ type: 'ADDED', object: { ...thing('x'), kind: 'Pod' } })}\n`)
      : undefined,
};

/**
 * Copies the size of each Thing of the hostile cluster to the healthy one; knows only caches and
 * outcomes.
 */
function startCopying(hostile: TestCluster, healthy: TestCluster) {
  const { clock, signal, log } = healthy;
  const source = hostile.cache({ name: 'hostile', log });
  const target = healthy.cache({ name: 'healthy' });
  const things = resourceOf(Thing, target, healthy.client);
  let runs = 0;
  const reconciler = {
    name: 'copy',
    sources: [from(target, ({ metadata }) => [metadata.name])],
    optionalSources: [from(source, ({ metadata }) => [metadata.name])],
    access: [],
    async reconcile(name: string, context: { readonly signal: AbortSignal }) {
      runs++;
      if (!source.synced) return again(5_000, 'the other cluster has not been read yet');
      const from = source.get({ namespace: 'shop', name });
      const to = target.get({ namespace: 'shop', name });
      if (from === undefined) return done;
      const size = from.spec?.size;
      if (to === undefined)
        await things.create({ metadata: { name, namespace: 'shop' }, spec: { size } }, context.signal);
      else await things.change(to, { ...to, spec: { size } }, context.signal);
      return done;
    },
  };
  const ended = runController(reconciler, { clock, random: seededRandom(2), log, signal });
  return { source, target, ended, runs: () => runs };
}

const sizes = (cluster: TestCluster) =>
  cluster.server.admin.list<Thing>(served).map(({ metadata, spec }) => `${metadata.name}=${spec?.size}`);

describe('a slow, dead or lying API server', () => {
  it.each(Object.entries(fates))('never blocks or crashes: it %s from the start, then heals', async (_, fate) => {
    await using healthy = await createTestCluster();
    await using hostile = await createTestCluster({ clock: healthy.clock });
    const { clock } = healthy;
    hostile.transport.set(fate);
    hostile.server.admin.put<Thing>(served, { metadata: { name: 'a', namespace: 'shop' }, spec: { size: 1 } });
    const copying = startCopying(hostile, healthy);
    healthy.server.admin.put<Thing>(served, { metadata: { name: 'local', namespace: 'shop' }, spec: { size: 9 } });
    await clock.advance(600_000);
    // The healthy cluster's keys were served all the while, and the hostile one was not hammered.
    const before = copying.runs();
    healthy.server.admin.put<Thing>(served, { metadata: { name: 'local', namespace: 'shop' }, spec: { size: 8 } });
    await clock.settle();
    expect(copying.runs()).toBeGreaterThan(before);
    expect(hostile.transport.sent.length).toBeLessThan(400);

    hostile.transport.set('pass');
    hostile.server.admin.put<Thing>(served, { metadata: { name: 'b', namespace: 'shop' }, spec: { size: 2 } });
    await clock.advance(400_000);
    expect(sizes(healthy)).toEqual(['a=1', 'b=2', 'local=8']);
    expect(copying.source.state.kind).toBe('watching');
    healthy.stop();
    hostile.stop();
    await copying.ended;
  });

  it.each([1, 2, 3, 4, 5])('comes to the same end after any mixture of all of that (seed %d)', async (seed) => {
    const random = seededRandom(seed);
    await using healthy = await createTestCluster();
    await using hostile = await createTestCluster({ clock: healthy.clock });
    const { clock } = healthy;
    const copying = startCopying(hostile, healthy);
    const kinds = Object.values(fates);
    for (let i = 0; i < 60; i++) {
      const name = `t${Math.floor(random.next() * 5)}`;
      hostile.server.admin.put<Thing>(served, { metadata: { name, namespace: 'shop' }, spec: { size: i } });
      hostile.transport.set(random.next() < 0.4 ? 'pass' : (kinds[Math.floor(random.next() * kinds.length)] ?? 'hang'));
      if (random.next() < 0.5) hostile.transport.breakOpen();
      if (random.next() < 0.2) hostile.server.admin.compact();
      await clock.advance(Math.floor(random.next() ** 3 * 60_000));
    }
    hostile.transport.set('pass');
    await clock.advance(400_000);
    expect(sizes(healthy)).toEqual(sizes(hostile));
    healthy.stop();
    hostile.stop();
    await copying.ended;
  });
});
