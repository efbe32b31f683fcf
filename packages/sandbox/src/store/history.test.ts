import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { History } from './history.ts';

const spanMs = 300_000;

function start() {
  const clock = createVirtualClock({ startMs: 0 });
  const history = new History(clock, spanMs);
  const add = (resourceVersion: number, storageKey = 'pods') =>
    history.add({ resourceVersion, storageKey, key: `shop/${resourceVersion}` });
  const since = (resourceVersion: number, storageKey = 'pods') =>
    history.since(storageKey, resourceVersion).map((change) => change.resourceVersion);
  return { clock, history, add, since };
}

describe('the history of the store', () => {
  it('gives the changes of one resource after a resourceVersion', () => {
    const { add, since } = start();
    for (const version of [1, 3, 4, 9]) add(version);
    add(5, 'services');
    expect([since(0), since(3), since(5), since(9)]).toEqual([[1, 3, 4, 9], [4, 9], [9], []]);
    expect(since(0, 'services')).toEqual([5]);
    expect(since(0, 'secrets')).toEqual([]);
  });

  it('remembers each change for one span of time at least, and for two at most', async () => {
    const { clock, history, add, since } = start();
    add(1);
    await clock.advance(spanMs);
    add(2);
    expect([history.compactedTo, since(0)]).toEqual([0, [1, 2]]);
    await clock.advance(spanMs - 1);
    add(3);
    expect([history.compactedTo, since(0)]).toEqual([0, [1, 2, 3]]);
    await clock.advance(1);
    // A change exactly one span old is kept.
    add(4);
    expect([history.compactedTo, since(1)]).toEqual([1, [2, 3, 4]]);
    await clock.advance(spanMs);
    add(5);
    expect([history.compactedTo, since(3)]).toEqual([3, [4, 5]]);
  });

  it('forgets up to the given resourceVersion, and never less than before', () => {
    const { history, add, since } = start();
    for (const version of [1, 2, 3]) add(version);
    history.compact(2);
    expect([history.compactedTo, since(0)]).toEqual([2, [3]]);
    history.compact(1);
    expect(history.compactedTo).toBe(2);
  });
});
