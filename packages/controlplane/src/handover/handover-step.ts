import type { CustomResourceDefinition, Endpoints } from '@isthmus/api';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';

/**
 * One change that prepares a cluster for Antrea's controllers. Each can be repeated, and
 * connections continue at every moment of it.
 */
export type HandoverStep =
  /** Scales our Deployment to zero, and waits until the Lease has no holder. */
  | { readonly kind: 'stop'; readonly deployment: ObjectRef | undefined; readonly lease: ObjectRef }
  /**
   * Writes the endpoints of an imported Service in Antrea's form. Our slices are deleted when those
   * of Kubernetes have replaced them.
   */
  | { readonly kind: 'replace'; readonly endpoints: Endpoints; readonly slices: readonly ObjectRef[] }
  /**
   * Deletes the imports of the single clusters of one Service: an Antrea leader does not update
   * them.
   */
  | { readonly kind: 'merge'; readonly service: ObjectRef; readonly imports: readonly ObjectRef[] }
  /**
   * Deletes an import that an Antrea leader would keep: of labels that no cluster exports any more,
   * or of a Service with a dot in its name.
   */
  | { readonly kind: 'withdraw'; readonly ref: ObjectRef }
  /** Removes the labels, annotations and finalizers of Isthmus from an object. */
  | Released
  /** Stores all objects of a CRD in the version that Antrea serves. */
  | { readonly kind: 'store'; readonly definition: CustomResourceDefinition; readonly version: string };

/** An object, and the merge patch that removes from it everything that only Isthmus knows. */
export interface Released {
  readonly kind: 'release';
  readonly type: ResourceType<KubernetesObject>;
  readonly ref: ObjectRef;
  readonly patch: object;
  /** Which objects of their kind these are, if a plan releases some before the others. */
  readonly which?: 'merged' | 'other' | undefined;
  /** The patch is for the status. */
  readonly subresource?: 'status' | undefined;
}

/** The steps in a cluster, in this order. */
export interface HandoverPlan {
  readonly steps: readonly HandoverStep[];
  /** The next steps for a user: whole sentences, some with a command. */
  readonly next: readonly string[];
}
