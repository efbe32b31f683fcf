import type { KubernetesObject, OwnerReference } from './object.ts';

/** The owner reference with `controller: true`, of which there is at most one. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/**
 * The reference by which `owner` owns an object as its controller. Undefined where the owner does not say its kind, apiVersion
 * or uid: such a reference would be refused by the API server.
 */
export function controllerReferenceTo(owner: KubernetesObject): OwnerReference | undefined {
  const { apiVersion, kind } = owner;
  const { name, uid } = owner.metadata;
  if (apiVersion === undefined || kind === undefined || uid === undefined) return undefined;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
