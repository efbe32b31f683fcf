/** All that a session with the leader is made of. Another value of any field means another session. */
export interface SessionSpec {
  /** Of the ClusterSet in this cluster. */
  readonly namespace: string;
  readonly clusterSet: string;
  readonly clusterID: string;
  readonly leaderClusterID: string;
  /** https URL of the leader's API server. */
  readonly server: string;
  readonly leaderNamespace: string;
  /** The name of the Secret with the two below, in `namespace`. */
  readonly secret: string;
  readonly caPem: string;
  readonly token: string;
}

/** The Common Area of a session, as imported objects name it: the same however its leader is reached. */
export function commonAreaOf({ leaderClusterID, leaderNamespace }: SessionSpec): string {
  return `${leaderClusterID}/${leaderNamespace}`;
}
