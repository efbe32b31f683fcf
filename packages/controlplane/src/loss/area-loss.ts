import type { ReadCache, World } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { lastingUnserved, onLastingState } from './lasting-unserved.ts';

type Watched = Pick<ReadCache<KubernetesObject>, 'synced' | 'state' | 'onState' | 'subscribe'>;

/** When the API server of the Common Area last lost objects that no member withdraws. */
export interface AreaLoss {
  /**
   * By the monotonic clock; the current time while one of the kinds is not served. Undefined:
   * never.
   */
  readonly lastMs: number | undefined;
  stop(): void;
}

/**
 * Remembers from now on when an API server did not serve one of the kinds that the caches read.
 * Also remembers when it went back in time, for example after a restored backup. The caches are
 * named by their resources.
 */
export function followAreaLoss(caches: Readonly<Record<string, Watched>>, world: Pick<World, 'clock'>): AreaLoss {
  let lastMs: number | undefined;
  let isUnserved = false;
  const look = () => {
    const was = isUnserved;
    isUnserved = lastingUnserved(caches, world).length > 0;
    if (was || isUnserved) lastMs = world.clock.monotonic();
  };
  const stops = [
    onLastingState(Object.values(caches), world, look),
    ...Object.values(caches).map((cache) =>
      cache.subscribe(({ wentBack }) => {
        if (wentBack === true) lastMs = world.clock.monotonic();
      }),
    ),
  ];
  return {
    get lastMs() {
      look();
      return lastMs;
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}
