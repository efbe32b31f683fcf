import type { KubernetesObject } from '@isthmus/machinery';

/** An object, and the place where it begins. */
export interface PlacedObject {
  readonly object: KubernetesObject;
  /** `deploy/crds.yaml:12`. */
  readonly place: string;
  /** The place of a field of it, by its path; absent where the object is from no file. */
  readonly placeOf?: ((path: string) => string) | undefined;
}
