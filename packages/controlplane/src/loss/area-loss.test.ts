import type { CacheState, Change } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { followAreaLoss } from './area-loss.ts';

it('remembers when the API server went back in time, and not when a list found something missing', () => {
  const clock = createVirtualClock({ startMs: 0 });
  const listeners: ((change: Change<KubernetesObject>) => void)[] = [];
  const cache = {
    synced: true,
    state: { kind: 'watching' } as CacheState,
    onState: () => () => undefined,
    subscribe(listener: (change: Change<KubernetesObject>) => void) {
      listeners.push(listener);
      return () => void listeners.splice(0);
    },
  };
  const loss = followAreaLoss({ resourceexports: cache }, { clock });
  const gone = { key: 'a', byList: true } as const;
  listeners.forEach((tell) => tell(gone));
  expect(loss.lastMs).toBeUndefined();
  listeners.forEach((tell) => tell({ ...gone, wentBack: true }));
  expect(loss.lastMs).toBe(clock.monotonic());
  loss.stop();
  expect(listeners).toEqual([]);
});
