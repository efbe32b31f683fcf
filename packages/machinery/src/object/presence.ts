import type { KubernetesObject } from './object.ts';

/** An object that is not being deleted. */
export type Live<T extends KubernetesObject> = T & { readonly metadata: { readonly deletionTimestamp?: undefined } };

/**
 * The answer to the question if there is an object of a name. Finalizers can hold an object for any
 * time after its deletion: its name is taken, and it can no longer be used or created.
 */
export type Presence<T extends KubernetesObject> =
  | { readonly state: 'absent'; readonly object?: undefined }
  | { readonly state: 'present'; readonly object: Live<T> }
  | { readonly state: 'terminating'; readonly object: T };

/** Whether the object is not being deleted. */
export function isLive<T extends KubernetesObject>(object: T): object is Live<T> {
  return object.metadata.deletionTimestamp === undefined;
}

export function presenceOf<T extends KubernetesObject>(object: T | undefined): Presence<T> {
  if (object === undefined) return { state: 'absent' };
  return isLive(object) ? { state: 'present', object } : { state: 'terminating', object };
}

/** The object, unless it is being deleted. */
export function liveOf<T extends KubernetesObject>(object: T | undefined): Live<T> | undefined {
  return object !== undefined && isLive(object) ? object : undefined;
}
