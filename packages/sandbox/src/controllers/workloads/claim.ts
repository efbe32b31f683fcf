import type { Resource } from '@isthmus/kube';
import { apiVersionOf, controllerOf, controllerReferenceTo, labelSelectorOf, matchesLabels } from '@isthmus/machinery';
import type { KubernetesObject, LabelSelectorObject, ResourceType } from '@isthmus/machinery';

export interface Owner {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  readonly selector: LabelSelectorObject;
}

export interface Claims<T> {
  /** The owner's, and selected. */
  readonly owned: readonly T[];
  /** Selected, without a controller. */
  readonly adopt: readonly T[];
  /** The owner's, and not selected any more. */
  readonly release: readonly T[];
}

/**
 * Which objects belong to a workload, by its selector and their controller reference. An owner that
 * is going adopts nothing.
 */
function decideClaims<T extends KubernetesObject>(owner: Owner, candidates: readonly T[]): Claims<T> {
  const selector = labelSelectorOf(owner.selector);
  const claims = { owned: [] as T[], adopt: [] as T[], release: [] as T[] };
  for (const object of candidates) {
    const isSelected = matchesLabels(selector, object.metadata.labels);
    const controller = controllerOf(object);
    if (controller?.uid === owner.object.metadata.uid) claims[isSelected ? 'owned' : 'release'].push(object);
    else if (controller === undefined && isSelected && mayAdopt(owner, object)) claims.adopt.push(object);
  }
  return claims;
}

/**
 * Carries out {@link decideClaims} for the cached objects, and returns those that the owner has
 * then.
 */
export async function claim<T extends KubernetesObject>(
  owner: Owner,
  resource: Resource<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const candidates = resource.cache.list(owner.object.metadata.namespace);
  const { owned, adopt, release } = decideClaims(owner, candidates);
  const reference = referenceTo(owner);
  const adopted: T[] = [];
  for (const object of adopt) {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), ...reference];
    adopted.push(
      await resource.change(object, { ...object, metadata: { ...object.metadata, ownerReferences } }, signal),
    );
  }
  for (const object of release) {
    const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.object.metadata.uid);
    await resource.change(object, { ...object, metadata: { ...object.metadata, ownerReferences } }, signal);
  }
  return [...owned, ...adopted];
}

/** The controller reference to a workload, in a list of one. */
export function referenceTo({ type, object }: Pick<Owner, 'type' | 'object'>) {
  const reference = controllerReferenceTo({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
  return reference === undefined ? [] : [reference];
}

/**
 * The keys of the workloads that an object may concern: its controller, or else the workloads that
 * may adopt it.
 */
export function workloadsOf<
  T extends KubernetesObject & { readonly spec?: { readonly selector: LabelSelectorObject } | undefined },
>(resource: Resource<T>): (object: KubernetesObject) => readonly string[] {
  return (object) => {
    const { namespace = '', labels } = object.metadata;
    const controller = controllerOf(object);
    if (controller !== undefined)
      return controller.kind === resource.type.kind ? [`${namespace}/${controller.name}`] : [];
    return resource.cache
      .list(namespace)
      .filter(({ spec }) => spec !== undefined && matchesLabels(labelSelectorOf(spec.selector), labels))
      .map(({ metadata }) => `${namespace}/${metadata.name}`);
  };
}

function mayAdopt({ object }: Owner, { metadata }: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp === undefined && metadata.deletionTimestamp === undefined;
}
