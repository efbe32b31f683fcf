import type { KubernetesObject } from '@isthmus/machinery';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { CacheContents } from './cache-contents.ts';
import type { CacheState, Change } from './cache.ts';
import type { HeldLimits } from './held-limits.ts';
import type { Listeners } from './listeners.ts';
import type { ReflectorSink } from './reflector.ts';

/** How far a cache has come. */
export interface CacheProgress {
  state: CacheState;
  /** Whether a list was complete. */
  synced: boolean;
  /** Whether it was started. */
  ran: boolean;
}

export interface CacheSinkOptions<T extends KubernetesObject> {
  readonly name: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly mayBeUnserved: boolean;
  /** Written here, read by the cache. */
  readonly progress: CacheProgress;
  readonly contents: CacheContents<T>;
  readonly held: HeldLimits<T>;
  readonly stateListeners: Listeners<CacheState>;
  readonly onSynced: () => void;
  /** Whether an object of the server is well formed; one that is not is reported. */
  readonly takes: (object: unknown) => object is T;
  /** Notifies of changes that already respect the limits. */
  readonly notify: (changes: readonly Change<T>[]) => void;
  /** Applies the limits to changes, and notifies of them. */
  readonly publish: (changes: readonly Change<T>[]) => void;
}

/** Puts what a reflector receives into the contents of a cache, and notifies of the changes. */
export function createCacheSink<T extends KubernetesObject>(options: CacheSinkOptions<T>): ReflectorSink<T> {
  const { name, log, metrics, progress, contents, held, takes, notify, publish } = options;
  const replace = (items: readonly T[], resourceVersion: string | undefined): void => {
    const changes = contents.replace(items, resourceVersion);
    metrics.cacheObjects.set({ cache: name }, contents.store.size);
    if (!progress.synced) log.debug('the cache is synced', { cache: name, objects: contents.store.size });
    progress.synced = true;
    options.onSynced();
    held.listed();
    notify(changes);
  };
  return {
    listing() {
      contents.beginList();
      const into = held.listing();
      return {
        ...into,
        add: (item: T) => void (takes(item) && into.add(contents.listed(item))),
      };
    },
    replace,
    unserved: () => void (options.mayBeUnserved && replace([], undefined)),
    event(kind: 'ADDED' | 'MODIFIED' | 'DELETED', object: T) {
      metrics.cacheEvents.inc({ cache: name, type: kind });
      if (!takes(object)) return false;
      publish(contents.event(kind, object));
      return true;
    },
    bookmark(resourceVersion: string) {
      metrics.cacheEvents.inc({ cache: name, type: 'BOOKMARK' });
      publish(contents.bookmark(resourceVersion));
    },
    state(next: CacheState) {
      progress.state = next;
      options.stateListeners.notify([next]);
    },
  };
}
