import type { ServiceAccount } from '@isthmus/api';
import { Annotation, serviceAccountUser } from '@isthmus/api';
import { shown } from '@isthmus/wire';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { TokenVerdict } from '../../own-cluster/session-state.ts';
import { readToken } from '../token/read-token.ts';

/**
 * The user name under which the leader's API server knows a member that may announce itself.
 * Undefined if the token does not show it.
 */
export function announcingUser({ token, leaderNamespace }: SessionSpec): string | undefined {
  const account = readToken(token)?.account;
  return account?.namespace === leaderNamespace ? serviceAccountUser(account) : undefined;
}

/**
 * Judges the ServiceAccount as Antrea 2.7 does when a member announces itself (docs/spec/wire.md
 * §10).
 */
export function decideTokenBinding(
  { metadata: { namespace = '', name, annotations } }: ServiceAccount,
  { clusterID }: Pick<SessionSpec, 'clusterID'>,
): TokenVerdict {
  const bound = annotations?.[Annotation.clusterID];
  if (bound === clusterID) return 'absent';
  const whose = `The token of this cluster belongs to ServiceAccount ${namespace}/${name} at the leader`;
  const rejected = 'A leader rejects this member, except one of Isthmus without admission policies.';
  const reported = (message: string): TokenVerdict => ({ status: 'True', reason: 'NotBoundToCluster', message });
  // The command takes the account from all other clusters, so it is not for an account that they
  // share.
  const cure = (flags: string) =>
    `If no other cluster uses the account, run on the leader: kubectl -n ${namespace} annotate ${flags}serviceaccount ${name} ${Annotation.clusterID}=${clusterID}. Otherwise create a ServiceAccount with the annotation for each cluster, and put its token into the Secret of the ClusterSet.`;
  if (bound === undefined)
    return reported(
      `${whose}, which has no annotation ${Annotation.clusterID}. A leader of Isthmus accepts it, a leader of Antrea rejects this member. ${cure('')}`,
    );
  if (bound === '')
    return reported(`${whose}, whose annotation ${Annotation.clusterID} is empty. ${rejected} ${cure('--overwrite ')}`);
  return reported(
    `${whose}, whose annotation ${Annotation.clusterID} names ${shown(bound)}. ${rejected} Issue a token of a ServiceAccount with ${Annotation.clusterID}: ${clusterID}, and put it into the Secret of the ClusterSet.`,
  );
}
