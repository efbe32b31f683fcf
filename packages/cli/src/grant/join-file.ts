import { ClusterSet, FixedName, Secret, SecretKey } from '@isthmus/api';
import { apiVersionOf, printYamlDocuments } from '@isthmus/machinery';

export interface JoinFile {
  readonly clusterID: string;
  /** The Namespace of the controller in the cluster that joins. */
  readonly namespace: string;
  /** The ClusterSet of the leader: its name, its Namespace, and the ID of the leader. */
  readonly clusterSet: string;
  readonly leaderNamespace: string;
  readonly leaderClusterID: string;
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  /** When the token expires, RFC 3339. */
  readonly expires: string;
}

/**
 * The objects with which a cluster joins. The Secret comes first, and its name last: what is left
 * of a file that was cut names no Secret that exists, so the cluster does not join with it.
 */
export function joinFileText(file: JoinFile): string {
  const { clusterID, namespace, clusterSet, leaderNamespace, leaderClusterID, server } = file;
  const name = FixedName.leaderTokenSecret;
  const secret: Secret = {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: { name, namespace },
    type: 'Opaque',
    data: { [SecretKey.caCrt]: base64(file.caPem), [SecretKey.token]: base64(file.token) },
  };
  const set: ClusterSet = {
    apiVersion: apiVersionOf(ClusterSet),
    kind: ClusterSet.kind,
    metadata: { name: clusterSet, namespace },
    spec: {
      clusterID,
      namespace: leaderNamespace,
      leaders: [{ clusterID: leaderClusterID, server, secret: name }],
    },
  };
  return [
    `# With this file, cluster ${clusterID} joins ClusterSet ${clusterSet}. Keep it secret: it contains a token, which can be used once.\n`,
    `# Apply it in that cluster before ${file.expires}.\n`,
    printYamlDocuments([secret, set]),
  ].join('');
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
