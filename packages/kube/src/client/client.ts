import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import type { ApiRequest } from '../transport/transport.ts';

/** Options of every call that reads or writes one thing. */
export interface CallOptions {
  /** Ends the call early. Every call also ends by itself after the client's timeout. */
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions extends CallOptions {
  /** Absent: all Namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Page size. `list` follows `continue` until the end and returns everything. */
  readonly limit?: number | undefined;
}

/** Takes the objects of a list as its pages come, so that not all have to be held at once. */
export interface ListSink<T> {
  /** Whether the receiver limits what it holds; then the list may be of any size. */
  readonly isLimited: boolean;
  add(item: T): void;
  /** The list begins again. */
  clear(): void;
}

export interface ObjectList<T> {
  readonly resourceVersion: string;
  readonly items: readonly T[];
}

export interface WatchOptions extends Omit<ListOptions, 'limit'> {
  readonly resourceVersion: string;
  /** How long the server may keep the stream open. */
  readonly timeoutSeconds: number;
  /** The stream is dropped when nothing at all, bookmarks included, came for this long. */
  readonly idleMs: number;
  /** Called when the server has accepted the watch, before any line. */
  readonly onOpen?: (() => void) | undefined;
}

/**
 * One line of a watch. `ERROR` lines become a thrown {@link ApiError}; a line that is no JSON a
 * thrown Error.
 */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface DeleteOptions extends CallOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
}

/** A patch body and how the server is to read it. */
export type Patch =
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'strategic'; readonly body: unknown }
  | { readonly type: 'apply'; readonly body: unknown; readonly fieldManager: string; readonly force?: boolean };

/** How the API server handles fields that a kind lacks. By default it drops them. */
export type FieldValidation = 'Strict';

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  /**
   * `Strict`: an object with fields that its kind lacks is rejected. Default: it is written without
   * them.
   */
  readonly fieldValidation?: FieldValidation | undefined;
  /** Writes the named subresource instead of the object. */
  readonly subresource?: 'status' | 'scale' | undefined;
}

/**
 * Typed access to one API server. Objects go in and come out as plain JSON; `apiVersion` and `kind`
 * are filled in on writes and on the items of a list.
 *
 * Errors: {@link ApiError} where the server answered with a Status (ask it: `isNotFound(err)`, …);
 * {@link ConnectionError} where it did not answer in time or at all. Both name the verb, the
 * resource and the object.
 */
export interface Client {
  get<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef, options?: CallOptions): Promise<T>;
  /** With `into`, the objects go there and `items` is empty. */
  list<T extends KubernetesObject>(
    type: ResourceType<T>,
    options?: ListOptions & { readonly into?: ListSink<T> | undefined },
  ): Promise<ObjectList<T>>;
  watch<T extends KubernetesObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create<T extends KubernetesObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /**
   * Replaces the object; refused with Conflict when `metadata.resourceVersion` is set and no longer
   * current.
   */
  update<T extends KubernetesObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * The object as last seen where finalizers hold it (its deletionTimestamp is set), otherwise
   * undefined: it is gone.
   */
  delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<T | undefined>;
  /**
   * One request as it is, body read whole; for discovery, version and health. Throws on status >=
   * 400 as the typed calls do.
   */
  request(request: ApiRequest, options?: CallOptions): Promise<{ readonly status: number; readonly text: string }>;
  close(): void;
}
