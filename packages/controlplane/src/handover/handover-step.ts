import type { CustomResourceDefinition, Endpoints } from '@isthmus/api';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';

/** One change that prepares a cluster for Antrea's controllers. Each can be repeated, and connections go on at every moment of it. */
export type HandoverStep =
  /** Scales our Deployment to zero, and waits until nobody holds the Lease. */
  | { readonly kind: 'stop'; readonly deployment: ObjectRef | undefined; readonly lease: ObjectRef }
  /** Writes the endpoints of an imported Service as Antrea keeps them; our slices are deleted when those of Kubernetes have taken their place. */
  | { readonly kind: 'replace'; readonly endpoints: Endpoints; readonly slices: readonly ObjectRef[] }
  /** Deletes the imports of the single clusters of one Service, which no Antrea leader keeps current. */
  | { readonly kind: 'merge'; readonly service: ObjectRef; readonly imports: readonly ObjectRef[] }
  /** Deletes the import of labels that no cluster exports any longer. */
  | { readonly kind: 'withdraw'; readonly ref: ObjectRef }
  /** Takes the labels, annotations and finalizers of Isthmus from an object. */
  | Released
  /** Stores all objects of a definition in the version that Antrea serves. */
  | { readonly kind: 'store'; readonly definition: CustomResourceDefinition; readonly version: string };

/** An object, and the merge patch that takes from it what only Isthmus knows. */
export interface Released {
  readonly kind: 'release';
  readonly type: ResourceType<KubernetesObject>;
  readonly ref: ObjectRef;
  readonly patch: object;
  /** Which objects of their kind these are, where a plan releases some earlier than the others. */
  readonly which?: 'merged' | 'other' | undefined;
  /** The patch is of the status. */
  readonly subresource?: 'status' | undefined;
}

/** What is to be done in a cluster, in this order. */
export interface HandoverPlan {
  readonly steps: readonly HandoverStep[];
  /** What a person does afterwards: whole sentences, some with a command. */
  readonly next: readonly string[];
}
