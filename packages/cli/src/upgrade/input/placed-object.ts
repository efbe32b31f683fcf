import type { KubernetesObject } from '@isthmus/machinery';

/** An object, and the place where it begins. */
export interface PlacedObject {
  readonly object: KubernetesObject;
  /** `deploy/crds.yaml:12`. */
  readonly place: string;
  /** The place of a field, by its path; absent if the object is not from a file. */
  readonly placeOf?: ((path: string) => string) | undefined;
}
