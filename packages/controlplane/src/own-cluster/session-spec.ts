/**
 * Everything that defines a session with the leader. If any field changes, it is another session.
 */
export interface SessionSpec {
  /** The Namespace of the ClusterSet in this cluster. */
  readonly namespace: string;
  readonly clusterSet: string;
  readonly clusterID: string;
  readonly leaderClusterID: string;
  /** The https URL of the leader's API server. */
  readonly server: string;
  readonly leaderNamespace: string;
  /** The name of the Secret in `namespace` with the two fields below. */
  readonly secret: string;
  readonly caPem: string;
  readonly token: string;
}

/**
 * The Common Area of a session in the form of imported objects. It is the same for every address of
 * its leader.
 */
export function commonAreaOf({ leaderClusterID, leaderNamespace }: SessionSpec): string {
  return `${leaderClusterID}/${leaderNamespace}`;
}
