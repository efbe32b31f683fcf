import type { KubernetesObject } from '@isthmus/machinery';
import { deepFreeze } from '@isthmus/machinery';

/**
 * The object as caches share it: without `managedFields` and frozen throughout. What stands below `metadata` and beside it is not copied: it
 * becomes frozen in what was passed in, too.
 */
export function frozenForCache<T extends KubernetesObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return deepFreeze({ ...object, metadata });
}
