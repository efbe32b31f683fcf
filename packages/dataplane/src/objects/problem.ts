/** Something in an object that is not used, for the person who looks at the object. */
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
  /** A sentence: what is not used, and why. */
  readonly message: string;
}
