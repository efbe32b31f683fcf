import type { KubernetesObject } from '@isthmus/machinery';
import type { Change, ReadCache } from '../cache/cache.ts';

/**
 * A source wakes keys of a reconciler. It reports that a key must be looked at, never why: the
 * reconcile reads the facts from caches. No key runs before every source has been started, nor
 * within the call that wakes it. So the order of sources has no meaning.
 */
export interface Source {
  readonly synced: boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  /**
   * Wakes keys: at once for existing objects, then for each change. Returns the unsubscriber. A
   * failure with a single object is reported, and the others still wake theirs.
   */
  start(enqueue: (key: string, lane?: string) => void, report?: (error: unknown) => void): () => void;
}

/**
 * Each object of `cache`, before and after a change, wakes the keys that `keys` returns. `keys`
 * should be total: if it throws, the object wakes nothing and the error is reported. `lane`: on
 * whose behalf, so that the changes of one owner do not delay those of others. Default: the lane
 * without an owner.
 */
export function from<T extends KubernetesObject>(
  cache: ReadCache<T>,
  keys: (object: T) => readonly string[],
  lane?: (object: T) => string,
): Source {
  return {
    get synced() {
      return cache.synced;
    },
    whenSynced: (signal) => cache.whenSynced(signal),
    start(enqueue, report) {
      const wake = (object: T | undefined) => {
        if (object === undefined) return;
        try {
          for (const key of keys(object)) enqueue(key, lane?.(object));
        } catch (error) {
          report?.(error);
        }
      };
      const unsubscribe = cache.subscribe((change: Change<T>) => {
        wake(change.before);
        wake(change.after);
      });
      for (const object of cache.list()) wake(object);
      return unsubscribe;
    },
  };
}

/**
 * Wakes these keys once, when the controller starts: for a reconciler that has work even without
 * objects.
 */
export function atStart(...keys: readonly string[]): Source {
  return {
    ...alwaysSynced,
    start(enqueue) {
      keys.forEach((key) => enqueue(key));
      return () => {};
    },
  };
}

/**
 * Wakes the keys that `keys` names each time that something outside of caches changes: a session, a
 * file, a timer. `subscribe` is given the listener and returns the unsubscriber. At the start it
 * wakes them too, since a change may have come before. Where `keys` throws, nothing is woken and
 * the error is reported.
 */
export function onChange(subscribe: (listener: () => void) => () => void, keys: () => readonly string[]): Source {
  return {
    ...alwaysSynced,
    start(enqueue, report) {
      const wake = () => enqueueAll(keys, enqueue, report);
      const unsubscribe = subscribe(wake);
      wake();
      return unsubscribe;
    },
  };
}

/**
 * As {@link onChange}, where the listener is given what has changed and `keysOf` names its keys. At
 * the start it wakes nothing.
 */
export function onChangeOf<T>(
  subscribe: (listener: (changed: T) => void) => () => void,
  keysOf: (changed: T) => readonly string[],
): Source {
  return {
    ...alwaysSynced,
    start: (enqueue, report) => subscribe((changed) => enqueueAll(() => keysOf(changed), enqueue, report)),
  };
}

function enqueueAll(
  keys: () => readonly string[],
  enqueue: (key: string) => void,
  report: ((error: unknown) => void) | undefined,
): void {
  try {
    for (const key of keys()) enqueue(key);
  } catch (error) {
    report?.(error);
  }
}

const alwaysSynced = { synced: true, whenSynced: () => Promise.resolve() } as const;
