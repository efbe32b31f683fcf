import { seededRandom } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { runtimeMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import type { WorkQueue } from './work-queue.ts';
import { createWorkQueue } from './work-queue.ts';

function setUp(coalesceMs?: number) {
  const clock = createVirtualClock({ startMs: 0 });
  const registry = createMetricsRegistry();
  const metrics = registry.declare(runtimeMetrics);
  const state = { wakes: 0 };
  const queue = createWorkQueue({
    name: 'test',
    clock,
    random: { next: () => 0.999_999_999 },
    metrics,
    coalesceMs,
    onDue: () => void state.wakes++,
  });
  return { clock, queue, registry, state };
}

/** Takes what is due now and ends each run at once. */
function drain(queue: WorkQueue): string[] {
  const taken: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    taken.push(key);
    queue.finished(key, { kind: 'done' });
  }
  return taken;
}

describe('work queue', () => {
  it('queues a key once, however often it is asked for', () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(queue.depth).toBe(2);
    expect(drain(queue)).toEqual(['a', 'b']);
  });

  it('does not run a key twice because it was asked for later while it is due already', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.add('a', 10);
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(100);
    expect(drain(queue)).toEqual([]);
  });

  it('passes over many due keys once, not once for each of them', () => {
    const { queue } = setUp(100);
    const keys = Array.from({ length: 1_000 }, (_, index) => `key-${index}`);
    for (const key of keys) queue.add(key);
    const passes = [vi.spyOn(Map.prototype, 'entries'), vi.spyOn(Map.prototype, Symbol.iterator)];
    let begun: number;
    try {
      expect(drain(queue)).toEqual(keys);
      begun = passes.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    } finally {
      for (const pass of passes) pass.mockRestore();
    }
    // Each iterator passes over all that was deleted in front.
    expect(begun).toBeLessThan(20);
  });

  it('forgets when keys were started, one by one, and waits for those that were started again', async () => {
    const { clock, queue } = setUp(100);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect(drain(queue)).toEqual(['a', 'b', 'c']);
    await clock.advance(100);
    queue.add('a');
    expect(drain(queue)).toEqual(['a']);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect(drain(queue)).toEqual(['b', 'c']);
    await clock.advance(99);
    expect(drain(queue)).toEqual([]);
    await clock.advance(1);
    expect(drain(queue)).toEqual(['a']);
  });

  it('gives keys in the order in which they became due', async () => {
    const { clock, queue } = setUp();
    queue.add('late', 20);
    queue.add('early', 10);
    queue.add('now');
    await clock.advance(30);
    expect(drain(queue)).toEqual(['now', 'early', 'late']);
  });

  it('lets lanes take turns, so that many keys of one do not delay those of others', () => {
    const { queue } = setUp();
    for (let index = 0; index < 100; index++) queue.add(`flood-${index}`, 0, 'east');
    queue.add('a', 0, 'west');
    queue.add('b', 0, 'west');
    queue.add('c', 0, 'north');
    expect(drain(queue).slice(0, 6)).toEqual(['flood-0', 'a', 'c', 'flood-1', 'b', 'flood-2']);
    expect(queue.depth).toBe(0);
  });

  it('runs a key that waits in a long lane in the turn of another that asks for it too, once', () => {
    const { queue } = setUp();
    for (let index = 0; index < 100; index++) queue.add(`flood-${index}`, 0, 'east');
    queue.add('flood-99', 0, 'west');
    expect(drain(queue).slice(0, 3)).toEqual(['flood-0', 'flood-99', 'flood-1']);
    expect(drain(queue)).toEqual([]);
  });

  it('keeps the lane of a key that is repeated', async () => {
    const { clock, queue } = setUp();
    queue.add('a', 0, 'west');
    queue.finished(queue.take() ?? '', { kind: 'again', afterMs: 10 });
    queue.add('a', 0, 'north');
    for (let index = 0; index < 100; index++) queue.add(`flood-${index}`, 0, 'east');
    expect(queue.take()).toBe('a');
    queue.finished('a', { kind: 'again', afterMs: 10 });
    await clock.advance(20);
    expect(drain(queue).slice(0, 2)).toContain('a');
  });

  it('lets an earlier request win over a later one', async () => {
    const { clock, queue } = setUp();
    queue.add('a', 1_000);
    queue.add('a', 10);
    await clock.advance(10);
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(2_000);
    expect(drain(queue)).toEqual([]);
  });

  it('never lets a later request delay an earlier one', async () => {
    const { clock, queue } = setUp();
    queue.add('a', 10);
    queue.add('a', 1_000);
    await clock.advance(10);
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(2_000);
    expect(drain(queue)).toEqual([]);
  });

  it('lets a request for now win over a planned retry, and does not retry then', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.take();
    queue.finished('a', { kind: 'again', afterMs: 1_000 });
    queue.add('a');
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(2_000);
    expect(drain(queue)).toEqual([]);
  });

  it('holds a key that is running, and runs it once more afterwards', () => {
    const { queue } = setUp();
    queue.add('a');
    expect(queue.take()).toBe('a');
    for (let i = 0; i < 3; i++) queue.add('a');
    expect([queue.take(), queue.depth]).toEqual([undefined, 0]);
    queue.finished('a', { kind: 'done' });
    expect(drain(queue)).toEqual(['a']);
    expect(queue.take()).toBeUndefined();
  });

  it('counts the earliest of several requests for a running key', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.take();
    for (const ms of [500, 20, 1_000]) queue.add('a', ms);
    queue.finished('a', { kind: 'done' });
    await clock.advance(20);
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(2_000);
    expect(drain(queue)).toEqual([]);
  });

  it('runs again after the time that was asked for, or after what came meanwhile', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.take();
    expect(queue.finished('a', { kind: 'again', afterMs: 500 })).toBe(500);
    await clock.advance(499);
    expect(queue.take()).toBeUndefined();
    await clock.advance(1);
    expect(queue.take()).toBe('a');
    queue.add('a', 100);
    expect(queue.finished('a', { kind: 'again', afterMs: 500 })).toBe(100);
  });

  it('waits longer with each failure in a row, 5 ms first and 30 seconds at most, and starts over after a success', () => {
    const { queue } = setUp();
    const fail = () => {
      queue.add('a');
      queue.take();
      return Math.round(queue.finished('a', { kind: 'failed' }) ?? -1);
    };
    expect(Array.from({ length: 20 }, fail)).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 30_000, 30_000, 30_000, 30_000, 30_000,
      30_000, 30_000,
    ]);
    queue.add('a');
    queue.take();
    queue.finished('a', { kind: 'again', afterMs: 1 });
    expect(fail()).toBe(5);
  });

  it.each([
    [1_500, 30_000],
    [5_000, 100_000],
    [20_000, 300_000],
  ])(
    'waits longer where many keys fail, so that they do not fill an API server: with %i of them %i ms',
    (keys, expected) => {
      const { queue } = setUp();
      const fail = (key: string) => {
        queue.add(key);
        while (queue.take() !== key);
        return Math.round(queue.finished(key, { kind: 'failed' }) ?? -1);
      };
      for (let i = 1; i < keys; i++) fail(`other-${i}`);
      expect(Array.from({ length: 20 }, () => fail('a')).at(-1)).toBe(expected);
    },
  );

  it('counts the failures of each key for itself', () => {
    const { queue } = setUp();
    for (const key of ['a', 'a', 'b']) {
      queue.add(key);
      queue.take();
      queue.finished(key, { kind: 'failed' });
    }
    queue.add('b');
    queue.take();
    expect(Math.round(queue.finished('b', { kind: 'failed' }) ?? 0)).toBe(10);
  });

  it('makes a change that came during a failing run wait for the back-off, but for a second at most', () => {
    const { queue } = setUp();
    const failWhileChanged = () => {
      queue.add('a');
      queue.take();
      queue.add('a');
      return Math.round(queue.finished('a', { kind: 'failed' }) ?? -1);
    };
    expect(Array.from({ length: 12 }, failWhileChanged)).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000, 1_000,
    ]);
  });

  it('runs a lone request at once and a burst after it once, when the rest of coalesceMs is over', async () => {
    const { clock, queue } = setUp(50);
    queue.add('a');
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(20);
    for (let i = 0; i < 100; i++) queue.add('a');
    queue.add('b');
    expect(drain(queue)).toEqual(['b']);
    await clock.advance(29);
    expect(drain(queue)).toEqual([]);
    await clock.advance(1);
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(50);
    queue.add('a');
    expect(drain(queue)).toEqual(['a']);
  });

  it('counts coalesceMs from the start of a run, also of one that lasts longer', async () => {
    const { clock, queue } = setUp(50);
    queue.add('a');
    queue.take();
    await clock.advance(80);
    queue.add('a');
    queue.finished('a', { kind: 'done' });
    expect(drain(queue)).toEqual(['a']);
  });

  it('does not wait longer than a day, so that no timer overflows', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.take();
    expect(queue.finished('a', { kind: 'again', afterMs: 90 * 86_400_000 })).toBe(86_400_000);
  });

  it('forgets everything when it is closed', () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.add('b', 10);
    queue.close();
    queue.add('c');
    expect([queue.take(), clock.pending, queue.finished('a', { kind: 'failed' })]).toEqual([undefined, 0, undefined]);
  });

  it('measures its depth and how long keys wait', async () => {
    const { clock, queue, registry } = setUp();
    queue.add('a');
    queue.add('b');
    await clock.advance(40);
    queue.take();
    const text = await registry.render();
    expect(text).toContain('isthmus_controller_queue_depth_keys{controller="test"} 1');
    expect(text).toContain('isthmus_controller_queue_latency_seconds_sum{controller="test"} 0.04');
  });

  it('never loses a request and never runs a key twice at once', async () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const action = fc.oneof(
      fc.record({ kind: fc.constant('add'), key, ms: fc.constantFrom(0, 0, 5, 40) }),
      fc.record({ kind: fc.constantFrom('take', 'done', 'again', 'fail'), key, ms: fc.nat(30) }),
      fc.record({ kind: fc.constant('time'), key, ms: fc.nat(60) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 40, size: 'max' }),
        fc.constantFrom(0, 25),
        async (actions, coalesceMs) => {
          const clock = createVirtualClock({ startMs: 0 });
          const random = seededRandom(1);
          const { metrics } = { metrics: createMetricsRegistry().declare(runtimeMetrics) };
          const queue = createWorkQueue({ name: 'test', clock, random, metrics, coalesceMs, onDue: () => {} });
          const running = new Set<string>();
          /** Keys that were asked for and have not been started since. */
          const owed = new Set<string>();
          const take = () => {
            const taken = queue.take();
            if (taken === undefined) return;
            if (running.has(taken)) throw new Error(`${taken} runs twice`);
            running.add(taken);
            owed.delete(taken);
          };
          for (const { kind, key, ms } of actions) {
            if (kind === 'add') {
              queue.add(key, ms);
              owed.add(key);
            } else if (kind === 'time') await clock.advance(ms);
            else if (kind === 'take') take();
            else if (running.delete(key)) {
              if (kind === 'done') queue.finished(key, { kind: 'done' });
              else if (kind === 'again') queue.finished(key, { kind: 'again', afterMs: ms });
              else queue.finished(key, { kind: 'failed' });
              if (kind !== 'done') owed.add(key);
            }
          }
          for (const key of running) queue.finished(key, { kind: 'done' });
          running.clear();
          await clock.advance(2_000);
          for (let i = 0; i < 3; i++) take();
          expect([...owed]).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
