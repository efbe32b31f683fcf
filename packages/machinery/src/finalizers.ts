import type { KubernetesObject } from './object.ts';

/** Whether `finalizer` holds the object back from being removed. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** The object with `finalizer` after the others; the object itself where it is there already. */
export function addFinalizer<T extends KubernetesObject>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] },
  };
}

/** The object without `finalizer`, the others in their order; the object itself where it is not there. */
export function removeFinalizer<T extends KubernetesObject>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
