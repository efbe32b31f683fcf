import type { Clock, KubernetesObject, ObjectRef, Random } from '@isthmus/machinery';
import { keyOf, resourceNameOf } from '@isthmus/machinery';
import type { Client } from '../client/client.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { noMetrics } from '../metrics/metrics.ts';
import { orAborted } from '../waiting/or-aborted.ts';
import { createPostponed } from '../waiting/postponed.ts';
import type { Cache, CacheState, Change, Indexes } from './cache.ts';
import { CacheContents } from './cache-contents.ts';
import { createCacheReport } from './cache-report.ts';
import { createCacheSink } from './cache-sink.ts';
import type { CacheProgress } from './cache-sink.ts';
import { holdEverything, holdWithinLimits } from './held-limits.ts';
import type { Selection, UntilServed } from './reflector.ts';
import { runReflector } from './reflector.ts';
import { createListeners } from './listeners.ts';
import type { CacheLimits } from './limited-cache.ts';
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
   * With `whenUnserved: 'empty'`: how to wait for the kind. Default: the API server is asked again
   * at growing intervals of up to half a minute. See `untilDefined`.
   */
  readonly untilServed?: UntilServed | undefined;
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
  const { type, clock, random, log, client, limits, metrics = noMetrics, whenUnserved = 'failure' } = options;
  const name = options.name ?? resourceNameOf(type);
  const report = createCacheReport({ name, log, metrics });
  const changeListeners = createListeners<Change<T>>(report.listenerFailed);
  const stateListeners = createListeners<CacheState>(report.stateListenerFailed);
  const contents = new CacheContents<T>(options.indexes ?? {}, report.indexFailed);
  const sync = Promise.withResolvers<void>();
  const progress: CacheProgress = { state: { kind: 'listing' }, synced: false, ran: false };
  let renew = (): void => {};
  const listAgain = (): void => renew();
  const doubt = createPostponed(clock, doubtMs, listAgain);
  const held =
    limits === undefined
      ? holdEverything<T>()
      : holdWithinLimits({
          limits,
          clock,
          contents,
          onRoom: listAgain,
          onListenerError: report.limitListenerFailed,
        });
  const notify = (changes: readonly Change<T>[]): void => {
    if (changes.length === 0) return;
    metrics.cacheObjects.set({ cache: name }, contents.store.size);
    changeListeners.notify(changes);
  };
  const publish = (changes: readonly Change<T>[]): void => notify(held.applied(changes));
  const takes = (object: unknown): object is T => {
    const why = malformation(object, options);
    if (why === undefined) return true;
    report.leftOut(why);
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
      return progress.synced;
    },
    whenSynced: (signal: AbortSignal) => orAborted(sync.promise, signal),
    get state() {
      return progress.state;
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
      doubt.request();
    },
    renew: listAgain,
    overLimits: held.over,
    onOverLimits: held.onOver,
    async run(signal: AbortSignal) {
      if (progress.ran) throw new Error(`cannot run the cache of ${name}: it has already been run; create a new cache`);
      progress.ran = true;
      const mayBeUnserved = whenUnserved === 'empty';
      const onSynced = sync.resolve;
      const surroundings = { name, log, metrics, mayBeUnserved, stateListeners, onSynced };
      const sink = createCacheSink<T>({ ...surroundings, progress, contents, held, takes, notify, publish });
      const { namespace, labelSelector, fieldSelector, watchSeconds, untilServed } = options;
      const onRenewable = (callback: () => void) => void (renew = callback);
      const selection = { type, namespace, labelSelector, fieldSelector };
      const reported = { name, clock, log, metrics, mayBeUnserved, untilServed, watchSeconds };
      await runReflector({ ...selection, ...reported, client, random, sink, onRenewable }, signal);
      doubt.cancel();
      held.stop();
    },
  };
}
