import { Annotation, memberAnnounceName, parseJoinAccountName } from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import { renewableToken } from './decide.ts';
import { readToken } from './read-token.ts';

/** How a cluster gets another token; `clusterID` is at the leader, so the command runs there. */
export function grantCommand({
  clusterID,
  leaderNamespace,
}: Pick<SessionSpec, 'clusterID' | 'leaderNamespace'>): string {
  return `run on the leader: isthmus grant ${clusterID} -n ${leaderNamespace} -o ${clusterID}.yaml, and apply that file here`;
}

/**
 * Why a leader rejects the token of a member, as far as the token shows it, and what to do. The
 * text continues a sentence. The leader gives no reason to a bearer that it does not know.
 */
export function tokenAdvice(spec: SessionSpec, nowMs: number): string {
  const { token, clusterID, leaderNamespace, namespace, secret } = spec;
  const where = `Secret ${namespace}/${secret}`;
  const facts = renewableToken(token);
  if (facts === undefined) {
    if (token.startsWith('eyJ') && readToken(token) === undefined)
      return ` in ${where}, which is damaged, or cut: apply the whole join file again`;
    return `: issue a new member token there and put it into key token of ${where}`;
  }
  const end = rfc3339(facts.life.untilS * 1_000);
  const hasEnded = nowMs >= facts.life.untilS * 1_000;
  const when = hasEnded ? `it expired at ${end}` : `it was to expire at ${end}`;
  if (parseJoinAccountName(facts.account.name) === undefined)
    return `: ${when}${hasEnded ? ' without being renewed' : ', and has been revoked'}. To connect again, ${grantCommand(spec)}`;
  const causes = hasEnded
    ? `of the join file: ${when}, or the file was used or replaced before`
    : `of the join file: the file was used already, or replaced by a newer one (${when})`;
  const announce = `kubectl -n ${leaderNamespace} get memberclusterannounce ${memberAnnounceName(clusterID)} -o yaml`;
  return ` ${causes}. For a new file, ${grantCommand(spec)}. If another cluster used it, first run there: isthmus revoke ${clusterID} -n ${leaderNamespace}. To see which cluster joined as ${clusterID}, and when, run there: ${announce} (annotation ${Annotation.clusterUID})`;
}
