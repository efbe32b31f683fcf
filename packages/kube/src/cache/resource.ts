import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { isLive, mergePatchOf, refOfObject } from '@isthmus/machinery';
import type { Client, FieldValidation, Patch, WriteOptions } from '../client/client.ts';
import { isConflict, isNotFound, isNotServed } from '../client/errors.ts';
import type { ReadCache } from './cache.ts';
import type { RunnableCache } from './create-cache.ts';

/**
 * One kind in one API server, as a reconciler sees it: reads come from the cache, writes go to the
 * server and into the cache.
 */
export interface Resource<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly cache: ReadCache<T>;
  create(object: T, signal: AbortSignal): Promise<T>;
  /**
   * Writes the differences between `current` and `desired`, as a merge patch bound to the
   * resourceVersion of `current`. Sends no request if nothing differs. Lists are replaced as a
   * whole. Labels, annotations and other keys of `current` that `desired` lacks are removed: build
   * `desired` from `current`.
   *
   * Errors: Conflict if the object has changed meanwhile; the next reconcile sees the newer one.
   * NotFound if it does not exist: after a read from the server the object leaves the cache too, so
   * that the next reconcile creates it again.
   */
  change(current: T, desired: T, signal: AbortSignal): Promise<T>;
  /**
   * {@link Resource.change} for the status subresource: only `status` is compared and written, and
   * not bound to a resourceVersion.
   */
  changeStatus(current: T, status: unknown, signal: AbortSignal): Promise<T>;
  /**
   * Deletes exactly this object (by uid). An object that is gone already, or was replaced by
   * another, is no error. Sends no request for an object that is being deleted: finalizers hold it.
   */
  delete(object: T, signal: AbortSignal): Promise<void>;
}

export interface ResourceOptions {
  /** See {@link WriteOptions.fieldValidation}; of objects, not of their status. */
  readonly fieldValidation?: FieldValidation | undefined;
}

/** Joins a cache and the client that fills it. */
export function resourceOf<T extends KubernetesObject>(
  type: ResourceType<T>,
  cache: RunnableCache<T>,
  client: Client,
  { fieldValidation }: ResourceOptions = {},
): Resource<T> {
  const wrote = (object: T): T => {
    cache.wrote(object);
    return object;
  };
  const patched = async (current: T, patch: Patch, options: WriteOptions & { readonly signal: AbortSignal }) => {
    try {
      return wrote(await client.patch(type, refOfObject(current), patch, options));
    } catch (error) {
      if (isNotFound(error)) await lookFor(current, options.signal);
      notServed(error);
      throw error;
    }
  };
  /**
   * If the definition of the kind was deleted, an open watch may show nothing any more. The cache
   * finds out by listing again.
   */
  const notServed = (error: unknown): void => {
    if (isNotServed(error)) cache.renew();
  };
  /**
   * A server that was restored from a backup may not have what the cache has; neither does one
   * whose status subresource is gone.
   */
  const lookFor = async (object: T, signal: AbortSignal): Promise<void> => {
    try {
      await client.get(type, refOfObject(object), { signal });
    } catch (error) {
      if (isNotFound(error)) cache.missing(refOfObject(object), object.metadata.uid);
    }
  };
  return {
    type,
    cache,
    async create(object, signal) {
      try {
        return wrote(await client.create(type, object, { signal, fieldValidation }));
      } catch (error) {
        notServed(error);
        throw error;
      }
    },
    async change(current, desired, signal) {
      const body = mergePatchOf(withoutEmpty(current), withoutEmpty(desired));
      if (body === undefined) return current;
      const patch = { type: 'merge', body: bound(body, current) } as const;
      return patched(current, patch, { signal, fieldValidation });
    },
    async changeStatus(current, status, signal) {
      const before = 'status' in current ? current.status : undefined;
      const body = mergePatchOf({ status: before }, { status });
      if (body === undefined) return current;
      return patched(current, { type: 'merge', body }, { signal, subresource: 'status' });
    },
    async delete(object, signal) {
      if (!isLive(object)) return;
      const uid = object.metadata.uid;
      const preconditions = uid === undefined ? undefined : { uid };
      try {
        const held = await client.delete(type, refOfObject(object), { signal, preconditions });
        if (held === undefined) cache.deleted(refOfObject(object), uid);
        else cache.wrote(held);
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
        cache.deleted(refOfObject(object), uid);
      }
    },
  };
}

/**
 * The API server keeps no empty labels, annotations, finalizers or owner references: empty and
 * absent are the same.
 */
function withoutEmpty<T extends KubernetesObject>(object: T): T {
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([, value]) => !isEmpty(value)));
  return { ...object, metadata };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function bound(body: unknown, current: KubernetesObject): unknown {
  const patch = body as { readonly metadata?: Readonly<Record<string, unknown>> };
  return { ...patch, metadata: { ...patch.metadata, resourceVersion: current.metadata.resourceVersion } };
}
