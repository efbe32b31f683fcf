import type { Resource } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { isLive, liveOf } from '@isthmus/machinery';

/**
 * The objects of one kind that an exchange imported into this cluster. A cluster that leaves waits
 * until all are gone.
 */
export interface ImportedObjects {
  isAny(): boolean;
  /**
   * Reports each removal that may change {@link ImportedObjects.isAny}. Returns the unsubscriber.
   */
  onRemoval(listener: () => void): () => void;
}

/**
 * The objects of `resource` that a withdrawal of all imports removes. An object that only looks
 * like ours must not block a cluster that leaves, nor one that is deleted and held by finalizers.
 */
export function importedObjects<T extends KubernetesObject>(
  { cache }: Pick<Resource<T>, 'cache'>,
  isImported: (object: T) => boolean,
): ImportedObjects {
  return {
    isAny: () => cache.list().some((object) => isLive(object) && isImported(object)),
    onRemoval: (listener) =>
      cache.subscribe(({ after }) => {
        if (liveOf(after) === undefined) listener();
      }),
  };
}
