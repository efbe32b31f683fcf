/**
 * What the namespace controller and the garbage collector of a real cluster do, as far as a ClusterSet's stories need it: the content of a
 * Namespace that is deleted goes, then the Namespace; an object goes when the last of its owners is gone. The sandbox replaces it.
 */
import { storageKeyOf } from './served-type.ts';
import type { ServedType, Stored } from './served-type.ts';
import { deleteObject } from './writes.ts';
import type { Server } from './writes.ts';

/** Runs for as long as the server; acts in a microtask after the write that asks for it. */
export function startCascades(server: Server, types: () => Iterable<ServedType>): void {
  const { store } = server;
  const alive = new Set<string>();
  const dependents = new Map<string, Map<string, readonly [storageKey: string, key: string]>>();
  const orphaned = new Set<string>();
  const namespaces = new Set<string>();

  const remove = (storageKey: string, object: Stored) => {
    const type = [...types()].find((each) => storageKeyOf(each) === storageKey);
    const { namespace, name } = object.metadata;
    if (type !== undefined) deleteObject(server, { type, namespace, name }, {});
  };
  const collectGarbage = () => {
    for (const uid of drain(orphaned)) {
      for (const [storageKey, key] of Array.from(dependents.get(uid)?.values() ?? [])) {
        const object = store.get(storageKey, key);
        const owners = object?.metadata.ownerReferences ?? [];
        if (object !== undefined && !owners.some((owner) => alive.has(owner.uid))) remove(storageKey, object);
      }
      dependents.delete(uid);
    }
  };
  const emptyNamespaces = () => {
    for (const name of drain(namespaces)) {
      const namespace = store.get('/namespaces', name);
      if (namespace?.metadata.deletionTimestamp === undefined) continue;
      const content = () => [...store.all()].filter(([, object]) => object.metadata.namespace === name);
      for (const [storageKey, object] of content()) {
        if (object.metadata.deletionTimestamp === undefined) remove(storageKey, object);
      }
      if (content().length === 0) store.remove('/namespaces', namespace);
    }
  };

  store.onChange(({ storageKey, key, before, after }) => {
    const id = `${storageKey} ${key}`;
    for (const owner of before?.metadata.ownerReferences ?? []) dependents.get(owner.uid)?.delete(id);
    for (const owner of after?.metadata.ownerReferences ?? []) {
      const owned = dependents.get(owner.uid) ?? new Map<string, readonly [string, string]>();
      dependents.set(owner.uid, owned.set(id, [storageKey, key]));
    }
    const uid = (after ?? before)?.metadata.uid;
    if (uid !== undefined && after !== undefined) alive.add(uid);
    if (uid !== undefined && after === undefined) {
      alive.delete(uid);
      if (dependents.has(uid)) orphaned.add(uid);
    }
    const object = after ?? before;
    const namespace = storageKey === '/namespaces' ? key : object?.metadata.namespace;
    if (namespace !== undefined && store.get('/namespaces', namespace)?.metadata.deletionTimestamp !== undefined) {
      namespaces.add(namespace);
    }
    if (orphaned.size + namespaces.size === 0) return;
    queueMicrotask(() => {
      collectGarbage();
      emptyNamespaces();
    });
  });
}

/** Takes what is in the set, so that what is added meanwhile is for the next time. */
function drain(set: Set<string>): readonly string[] {
  const values = [...set];
  set.clear();
  return values;
}
