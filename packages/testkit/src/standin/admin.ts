import { keyOf, keyOfObject, refOfObject } from '@isthmus/machinery';
import type { KubernetesObject, ObjectRef } from '@isthmus/machinery';
import { storageKeyOf } from './served-type.ts';
import type { ServedType, Stored } from './served-type.ts';
import { createObject, deleteObject, patchObject, updateObject } from './writes.ts';
import type { Server } from './writes.ts';

/** A served type that knows the type of its objects. */
type TypedServed<T extends KubernetesObject> = ServedType & { readonly object?: T };

/** A change as {@link Admin.onChange} tells it. */
export interface ObjectChange {
  /** `group/plural`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

/** The test's own hands: no authorization, no request log, no waiting. Refusals are thrown. Objects come back frozen, without `apiVersion`. */
export interface Admin {
  get<T extends KubernetesObject>(type: TypedServed<T>, ref: ObjectRef): T | undefined;
  /** In the order of their keys. */
  list<T extends KubernetesObject>(type: TypedServed<T>, namespace?: string): readonly T[];
  /** Creates or replaces, status included, whatever the resourceVersion. */
  put<T extends KubernetesObject>(type: TypedServed<T>, object: T): T;
  /** Applies a merge patch to spec and status at once. */
  patch<T extends KubernetesObject>(type: TypedServed<T>, ref: ObjectRef, patch: unknown): T;
  /** Deletes as a user would: finalizers hold. Does nothing where there is no such object. */
  delete(type: ServedType, ref: ObjectRef): void;
  /** Takes an object away, finalizers or not. Does nothing where there is no such object. */
  remove(type: ServedType, ref: ObjectRef): void;
  /** Tells each change at once, within the write. Returns the unsubscriber. */
  onChange(listener: (change: ObjectChange) => void): () => void;
  /** Forgets the history: watches and continued lists from before answer 410. Watches that are open go on. */
  compact(): void;
  /** The resourceVersion of the last write. */
  readonly resourceVersion: number;
  /** All objects as one canonical text. */
  snapshot(): string;
}

export function createAdmin(server: Server): Admin {
  const { store } = server;
  // The caller names the type of the objects; what is stored under it was put there as such, or is a lie of the test.
  const as = <T>(object: Stored): T => object as unknown as T;
  return {
    get: <T>(type: ServedType, ref: ObjectRef) => {
      const found = store.get(storageKeyOf(type), keyOf(ref));
      return found === undefined ? undefined : as<T>(found);
    },
    list: <T>(type: ServedType, namespace?: string) =>
      store
        .list(storageKeyOf(type))
        .filter((object) => namespace === undefined || object.metadata.namespace === namespace)
        .map((object) => as<T>(object)),
    put: <T extends KubernetesObject>(type: ServedType, object: T) => {
      const ref = refOfObject(object);
      const body = {
        ...object,
        kind: type.kind,
        metadata: { ...object.metadata, resourceVersion: undefined, uid: undefined },
      };
      const exists = store.get(storageKeyOf(type), keyOfObject(object)) !== undefined;
      const target = { type, namespace: ref.namespace, name: ref.name, part: 'whole' } as const;
      return as<T>(exists ? updateObject(server, target, body) : createObject(server, target, body));
    },
    patch: <T>(type: ServedType, ref: ObjectRef, patch: unknown) =>
      as<T>(patchObject(server, { type, namespace: ref.namespace, name: ref.name, part: 'whole' }, patch)),
    delete(type, ref) {
      if (store.get(storageKeyOf(type), keyOf(ref)) === undefined) return;
      deleteObject(server, { type, namespace: ref.namespace, name: ref.name }, {});
    },
    remove(type, ref) {
      const found = store.get(storageKeyOf(type), keyOf(ref));
      if (found !== undefined) store.remove(storageKeyOf(type), found);
    },
    onChange: (listener) =>
      store.onChange(({ storageKey, key, before, after }) => listener({ resource: storageKey, key, before, after })),
    compact: () => store.compact(),
    get resourceVersion() {
      return store.resourceVersion;
    },
    snapshot: () => store.snapshot(),
  };
}
