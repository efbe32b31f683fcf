import type { KubernetesObject, ObjectRef } from '@isthmus/machinery';

/**
 * A change of one object, as the subscribers of a cache see it: `before` is missing when it came,
 * `after` when it went.
 */
export interface Change<T> {
  readonly key: string;
  readonly before?: T | undefined;
  readonly after?: T | undefined;
  /** It was found by comparing with a new list; the watch did not bring it. */
  readonly byList?: true | undefined;
  /**
   * That list is from before something that was known: the server went back in time, as one that is
   * restored from a backup does.
   */
  readonly wentBack?: true | undefined;
}

/** The state of a cache's connection to its API server. */
export type CacheState =
  | { readonly kind: 'listing' }
  | { readonly kind: 'watching' }
  /**
   * Not connected; what was there is still served. `why` is fit for a condition; `code`: of the
   * server's answer, where there was one.
   */
  | {
      readonly kind: 'failing';
      readonly why: string;
      readonly sinceMs: number;
      readonly code?: number | undefined;
      /**
       * Since when the answer has this code, which may be later than `sinceMs`: an API server that
       * was away can reject for a moment when it is back.
       */
      readonly codeSinceMs: number;
    };

/**
 * The cache as controllers read it. Objects are frozen, without `managedFields`, and shared: never
 * change one.
 */
export interface ReadCache<T extends KubernetesObject> {
  get(ref: ObjectRef): T | undefined;
  getByKey(key: string): T | undefined;
  /** In the order of their keys, bytewise: never in the order of arrival. */
  list(namespace?: string): readonly T[];
  /**
   * The objects under one value of an index that was declared up front, in the order of their keys.
   */
  byIndex(index: string, value: string): readonly T[];
  readonly size: number;
  /** True from the first complete list on, for ever. */
  readonly synced: boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  readonly state: CacheState;
  /**
   * Calls the listener with each change from now on; a change that comes back from our own write
   * counts once. Returns the unsubscriber.
   */
  subscribe(listener: (change: Change<T>) => void): () => void;
  /** Calls the listener with each change of `state`. Returns the unsubscriber. */
  onState(listener: (state: CacheState) => void): () => void;
}

/**
 * Read your own writes: after a successful write the answer is put into the cache at once, so that
 * the next reconcile sees it although the watch has not brought it yet. An older watch event for
 * that object is then ignored.
 */
export interface WriteThrough<T extends KubernetesObject> {
  /**
   * Takes the server's answer to a create, update or patch. Ignored unless its resourceVersion is
   * newer than the cached one.
   */
  wrote(object: T): void;
  /**
   * Takes note that the object with this uid is gone; events of that uid are ignored from now on.
   */
  deleted(ref: ObjectRef, uid: string | undefined): void;
  /**
   * Records that a write and a read found no object with this uid, although the cache has it. The
   * object leaves the cache, and a few seconds later everything is listed again. Events and lists
   * may bring it back.
   */
  missing(ref: ObjectRef, uid: string | undefined): void;
}

export type Cache<T extends KubernetesObject> = ReadCache<T> & WriteThrough<T>;

/** Index name → a function that returns the values under which an object is found. */
export type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;
