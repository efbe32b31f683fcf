import type { Client, Reconciler, Source, World } from '@isthmus/kube';
import { again, defineReconciler, done, from, isNotFound, isNotServed, metadataOf, pathOf } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';
import { Namespace } from '../kinds.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { everyResource } from './every-resource.ts';
import type { MetadataCaches } from './metadata-caches.ts';
import type { Remaining } from './namespace-conditions.ts';
import { namespaceConditions } from './namespace-conditions.ts';

export interface NamespaceControllerOptions {
  readonly client: Client;
  readonly shared: SharedCaches;
  readonly caches: MetadataCaches;
  readonly world: World;
}

const finalizer = 'kubernetes';
const unsyncedMs = 200;

/**
 * Empties Namespaces that are being deleted, Pods first. It reports the remaining objects in
 * conditions, and removes the finalizer `kubernetes` when none is left. It lists the objects from
 * the server, not from a cache. kube-controller-manager waits some seconds and then polls; this
 * controller acts at once, and again whenever an object of the Namespace is deleted.
 */
export function namespaceController({ client, shared, caches, world }: NamespaceControllerOptions): Reconciler {
  const namespaces = shared.of(Namespace);
  const content: Source = {
    synced: true,
    whenSynced: async () => {},
    start: (enqueue) =>
      caches.subscribe(({ before, after }) => {
        const namespace = (after ?? before)?.metadata.namespace;
        if (namespace !== undefined && isGoing(namespaces.cache.getByKey(namespace))) enqueue(namespace);
      }),
  };

  const empty = async (type: ResourceType, namespace: string, signal: AbortSignal): Promise<Remaining | undefined> => {
    const list = async () => (await client.list(metadataOf(type), { namespace, signal })).items;
    const items = await list().catch(nothingIfNotServed);
    if (items.every(({ metadata }) => metadata.deletionTimestamp !== undefined)) return remainingOf(type, items);
    await client.request({ method: 'DELETE', path: pathOf(type, { namespace }) }, { signal }).catch(nothingIfNotServed);
    return remainingOf(type, await list().catch(nothingIfNotServed));
  };

  return defineReconciler({
    name: 'namespace',
    sources: [from(namespaces.cache, (namespace) => (isGoing(namespace) ? [namespace.metadata.name] : []))],
    optionalSources: [content],
    access: [
      { at: 'local', type: Namespace, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Namespace, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: Namespace, subresource: 'finalize', scope: 'all', verbs: ['update'] },
      { ...everyResource, verbs: ['list', 'watch', 'deletecollection'] },
    ],
    async reconcile(name, { signal }) {
      const namespace = namespaces.cache.getByKey(name);
      if (namespace === undefined || !isGoing(namespace)) return done;
      if (!caches.synced) return again(unsyncedMs, 'not all resources are listed yet');
      const finalizers = namespace.spec?.finalizers ?? [];
      if (!finalizers.includes(finalizer)) return done;
      const types = [...caches.monitored.values()].map(({ type }) => type).filter(({ namespaced }) => namespaced);
      const pods = types.filter((type) => type.group === '' && type.plural === 'pods');
      let remaining = await emptyAll(pods);
      if (remaining.length === 0) remaining = await emptyAll(types.filter((type) => !pods.includes(type)));
      const conditions = namespaceConditions(namespace.status?.conditions, remaining, rfc3339(world.clock.now()));
      const shown = await namespaces.changeStatus(namespace, { ...namespace.status, conditions }, signal);
      if (remaining.length === 0) await finalize(shown, signal);
      return done;

      async function emptyAll(some: readonly ResourceType[]): Promise<readonly Remaining[]> {
        const found: Remaining[] = [];
        for (const type of some) {
          const left = await empty(type, name, signal);
          if (left !== undefined) found.push(left);
        }
        return found;
      }
    },
  });

  async function finalize(namespace: Namespace, signal: AbortSignal): Promise<void> {
    const { metadata } = namespace;
    const { name } = metadata;
    const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== finalizer);
    // A PUT replaces the whole object: finalizers in the metadata keep holding the Namespace.
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers } };
    const path = pathOf(Namespace, { name, subresource: 'finalize' });
    const headers = { 'content-type': 'application/json' };
    try {
      await client.request({ method: 'PUT', path, headers, body: JSON.stringify(body) }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function isGoing(namespace: Namespace | undefined): boolean {
  return namespace?.metadata.deletionTimestamp !== undefined;
}

function remainingOf(
  type: ResourceType,
  items: readonly { readonly metadata: { readonly finalizers?: readonly string[] | undefined } }[],
): Remaining | undefined {
  if (items.length === 0) return undefined;
  return {
    resource: `${type.plural}.${type.group}`,
    finalizers: items.map(({ metadata }) => metadata.finalizers ?? []),
  };
}

/** A resource whose CRD went has nothing left. */
function nothingIfNotServed(error: unknown): readonly never[] {
  if (isNotServed(error)) return [];
  throw error;
}
