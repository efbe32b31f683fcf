import type { KubernetesObject, OwnerReference } from './object.ts';

/** The owner reference with `controller: true`, of which there is at most one. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/**
 * Returns the reference by which `owner` owns an object as its controller. Returns undefined if the
 * owner has no kind, apiVersion or uid: the API server rejects such a reference.
 */
export function controllerReferenceTo(owner: KubernetesObject): OwnerReference | undefined {
  const { apiVersion, kind } = owner;
  const { name, uid } = owner.metadata;
  if (apiVersion === undefined || kind === undefined || uid === undefined) return undefined;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
