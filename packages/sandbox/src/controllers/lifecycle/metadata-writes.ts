import type { Client, DeleteOptions } from '@isthmus/kube';
import { isConflict, isNotFound, metadataOf } from '@isthmus/kube';
import { refOfObject, removeFinalizer } from '@isthmus/machinery';
import type { MonitoredObject } from './monitored-object.ts';

/**
 * Writes to objects of any kind. They go through only for the object as it was seen, and are in its
 * cache at once.
 */
export interface MetadataWrites {
  dropOwners(one: MonitoredObject, uids: readonly string[], signal: AbortSignal): Promise<void>;
  dropFinalizer(one: MonitoredObject, finalizer: string, signal: AbortSignal): Promise<void>;
  /** Does nothing if the object is gone, or another one has its name. */
  remove(one: MonitoredObject, policy: DeleteOptions['propagationPolicy'], signal: AbortSignal): Promise<void>;
}

export function metadataWrites(client: Client): MetadataWrites {
  const patch = async ({ of, object }: MonitoredObject, change: object, signal: AbortSignal): Promise<void> => {
    const { uid, resourceVersion } = object.metadata;
    const body = { metadata: { uid, resourceVersion, ...change } };
    const written = await client.patch(metadataOf(of.type), refOfObject(object), { type: 'merge', body }, { signal });
    of.cache.wrote(written);
  };
  return {
    dropOwners(one, uids, signal) {
      const kept = (one.object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
      return patch(one, { ownerReferences: kept.length === 0 ? null : kept }, signal);
    },
    dropFinalizer(one, finalizer, signal) {
      const { finalizers } = removeFinalizer(one.object, finalizer).metadata;
      return patch(one, { finalizers: finalizers?.length === 0 ? null : finalizers }, signal);
    },
    async remove({ of, object }, propagationPolicy, signal) {
      const ref = refOfObject(object);
      const { uid = '' } = object.metadata;
      try {
        const options = { signal, preconditions: { uid }, propagationPolicy };
        const held = await client.delete(metadataOf(of.type), ref, options);
        if (held === undefined) of.cache.deleted(ref, uid);
        else of.cache.wrote(held);
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    },
  };
}
