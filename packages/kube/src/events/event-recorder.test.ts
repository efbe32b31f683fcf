import { Event } from '@isthmus/api';
import { seededRandom } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { createEventRecorder } from './event-recorder.ts';
import type { EventNote } from './event-recorder.ts';
import { runtimeMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import { createTestCluster } from '../testing/cluster.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { thing } from '../testing/thing.ts';

function recorderOf(cluster: TestCluster) {
  const { client, clock, log, signal } = cluster;
  const registry = createMetricsRegistry();
  const recorder = createEventRecorder({
    client,
    clock,
    random: seededRandom(4),
    log,
    metrics: registry.declare(runtimeMetrics),
    component: 'isthmus-member',
    instance: 'pod-1',
    signal,
  });
  return { recorder, registry };
}

const note = (more: Partial<EventNote> = {}): EventNote => ({
  type: 'Warning',
  reason: 'Conflict',
  message: 'port http differs',
  ...more,
});
const events = (cluster: TestCluster) => cluster.server.admin.list(Event);

describe('event recorder', () => {
  it('writes an Event that kubectl describe shows with the object', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    recorder.event(thing('cart', { resourceVersion: '7' }), note({ action: 'Export' }));
    await cluster.clock.settle();
    await recorder.flushed();
    expect(events(cluster)).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        eventTime: null,
        metadata: expect.objectContaining({ name: expect.stringMatching(/^cart\.[0-9a-f]{16}$/), namespace: 'shop' }),
        involvedObject: {
          apiVersion: 'example.io/v1',
          kind: 'Thing',
          namespace: 'shop',
          name: 'cart',
          uid: 'uid-cart',
          resourceVersion: '7',
        },
        type: 'Warning',
        reason: 'Conflict',
        message: 'port http differs',
        action: 'Export',
        count: 1,
        firstTimestamp: '2026-11-21T00:00:00Z',
        lastTimestamp: '2026-11-21T00:00:00Z',
        source: { component: 'isthmus-member' },
        reportingComponent: 'isthmus-member',
        reportingInstance: 'pod-1',
      },
    ]);
  });

  it('puts Events of cluster-scoped objects into the Namespace default', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    recorder.event(thing('cart', { namespace: undefined }), note());
    await cluster.clock.settle();
    expect(events(cluster).map(({ metadata }) => metadata.namespace)).toEqual(['default']);
  });

  it('counts a repetition within ten minutes of the last time, and begins again after that', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    for (let i = 0; i < 3; i++) {
      recorder.event(thing('cart', { resourceVersion: String(i) }), note());
      await cluster.clock.advance(599_000);
    }
    recorder.event(thing('cart'), note({ message: 'port grpc differs' }));
    await cluster.clock.settle();
    expect(events(cluster).map(({ count, message, lastTimestamp }) => ({ count, message, lastTimestamp }))).toEqual(
      expect.arrayContaining([
        { count: 3, message: 'port http differs', lastTimestamp: '2026-11-21T00:19:58Z' },
        { count: 1, message: 'port grpc differs', lastTimestamp: '2026-11-21T00:29:57Z' },
      ]),
    );
    await cluster.clock.advance(600_000);
    recorder.event(thing('cart'), note());
    await cluster.clock.settle();
    expect(events(cluster)).toHaveLength(3);
  });

  it('writes once what is reported many times before the server has answered', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    for (let i = 0; i < 10; i++) recorder.event(thing('cart'), note());
    await cluster.clock.settle();
    // The first call is under way when the others come; these cost one patch.
    expect(cluster.transport.sent.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
    expect(events(cluster).map(({ count }) => count)).toEqual([10]);
  });

  it('creates the Event again when the old one has expired on the server', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    recorder.event(thing('cart'), note());
    await cluster.clock.settle();
    for (const { metadata } of events(cluster)) cluster.server.admin.delete(Event, metadata);
    recorder.event(thing('cart'), note());
    await cluster.clock.settle();
    expect(events(cluster).map(({ count }) => count)).toEqual([2]);
  });

  it('cuts messages at 1,024 bytes without splitting a character', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    recorder.event(thing('cart'), note({ message: `a${'ü'.repeat(1_000)}` }));
    await cluster.clock.settle();
    const message = events(cluster)[0]?.message ?? '';
    expect(new TextEncoder().encode(message).length).toBeLessThanOrEqual(1_024);
    expect(message).toMatch(/^aü{509,510}…$/);
  });

  it('keeps names of Events within the 253 characters of a name', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    recorder.event(thing(`${'a'.repeat(235)}.${'b'.repeat(17)}`), note());
    await cluster.clock.settle();
    expect(events(cluster)[0]?.metadata.name).toMatch(/^a{235}\.[0-9a-f]{16}$/);
  });

  it('lets one object have 25 Events at once and one more each five minutes, and others as many', async () => {
    await using cluster = await createTestCluster();
    const { recorder, registry } = recorderOf(cluster);
    for (let i = 0; i < 100; i++) recorder.event(thing('noisy'), note({ message: `${i}` }));
    recorder.event(thing('quiet'), note());
    await cluster.clock.advance(300_000);
    expect(events(cluster)).toHaveLength(26);
    recorder.event(thing('noisy'), note({ message: 'later' }));
    recorder.event(thing('noisy'), note({ message: 'too much' }));
    await cluster.clock.settle();
    expect(events(cluster)).toHaveLength(27);
    expect(await registry.render()).toContain('isthmus_event_dropped_total{reason="rate"} 76');
  });

  it('never throws, waits or collects without bound while the server does not answer', async () => {
    await using cluster = await createTestCluster();
    const { recorder, registry } = recorderOf(cluster);
    cluster.transport.set('hang');
    for (let i = 0; i < 2_000; i++) recorder.event(thing(`t${i}`), note());
    await cluster.clock.advance(5_000);
    expect(await registry.render()).toMatch(/isthmus_event_dropped_total\{reason="full"\} 1499/);
    cluster.transport.set('refuse');
    await cluster.clock.advance(60_000);
    await recorder.flushed();
    cluster.transport.set('pass');
    recorder.event(thing('t0'), note());
    await cluster.clock.settle();
    expect(events(cluster)).toHaveLength(1);
    expect(cluster.log.entries.every(({ level }) => level === 'debug')).toBe(true);
  });

  it('drops what waits when it is stopped', async () => {
    await using cluster = await createTestCluster();
    const { recorder } = recorderOf(cluster);
    cluster.transport.set('hang');
    recorder.event(thing('a'), note());
    recorder.event(thing('b'), note());
    await cluster.clock.settle();
    cluster.stop();
    await recorder.flushed();
    recorder.event(thing('c'), note());
    await cluster.clock.settle();
    expect(cluster.transport.sent).toHaveLength(1);
  });
});
