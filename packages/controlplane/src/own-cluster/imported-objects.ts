import type { Resource } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';

/** What an exchange imported into this cluster, of one kind. A cluster that leaves waits until nothing of it is left. */
export interface ImportedObjects {
  isAny(): boolean;
  /** Reports each removal after which {@link ImportedObjects.isAny} may be another. Returns the unsubscriber. */
  onRemoval(listener: () => void): () => void;
}

/** Those of `resource` that a withdrawal of all imports removes. What only looks like ours must not hold a cluster that leaves. */
export function importedObjects<T extends KubernetesObject>(
  { cache }: Pick<Resource<T>, 'cache'>,
  isImported: (object: T) => boolean,
): ImportedObjects {
  return {
    isAny: () => cache.list().some(isImported),
    onRemoval: (listener) =>
      cache.subscribe(({ after }) => {
        if (after === undefined) listener();
      }),
  };
}
