import type { Resource } from '@isthmus/kube';
import { isLive } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import { isWithdrawn, withdrawnMark } from '@isthmus/wire';

/**
 * Deletes withdrawn objects. All are marked first, then all are deleted, so that a reader that
 * misses some finds the others marked. An object that is already being deleted is marked, and not
 * deleted again.
 */
export async function withdraw<T extends KubernetesObject>(
  resource: Resource<T>,
  objects: readonly T[],
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const all: T[] = [];
  for (const object of objects) all.push(await markWithdrawn(resource, object, { nowMs, signal }));
  for (const object of all) {
    if (isLive(object)) await resource.delete(object, signal);
  }
}

/** Marks an object of ours as withdrawn if it is not marked yet. Returns it in its new form. */
export async function markWithdrawn<T extends KubernetesObject>(
  resource: Resource<T>,
  object: T,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<T> {
  if (isWithdrawn(object)) return object;
  const annotations = { ...object.metadata.annotations, ...withdrawnMark(nowMs) };
  return resource.change(object, { ...object, metadata: { ...object.metadata, annotations } }, signal);
}
