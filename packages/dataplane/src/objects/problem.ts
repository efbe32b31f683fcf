/** A part of an object that is not used, for users who look at the object. */
export interface Problem {
  readonly kind:
    | 'Node'
    | 'ClusterInfoImport'
    | 'ClusterSet'
    | 'Service'
    | 'EndpointSlice'
    | 'ClusterNetworkPolicy'
    | 'NetworkPolicy';
  readonly namespace?: string | undefined;
  readonly name: string;
  /** A sentence: which part is not used, and why. */
  readonly message: string;
}
