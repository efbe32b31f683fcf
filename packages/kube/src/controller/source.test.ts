import { seededRandom } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryLog } from '../log/log.ts';
import { done } from './outcome.ts';
import { runController } from './controller.ts';
import type { Source } from './source.ts';
import { atStart, from, onChange } from './source.ts';
import { createTestCluster } from '../testing/cluster.ts';
import { Thing } from '../testing/thing.ts';

/** The keys that a source wakes from its start on. */
function heard(source: Source) {
  const keys: string[] = [];
  const errors: unknown[] = [];
  const stop = source.start(
    (key) => keys.push(key),
    (error) => errors.push(error),
  );
  return { keys, errors, stop };
}

function subject() {
  const listeners = new Set<() => void>();
  return {
    subscribe: (listener: () => void) => (listeners.add(listener), () => void listeners.delete(listener)),
    change: () => listeners.forEach((listener) => listener()),
  };
}

describe('atStart', () => {
  it('wakes its keys once each time that a controller starts', () => {
    const source = atStart('a', 'b');
    expect([heard(source).keys, heard(source).keys]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });
});

describe('onChange', () => {
  it('wakes the keys of the moment: at the start, at each change, and no more after the stop', () => {
    const { subscribe, change } = subject();
    let present = ['a'];
    const { keys, stop } = heard(onChange(subscribe, () => present));
    present = ['b', 'c'];
    change();
    stop();
    change();
    expect(keys).toEqual(['a', 'b', 'c']);
  });

  it('reports keys that cannot be named, and hears the next change', () => {
    const { subscribe, change } = subject();
    let broken = true;
    const source = onChange(subscribe, () => {
      if (broken) throw new Error('no keys');
      return ['a'];
    });
    const { keys, errors } = heard(source);
    broken = false;
    change();
    expect([keys, errors]).toEqual([['a'], [new Error('no keys')]]);
  });
});

describe('sources of a controller', () => {
  it('have no meaning in their order: the same keys run, and each sees what every source knows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), fc.integer(), async (order, seed) => {
        await using cluster = await createTestCluster();
        const { clock, server, signal } = cluster;
        const put = (name: string) => server.admin.put<Thing>(Thing, { metadata: { name, namespace: 'shop' } });
        put('thing');
        const cache = cluster.cache();
        const { subscribe, change } = subject();
        let noted = 'before';
        // The worst kind of source, which learns something of its own: even that must be known
        // before a key runs.
        const noting: Source = {
          ...from(cache, () => []),
          start: () => ((noted = 'started'), cache.subscribe(() => (noted = 'changed'))),
        };
        const sources = [
          from(cache, ({ metadata }) => [metadata.name]),
          onChange(subscribe, () => ['session']),
          noting,
        ];
        const all = [...sources, atStart('start')];
        const seen = new Set<string>();
        const reconciler = {
          name: 'shuffled',
          sources: order.map((index) => all[index] as Source),
          access: [],
          reconcile: async (key: string) => (seen.add(`${key} ${noted}`), done),
        };
        const ended = runController(reconciler, { clock, random: seededRandom(seed), log: memoryLog(), signal });
        await clock.settle();
        expect([...seen].toSorted()).toEqual(['session started', 'start started', 'thing started']);
        seen.clear();
        put('another');
        change();
        await clock.settle();
        expect([...seen].filter((line) => line.startsWith('another'))).toEqual(['another changed']);
        cluster.stop();
        await ended;
      }),
      { numRuns: 30 },
    );
  });
});
