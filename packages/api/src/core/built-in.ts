import type { KubernetesObject, ResourceType } from '@isthmus/machinery';

/**
 * A kind that every API server has. Its type lists the fields that we read or write, not all that
 * there are; it has no schema here.
 */
export interface BuiltInResource<out T extends KubernetesObject = KubernetesObject> extends ResourceType<T> {
  /** Whether `status` is written only through its subresource. */
  readonly statusSubresource: boolean;
}

/** Declares a built-in kind with the type of its objects. */
export function builtIn<T extends KubernetesObject>(resource: Omit<BuiltInResource<T>, 'object'>): BuiltInResource<T> {
  return Object.freeze({ ...resource });
}

/** A condition of a built-in kind. */
export interface BuiltInCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

/** A reference to an object in the same Namespace, by name. */
export interface LocalObjectReference {
  readonly name?: string | undefined;
}

/** core/v1 ObjectReference. */
export interface ObjectReference {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
}
