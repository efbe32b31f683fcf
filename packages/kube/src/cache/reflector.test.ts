import { seededRandom } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { noMetrics } from '../metrics/metrics.ts';
import { answer } from '../testing/breakable-transport.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { createTestCluster } from '../testing/cluster.ts';
import { Thing } from '../testing/thing.ts';
import type { ReflectorOptions, ReflectorSink } from './reflector.ts';
import { runReflector } from './reflector.ts';

const served = { ...Thing, statusSubresource: false };
const put = (cluster: TestCluster, name: string) =>
  cluster.server.admin.put<Thing>(served, { metadata: { name, namespace: 'shop' }, spec: { size: 1 } });

/** A reflector that runs, and what its sink receives, in order. */
function running(cluster: TestCluster, options: Partial<ReflectorOptions<Thing>> = {}, takes = true) {
  const received: string[] = [];
  let renew = () => {};
  const sink: ReflectorSink<Thing> = {
    listing() {
      received.push('listing');
      const names: Thing[] = [];
      return {
        isLimited: false,
        add: (item) => void names.push(item),
        clear: () => void (names.length = 0),
        all: () => names,
      };
    },
    replace: (items) =>
      void received.push(`list of ${items.map(({ metadata }) => metadata.name).join(', ') || 'nothing'}`),
    unserved: () => void received.push('not served'),
    event(type, { metadata }) {
      received.push(`${type} ${metadata.name}`);
      return takes;
    },
    bookmark: () => void received.push('bookmark'),
    state: ({ kind }) => void received.push(kind),
  };
  const { client, clock, log, signal } = cluster;
  const ended = runReflector(
    {
      type: Thing,
      client,
      name: 'things',
      clock,
      random: seededRandom(1),
      log,
      metrics: noMetrics,
      sink,
      mayBeUnserved: false,
      onRenewable: (callback) => void (renew = callback),
      ...options,
    },
    signal,
  );
  return { received, ended, renew: () => renew(), next: () => received.splice(0) };
}

describe('a reflector', () => {
  it('lists, is connected, and passes on each change', async () => {
    await using cluster = await createTestCluster();
    put(cluster, 'a');
    const { next } = running(cluster);
    await cluster.clock.settle();
    expect(next()).toEqual(['listing', 'list of a', 'watching']);
    put(cluster, 'b');
    cluster.server.admin.delete(served, { namespace: 'shop', name: 'b' });
    await cluster.clock.settle();
    expect(next()).toEqual(['ADDED b', 'DELETED b']);
  });

  it('reports that it is disconnected, and lists again when the server answers', async () => {
    await using cluster = await createTestCluster();
    const { next } = running(cluster);
    await cluster.clock.settle();
    next();
    cluster.transport.set('refuse');
    cluster.transport.breakOpen();
    await cluster.clock.advance(60_000);
    const during = next();
    expect([during[0], new Set(during)]).toEqual(['failing', new Set(['failing', 'listing'])]);
    cluster.transport.set('pass');
    put(cluster, 'a');
    await cluster.clock.advance(60_000);
    expect(next()).toEqual(['listing', 'list of a', 'watching']);
  });

  it('lists at once when it is renewed, whether it watches or waits', async () => {
    await using cluster = await createTestCluster();
    const { next, renew } = running(cluster);
    await cluster.clock.settle();
    next();
    renew();
    await cluster.clock.settle();
    expect(next()).toEqual(['listing', 'list of nothing']);
    cluster.transport.set('refuse');
    renew();
    await cluster.clock.settle();
    expect(next()).toEqual(['listing', 'failing']);
    cluster.transport.set('pass');
    renew();
    await cluster.clock.settle();
    expect(next()).toEqual(['listing', 'list of nothing', 'watching']);
  });

  it('reports a kind that is not served, and asks for it again', async () => {
    await using cluster = await createTestCluster();
    const missing = { ...Thing, plural: 'others' };
    const { next } = running(cluster, { type: missing, mayBeUnserved: true });
    await cluster.clock.settle();
    expect(next()).toEqual(['listing', 'not served', 'failing']);
    await cluster.clock.advance(60_000);
    expect(new Set(next())).toEqual(new Set(['listing', 'not served']));
    expect(cluster.log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it.each([
    ['after an object that was taken', true, '9999'],
    ['at the same place if the object was malformed', false, undefined],
  ])('watches again %s', async (_, takes, resumedAt) => {
    await using cluster = await createTestCluster();
    const object = { metadata: { name: 'a', namespace: 'shop', resourceVersion: '9999' } };
    const line = `${JSON.stringify({ type: 'ADDED', object })}\n`;
    cluster.transport.set(({ query }) => (query?.['watch'] === 'true' ? answer(200, line) : undefined));
    running(cluster, {}, takes);
    await cluster.clock.advance(250);
    const [first, second] = cluster.transport.sent
      .filter(({ query }) => query?.['watch'] === 'true')
      .map(({ query }) => query?.['resourceVersion']);
    expect(second).toBe(resumedAt ?? first);
  });

  it('stops without a report when its signal aborts', async () => {
    await using cluster = await createTestCluster();
    const { ended, next } = running(cluster);
    await cluster.clock.settle();
    next();
    cluster.stop();
    await ended;
    put(cluster, 'late');
    await cluster.clock.settle();
    expect(next()).toEqual([]);
  });
});
