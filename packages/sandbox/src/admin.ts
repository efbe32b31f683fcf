import { keyOf } from '@isthmus/machinery';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import { applyMergePatch } from '@isthmus/machinery';
import { admin as adminUser } from './authentication/authenticator.ts';
import type { ServedResource } from './registry/served-resource.ts';
import { createObjectNow, loadObjectNow } from './verbs/create.ts';
import { typed } from './objects/decode.ts';
import { deleteObjectNow } from './verbs/delete.ts';
import { updateObjectNow } from './verbs/update.ts';
import type { Core } from './core/core.ts';
import type { WriteTarget } from './core/target.ts';
import type { Stored } from './store/stored.ts';

/** A change, as {@link Admin.onChange} reports it. */
export interface ObjectChange {
  /** `group/plural`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

/**
 * Direct access for the owner of the process: no authorization, no admission webhooks, no waiting.
 * Defaults, validation and immutable fields apply as through the API. Errors are thrown as
 * Refusals. Returned objects are frozen.
 */
export interface Admin {
  get<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef): T | undefined;
  /** The objects, sorted by key. */
  list<T extends KubernetesObject>(type: ResourceType<T>, namespace?: string): readonly T[];
  /** Creates or replaces, status included, whatever the resourceVersion. */
  put<T extends KubernetesObject>(type: ResourceType<T>, object: T): T;
  /**
   * Stores an object of another cluster or an earlier run as it was: with its status, uid, times of
   * creation and deletion, generation and field managers. So ages are kept, and owners are found by
   * their uids. An object of that name is deleted first. Only the resourceVersion is new. Load a
   * Namespace, and the definition of a kind, before their objects.
   */
  load<T extends KubernetesObject>(type: ResourceType<T>, object: T): T;
  /** Applies a merge patch to spec and status at once. */
  patch<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef, patch: unknown): T;
  /**
   * Deletes an object without waiting for Pods to end. Finalizers still hold it. Does nothing if
   * the object does not exist.
   */
  delete(type: ResourceType, ref: ObjectRef): void;
  /** Removes an object despite finalizers. Does nothing if it does not exist. */
  remove(type: ResourceType, ref: ObjectRef): void;
  /** Reports each change synchronously, within the write. Returns the unsubscriber. */
  onChange(listener: (change: ObjectChange) => void): () => void;
  /** Drops the history: earlier watches and continued lists answer 410. Open watches continue. */
  compact(): void;
  /** The resourceVersion of the last write. */
  readonly resourceVersion: number;
  /** All objects as one canonical text. */
  snapshot(): string;
}

/** Errors: throws an Error that names a type that is not served. */
export function createAdmin(core: Core): Admin {
  const { store, registry, conversion } = core;
  // The caller names the type. Objects of this resource were stored with that type, unless a caller
  // named a wrong one.
  const as = <T>(object: Stored): T => object as unknown as T;
  const served = (type: ResourceType): ServedResource => {
    const found = registry.find(type.group, type.version, type.plural);
    if (found === undefined) throw new Error(`${type.plural}.${type.group} in ${type.version} is not served here`);
    return found;
  };
  const target = (resource: ServedResource, { namespace, name }: ObjectRef, subresource?: string): WriteTarget => ({
    resource,
    namespace: resource.namespaced ? namespace : undefined,
    name,
    subresource,
    user: adminUser,
    dryRun: false,
    fieldManager: '',
    warnings: [],
  });
  const read = (resource: ServedResource, stored: Stored): Stored => conversion.toRequestedNow(resource, stored);
  /**
   * Writes the spec, then the status if it is a subresource, as a client with both rights would.
   */
  const write = (resource: ServedResource, given: Stored): Stored => {
    const ref = { namespace: given.metadata.namespace, name: given.metadata.name };
    const { resourceVersion: _, uid: _uid, ...metadata } = given.metadata;
    const hasStatus = resource.subresources.some(({ kind }) => kind === 'status') && 'status' in given;
    const exists = store.get(resource.storageKey, keyOf(ref)) !== undefined;
    // A field that a caller sets to undefined is absent, as in JSON.
    const object = typed(resource, JSON.parse(JSON.stringify({ ...given, metadata })));
    const current = (before: Stored): Stored => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion: before.metadata.resourceVersion },
    });
    const written = exists
      ? updateObjectNow(core, target(resource, ref), current)
      : createObjectNow(core, target(resource, ref), object);
    const name = written.metadata.name;
    const asStored = () => read(resource, store.get(resource.storageKey, keyOf({ ...ref, name })) ?? written);
    if (!hasStatus) return asStored();
    const withStatus = (before: Stored): Stored => ({ ...before, status: given['status'] });
    updateObjectNow(core, target(resource, { ...ref, name }, 'status'), withStatus);
    return asStored();
  };
  return {
    get: <T>(type: ResourceType, ref: ObjectRef) => {
      const resource = served(type);
      const found = store.get(resource.storageKey, keyOf(ref));
      return found === undefined ? undefined : as<T>(read(resource, found));
    },
    list: <T>(type: ResourceType, namespace?: string) => {
      const resource = served(type);
      return store
        .list(resource.storageKey)
        .filter((object) => namespace === undefined || object.metadata.namespace === namespace)
        .map((object) => as<T>(read(resource, object)));
    },
    put: <T extends KubernetesObject>(type: ResourceType<T>, object: T) =>
      as<T>(write(served(type), object as unknown as Stored)),
    load<T extends KubernetesObject>(type: ResourceType<T>, object: T): T {
      const resource = served(type);
      const given = typed(resource, JSON.parse(JSON.stringify(object)));
      const found = store.get(resource.storageKey, keyOf(given.metadata));
      if (found !== undefined) store.remove(resource.storageKey, found);
      try {
        return as<T>(read(resource, loadObjectNow(core, target(resource, given.metadata), given)));
      } catch (error) {
        if (found !== undefined) store.put(resource.storageKey, found);
        throw error;
      }
    },
    patch: <T>(type: ResourceType, ref: ObjectRef, patch: unknown) => {
      const resource = served(type);
      const found = store.get(resource.storageKey, keyOf(ref));
      if (found === undefined) throw new Error(`${type.plural} ${keyOf(ref)}: not there`);
      return as<T>(write(resource, applyMergePatch(read(resource, found), patch) as Stored));
    },
    delete(type, ref) {
      const resource = served(type);
      if (store.get(resource.storageKey, keyOf(ref)) === undefined) return;
      deleteObjectNow(core, target(resource, ref), { gracePeriodSeconds: 0 });
    },
    remove(type, ref) {
      const { storageKey } = served(type);
      const found = store.get(storageKey, keyOf(ref));
      if (found !== undefined) store.remove(storageKey, found);
    },
    onChange: (listener) =>
      store.onAnyChange(({ storageKey, key, before, after }) => listener({ resource: storageKey, key, before, after })),
    compact: () => store.compact(),
    get resourceVersion() {
      return store.resourceVersion;
    },
    snapshot: () => store.snapshot(),
  };
}
