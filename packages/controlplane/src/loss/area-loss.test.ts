import type { CacheState, Change } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { followAreaLoss } from './area-loss.ts';

/** A Common Area of which one kind is followed. */
function area() {
  const clock = createVirtualClock({ startMs: 0 });
  const listeners = new Set<(change: Change<KubernetesObject>) => void>();
  const stateListeners = new Set<(state: CacheState) => void>();
  const cache = {
    synced: true,
    state: { kind: 'watching' } as CacheState,
    onState(listener: (state: CacheState) => void) {
      stateListeners.add(listener);
      return () => void stateListeners.delete(listener);
    },
    subscribe(listener: (change: Change<KubernetesObject>) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const loss = followAreaLoss({ resourceexports: cache }, { clock });
  const become = (state: CacheState) => {
    cache.state = state;
    stateListeners.forEach((listener) => listener(state));
  };
  const unserved = (code = 404) => {
    const nowMs = clock.now();
    become({ kind: 'failing', why: 'it is not there', code, sinceMs: nowMs, codeSinceMs: nowMs });
  };
  const tell = (change: Change<KubernetesObject>) => listeners.forEach((listener) => listener(change));
  return { clock, loss, become, unserved, tell, followers: () => listeners.size + stateListeners.size };
}

describe('the Common Area lost what nobody withdraws', () => {
  it('when its API server went back in time, and not when a list found something missing', async () => {
    const { clock, loss, tell } = area();
    const gone = { key: 'a', byList: true } as const;
    await clock.advance(5);
    tell(gone);
    expect(loss.lastMs).toBeUndefined();
    tell({ ...gone, wentBack: true });
    const lostMs = clock.monotonic();
    await clock.advance(1_000);
    tell(gone);
    expect(loss.lastMs).toBe(lostMs);
  });

  it('as long as it does not serve a kind, and until it does again', async () => {
    const { clock, loss, unserved, become } = area();
    unserved();
    await clock.advance(9_999);
    expect(loss.lastMs).toBeUndefined();
    await clock.advance(1);
    expect(loss.lastMs).toBe(clock.monotonic());
    await clock.advance(50_000);
    expect(loss.lastMs).toBe(clock.monotonic());
    await clock.advance(3_000);
    become({ kind: 'watching' });
    const servedMs = clock.monotonic();
    await clock.advance(7_000);
    expect(loss.lastMs).toBe(servedMs);
    await clock.advance(7_000);
    expect(loss.lastMs).toBe(servedMs);
  });

  it('not where it rejects requests', async () => {
    const { clock, loss, unserved } = area();
    unserved(403);
    await clock.advance(60_000);
    expect(loss.lastMs).toBeUndefined();
  });
});

it('who stops to follow a Common Area hears nothing of it', () => {
  const { loss, followers } = area();
  expect(followers()).toBe(2);
  loss.stop();
  expect(followers()).toBe(0);
});
