import type { KubernetesObject } from '@isthmus/machinery';
import { deepFreeze } from '@isthmus/machinery';

/**
 * The object as caches share it: without `managedFields` and frozen throughout. Values below and
 * beside `metadata` are not copied: they become frozen in the argument too. An object in this form
 * is returned unchanged.
 */
export function frozenForCache<T extends KubernetesObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined && Object.isFrozen(object) && Object.isFrozen(object.metadata)) return object;
  return deepFreeze({ ...object, metadata });
}
