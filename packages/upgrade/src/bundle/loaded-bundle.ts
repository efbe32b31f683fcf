import type { KubernetesObject } from '@isthmus/machinery';
import type { ComponentBundle } from './component-bundle.ts';

/** A bundle that passed its lint, with its available content. The input of plans and checks. */
export interface LoadedBundle {
  readonly bundle: ComponentBundle;
  /** `sha256:…` of the canonical JSON of what a signature covers: the identity of the bundle. */
  readonly digest: string;
  /**
   * The objects of manifests and crdsets by the digest of the artifact, in the order of the file.
   * An artifact that is missing here was not read: plans report that its CRDs and immutable fields
   * were not checked.
   */
  readonly contents: ReadonlyMap<string, readonly KubernetesObject[]>;
}
