import type { KubernetesObject } from '@isthmus/machinery';
import { deepFreeze } from '@isthmus/machinery';

/**
 * The object as caches share it: without `managedFields` and frozen throughout. What stands below `metadata` and beside it is not copied: it
 * becomes frozen in what was passed in, too. What is in this form already is returned as it is.
 */
export function frozenForCache<T extends KubernetesObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined && Object.isFrozen(object) && Object.isFrozen(object.metadata)) return object;
  return deepFreeze({ ...object, metadata });
}
