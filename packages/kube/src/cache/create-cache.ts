import type { Clock, KubernetesObject, ObjectRef, Random } from '@isthmus/machinery';
import { keyOf, resourceNameOf } from '@isthmus/machinery';
import type { Client } from '../client/client.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { noMetrics } from '../metrics/metrics.ts';
import { orAborted } from '../waiting/or-aborted.ts';
import type { Cache, CacheState, Change, Indexes } from './cache.ts';
import { CacheContents } from './cache-contents.ts';

import type { ListedObjects, Selection } from './reflector.ts';
import { runReflector } from './reflector.ts';
import { createListeners } from './listeners.ts';
import type { CacheLimits } from './limited-cache.ts';
import { limitObjects, reducedBy } from './limited-cache.ts';
import type { OwnerUsage } from './owner-limits.ts';
import { malformation } from './well-formed.ts';

export interface CacheOptions<T extends KubernetesObject> extends Selection<T> {
  readonly client: Client;
  /**
   * The name in logs and metrics; unique within a process. Default: the name of the resource, as
   * `services` or `gateways.group`.
   */
  readonly name?: string | undefined;
  readonly indexes?: Indexes<T> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /**
   * How the cache reacts if the API server does not serve the kind. `failure` (default): nothing is
   * known, and the objects read before stay. `empty`: there are no such objects, and the cache is
   * synced; if the kind is served later, they are read within half a minute.
   */
  readonly whenUnserved?: 'failure' | 'empty' | undefined;
  /**
   * How long a watch lasts, and up to a ninth longer. Default: less than five minutes, after which
   * middleboxes commonly cut connections.
   */
  readonly watchSeconds?: number | undefined;
  /**
   * Limits for objects that others write. Objects over the limits are held reduced. Default: every
   * object is held completely.
   */
  readonly limits?: CacheLimits<T> | undefined;
}

/**
 * The time from a write that found its object missing until everything is listed again. Many such
 * writes cost one list.
 */
const doubtMs = 5_000;
/**
 * The time from room becoming free until everything is listed again, for objects that are held
 * reduced and are within the limits now.
 */
const roomMs = 30_000;
/** How often listeners learn that more or less is over the limits. */
const overMs = 2_000;

/** A cache that someone must run. */
export type RunnableCache<T extends KubernetesObject> = Cache<T> & {
  /**
   * Fills the cache and keeps it up to date until `signal` aborts, then resolves. Never rejects
   * because of what the server does. What was read stays readable afterwards.
   *
   * Errors: rejects when it is called a second time.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * To be called when the server is known to answer again, or to have lost data. A waiting retry
   * runs now, and everything is listed again: a watch may be dead unnoticed, and the server may
   * have been restored from a backup.
   */
  renew(): void;
  /** The owners that have more than their limits allow, by name. */
  overLimits(): readonly OwnerUsage[];
  /**
   * Calls the listener after what `overLimits` returns has changed, once in two seconds at most.
   * Returns the unsubscriber.
   */
  onOverLimits(listener: () => void): () => void;
};

/**
 * A cache of one kind in one API server, empty and unsynced until it is run.
 *
 * Guarantees: lists take effect as a whole. Listeners are notified of a change after it can be
 * read, each one in the order of the changes. Malformed objects are left out and counted; the first
 * one is logged. A listener or index function that throws is logged and does not affect the others.
 *
 * Cost: O(n log n) for a list of n, most of it page by page as the pages arrive; O(1) in n for an
 * event. The first `list` or `byIndex` after a change copies the requested objects.
 */
export function createCache<T extends KubernetesObject>(options: CacheOptions<T>): RunnableCache<T> {
  const { type, clock, random, log, client, metrics = noMetrics, whenUnserved = 'failure' } = options;
  const name = options.name ?? resourceNameOf(type);
  const changeListeners = createListeners<Change<T>>((error) =>
    log.error('a cache listener failed', error, { cache: name }),
  );
  const stateListeners = createListeners<CacheState>((error) =>
    log.error('a cache state listener failed', error, { cache: name }),
  );
  const failingIndexes = new Set<string>();
  const contents = new CacheContents<T>(options.indexes ?? {}, (index, error) => {
    if (failingIndexes.has(index)) return;
    failingIndexes.add(index);
    log.error('an index function failed; objects are missing in this index', error, { cache: name, index });
  });
  let state: CacheState = { kind: 'listing' };
  let ran = false;
  const sync = Promise.withResolvers<void>();
  let synced = false;
  let renew = (): void => {};
  let cancelDoubt: (() => void) | undefined;
  let cancelRoom: (() => void) | undefined;
  const limited = options.limits === undefined ? undefined : limitObjects(options.limits);
  const overListeners = createListeners<void>((error) =>
    log.error('a listener for cache limits failed', error, { cache: name }),
  );
  let shownOver = '[]';
  let cancelOver: (() => void) | undefined;
  const checkOver = (): void => {
    if (limited === undefined || cancelOver !== undefined || JSON.stringify(limited.over()) === shownOver) return;
    cancelOver = clock.after(overMs, () => {
      cancelOver = undefined;
      shownOver = JSON.stringify(limited.over());
      overListeners.notify([undefined]);
    });
  };

  /** The changes, and those of objects that are held reduced from now on. */
  const withinLimits = (changes: readonly Change<T>[]): readonly Change<T>[] => {
    const { limits } = options;
    if (limited === undefined || limits === undefined) return changes;
    const all = [...changes];
    for (const { key, after } of changes) {
      const { reduce, roomFor } = after === undefined ? limited.remove(key) : limited.put(after);
      for (const one of reduce) {
        const whole = contents.store.get(one);
        if (whole !== undefined) all.push(contents.hold(one, whole, reducedBy(limits, whole)));
      }
      if (roomFor === 0) continue;
      cancelRoom ??= clock.after(roomMs, () => {
        cancelRoom = undefined;
        renew();
      });
    }
    checkOver();
    return all;
  };
  const notify = (changes: readonly Change<T>[]): void => {
    if (changes.length === 0) return;
    metrics.cacheObjects.set({ cache: name }, contents.store.size);
    changeListeners.notify(changes);
  };
  const publish = (changes: readonly Change<T>[]): void => notify(withinLimits(changes));
  let skippedBefore = false;
  const takes = (object: unknown): object is T => {
    const why = malformation(object, options);
    if (why === undefined) return true;
    metrics.cacheSkipped.inc({ cache: name });
    if (!skippedBefore)
      log.warn('the server sent an invalid object; it and similar objects are ignored', {
        cache: name,
        why,
      });
    skippedBefore = true;
    return false;
  };

  return {
    get: (ref: ObjectRef) => contents.store.get(keyOf(ref)),
    getByKey: (key: string) => contents.store.get(key),
    list: (namespace?: string) => contents.store.list(namespace),
    byIndex: (index: string, value: string) => contents.store.byIndex(index, value),
    get size() {
      return contents.store.size;
    },
    get synced() {
      return synced;
    },
    whenSynced: (signal: AbortSignal) => orAborted(sync.promise, signal),
    get state() {
      return state;
    },
    subscribe: (listener: (change: Change<T>) => void) => changeListeners.subscribe(listener),
    onState: (listener: (state: CacheState) => void) => stateListeners.subscribe(listener),
    wrote(object: T) {
      if (takes(object)) publish(contents.wrote(object));
    },
    deleted(ref: ObjectRef, uid: string | undefined) {
      publish(contents.deleted(ref, uid));
    },
    missing(ref: ObjectRef, uid: string | undefined) {
      publish(contents.missing(ref, uid));
      // The 404 may have been wrong, or the server has lost more than this object.
      cancelDoubt ??= clock.after(doubtMs, () => {
        cancelDoubt = undefined;
        renew();
      });
    },
    renew: () => renew(),
    overLimits: () => limited?.over() ?? [],
    onOverLimits: (listener: () => void) => overListeners.subscribe(listener),
    async run(signal: AbortSignal) {
      if (ran) throw new Error(`cannot run the cache of ${name}: it has already been run; create a new cache`);
      ran = true;
      const replace = (items: readonly T[], resourceVersion: string | undefined): void => {
        const changes = contents.replace(items, resourceVersion);
        metrics.cacheObjects.set({ cache: name }, contents.store.size);
        if (!synced) log.debug('the cache is synced', { cache: name, objects: contents.store.size });
        synced = true;
        sync.resolve();
        limited?.listed();
        checkOver();
        notify(changes);
      };
      const mayBeUnserved = whenUnserved === 'empty';
      const sink = {
        listing() {
          contents.beginList();
          const into = limited?.listing() ?? wholeList<T>();
          return {
            ...into,
            add: (item: T) => void (takes(item) && into.add(contents.listed(item))),
          };
        },
        replace,
        unserved: () => void (mayBeUnserved && replace([], undefined)),
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
          state = next;
          stateListeners.notify([next]);
        },
      };
      const { namespace, labelSelector, fieldSelector, watchSeconds } = options;
      const onRenewable = (callback: () => void) => void (renew = callback);
      const selection = { type, namespace, labelSelector, fieldSelector };
      const reported = { name, clock, log, metrics, mayBeUnserved, watchSeconds };
      await runReflector({ ...selection, ...reported, client, random, sink, onRenewable }, signal);
      cancelDoubt?.();
      cancelRoom?.();
      cancelOver?.();
    },
  };
}

function wholeList<T>(): ListedObjects<T> {
  const items: T[] = [];
  return {
    isLimited: false,
    add: (item) => void items.push(item),
    clear: () => void (items.length = 0),
    all: () => items,
  };
}
