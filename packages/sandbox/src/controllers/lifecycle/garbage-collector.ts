import type { Client, PartialObjectMetadata, Reconciler, Source } from '@isthmus/kube';
import { ApiError, again, defineReconciler, done, isNotFound, isNotServed } from '@isthmus/kube';
import type { OwnerReference } from '@isthmus/machinery';
import { everyResource } from './every-resource.ts';
import type { MetadataCaches, MetadataChange } from './metadata-caches.ts';
import { metadataWrites } from './metadata-writes.ts';
import type { MonitoredObject } from './monitored-object.ts';
import { dependentsOf, keyOfMonitored, monitoredByKey, objectsOfUid } from './monitored-object.ts';
import { ownerStateOf } from './owner-state.ts';
import { Propagation, decideOwned } from './owner-verdict.ts';

export interface GarbageCollectorOptions {
  readonly client: Client;
  readonly caches: MetadataCaches;
}

/** Until all resources are listed; their first list wakes nothing. */
const unsyncedMs = 200;

/**
 * Deletes objects without remaining owners, and completes foreground and orphaning deletions. It
 * acts on events of the watches at once. Before it deletes an object for an owner that no cache
 * contains, it reads the owner from the server. An owner keeps its dependents if its kind is not
 * served, or if it is namespaced and the dependent is not.
 */
export function garbageCollector({ client, caches }: GarbageCollectorOptions): Reconciler {
  /** Keys of objects with an owner of a kind that was not served. */
  const unresolved = new Set<string>();
  const { dropOwners, dropFinalizer, remove } = metadataWrites(client);

  const asOwner = async (one: MonitoredObject, signal: AbortSignal): Promise<void> => {
    const { uid = '', finalizers = [] } = one.object.metadata;
    const dependents = dependentsOf(caches, uid);
    if (finalizers.includes(Propagation.orphan)) {
      for (const dependent of dependents) await dropOwners(dependent, [uid], signal);
      await dropFinalizer(one, Propagation.orphan, signal);
    } else if (finalizers.includes(Propagation.foreground)) {
      if (!dependents.some(({ object }) => blocks(object, uid))) {
        await dropFinalizer(one, Propagation.foreground, signal);
      }
      for (const dependent of dependents) await asDependent(dependent, signal);
    }
  };
  const asDependent = async (one: MonitoredObject, signal: AbortSignal): Promise<void> => {
    const { metadata } = one.object;
    const owners = [];
    for (const reference of metadata.ownerReferences ?? []) {
      const { namespace } = metadata;
      owners.push({ reference, state: await ownerStateOf({ client, caches }, { namespace, reference }, signal) });
    }
    if (owners.some(({ state }) => state === 'unknown')) unresolved.add(keyOfMonitored(one));
    const hasDependents = dependentsOf(caches, metadata.uid ?? '').length > 0;
    const verdict = decideOwned({ metadata, owners, hasDependents });
    if (verdict.kind === 'drop-references') await dropOwners(one, verdict.uids, signal);
    if (verdict.kind === 'delete') await remove(one, verdict.policy, signal);
  };

  return defineReconciler({
    name: 'garbage-collector',
    sources: [concernedObjects(caches, unresolved)],
    access: [{ ...everyResource, verbs: ['get', 'list', 'watch', 'patch', 'delete'] }],
    async reconcile(key, { signal }) {
      const one = monitoredByKey(caches, key);
      if (one === undefined || !concerns(one.object)) return done;
      if (!caches.synced) return again(unsyncedMs, 'not all resources are listed yet');
      try {
        if (one.object.metadata.deletionTimestamp === undefined) await asDependent(one, signal);
        else await asOwner(one, signal);
      } catch (error) {
        // The resource, or the Namespace, has gone with everything in it.
        if (!(error instanceof ApiError && (isNotFound(error) || isNotServed(error)))) throw error;
      }
      return done;
    },
  });
}

/**
 * Enqueues objects when they change, when an owner is deleted, and when an object that they may
 * wait for is gone.
 */
function concernedObjects(caches: MetadataCaches, unresolved: Set<string>): Source {
  return {
    get synced() {
      return caches.synced;
    },
    whenSynced: async () => {},
    start(enqueue) {
      const look = (some: readonly MonitoredObject[]): void => {
        for (const one of some) if (concerns(one.object)) enqueue(keyOfMonitored(one));
      };
      const unsubscribe = caches.subscribe((change) => {
        const { of, before, after } = change;
        if (after !== undefined) look([{ of, object: after }]);
        for (const uid of ownersLeft(change)) look(objectsOfUid(caches, uid));
        const gone = before?.metadata.uid !== after?.metadata.uid ? before?.metadata.uid : undefined;
        if (gone !== undefined) look(dependentsOf(caches, gone));
      });
      const stopTypes = caches.onTypes(() => {
        for (const key of unresolved) enqueue(key);
        unresolved.clear();
      });
      for (const of of caches.monitored.values()) look(of.cache.list().map((object) => ({ of, object })));
      return () => {
        unsubscribe();
        stopTypes();
      };
    },
  };
}

/** The uids of owners that the object had, and now has not, or is leaving. */
function ownersLeft({ before, after }: MetadataChange): readonly string[] {
  const had = (before?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
  if (after === undefined || after.metadata.deletionTimestamp !== undefined) return had;
  return had.filter((uid) => !after.metadata.ownerReferences?.some((reference) => reference.uid === uid));
}

/** Whether the collector has anything to do with it. */
function concerns({ metadata }: PartialObjectMetadata): boolean {
  const { deletionTimestamp, finalizers = [], ownerReferences = [] } = metadata;
  if (deletionTimestamp === undefined) return ownerReferences.length > 0;
  return finalizers.includes(Propagation.orphan) || finalizers.includes(Propagation.foreground);
}

/** Whether the deletion of the owner with this uid waits for the object. */
function blocks({ metadata }: PartialObjectMetadata, uid: string): boolean {
  const isIt = (reference: OwnerReference) => reference.uid === uid && reference.blockOwnerDeletion === true;
  return (metadata.ownerReferences ?? []).some(isIt);
}
