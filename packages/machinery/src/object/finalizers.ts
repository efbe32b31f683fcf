import type { KubernetesObject } from './object.ts';

/**
 * The object without `finalizer`, the others in their order; the object itself where it is not
 * there.
 */
export function removeFinalizer<T extends KubernetesObject>(object: T, finalizer: string): T {
  const held = object.metadata.finalizers ?? [];
  if (!held.includes(finalizer)) return object;
  const finalizers = held.filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
