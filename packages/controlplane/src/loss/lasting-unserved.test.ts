import { createVirtualClock } from '@isthmus/fleet-sim';
import type { CacheState } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import { isLasting, lastingUnserved, onLastingState } from './lasting-unserved.ts';

const startMs = 1_000_000;
const failing = (code: number, codeSinceMs: number): CacheState => ({
  kind: 'failing',
  why: 'it fails',
  code,
  sinceMs: codeSinceMs,
  codeSinceMs,
});
const watching: CacheState = { kind: 'watching' };

describe('what keeps a cache from reading', () => {
  const world = { clock: createVirtualClock({ startMs }) };
  it.each([
    ['lasts where it never read', { synced: false, state: watching }, true],
    ['does not last where it reads', { synced: true, state: watching }, false],
    ['does not last for ten seconds', { synced: true, state: failing(403, startMs - 9_999) }, false],
    ['lasts from then on', { synced: true, state: failing(403, startMs - 10_000) }, true],
  ])('%s', (_, cache, expected) => {
    expect(isLasting(cache, world)).toBe(expected);
  });

  it('names the kinds that are lastingly not served, and no others', () => {
    const long = startMs - 10_000;
    const caches = {
      unserved: { synced: true, state: failing(404, long) },
      starting: { synced: true, state: failing(404, startMs) },
      forbidden: { synced: true, state: failing(403, long) },
      neverRead: { synced: false, state: failing(404, startMs) },
      read: { synced: true, state: watching },
      listing: { synced: false, state: watching },
    };
    expect(lastingUnserved(caches, world)).toEqual(['unserved', 'neverRead']);
  });
});

describe('who follows caches', () => {
  function follow() {
    const clock = createVirtualClock({ startMs });
    const listeners: ((state: CacheState) => void)[] = [];
    const cache = {
      onState(listener: (state: CacheState) => void) {
        listeners.push(listener);
        return () => void listeners.splice(0);
      },
    };
    let calls = 0;
    const stop = onLastingState([cache], { clock }, () => calls++);
    const tell = (state: CacheState) => listeners.forEach((listener) => listener(state));
    return { clock, stop, tell, calls: () => calls, listeners };
  }

  it('is notified when one fails, when that lasts, and when it reads again', async () => {
    const { clock, tell, calls } = follow();
    tell(failing(404, startMs));
    expect(calls()).toBe(1);
    await clock.advance(9_999);
    expect(calls()).toBe(1);
    await clock.advance(1);
    expect(calls()).toBe(2);
    tell(watching);
    expect(calls()).toBe(3);
    await clock.advance(20_000);
    expect(calls()).toBe(3);
  });

  it('is not notified that it lasts where it reads again before', async () => {
    const { clock, tell, calls } = follow();
    tell(failing(404, startMs));
    await clock.advance(5_000);
    tell(watching);
    await clock.advance(20_000);
    expect(calls()).toBe(2);
  });

  it('is not notified any more once it stops', async () => {
    const { clock, tell, calls, stop, listeners } = follow();
    tell(failing(404, startMs));
    stop();
    expect(listeners).toEqual([]);
    await clock.advance(20_000);
    expect(calls()).toBe(1);
  });
});
