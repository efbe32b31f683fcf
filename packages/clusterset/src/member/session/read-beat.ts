import type { MemberClusterAnnounce } from '@isthmus/api';
import { FixedName } from '@isthmus/api';
import { isForbidden, isUnauthorized } from '@isthmus/kube';
import { shown } from '../../exchange/untrusted.ts';
import type { SessionSpec } from '../../exchange/member/session-spec.ts';
import { takeOverAfterMs } from './announce-owner.ts';
import type { BeatResult } from './session-state.ts';

/** What it means that the leader has answered a heartbeat with the announcement as it is there now. */
export function readAnswer(found: MemberClusterAnnounce, spec: SessionSpec): BeatResult {
  const { name } = found.metadata;
  if (found.metadata.deletionTimestamp !== undefined) {
    return { kind: 'failed', why: `the leader is removing ${name}; it will be announced again when that is done` };
  }
  const wrong = (
    [
      ['clusterID', found.clusterID, spec.clusterID],
      ['clusterSetID', found.clusterSetID, spec.clusterSet],
      ['leaderClusterID', found.leaderClusterID, spec.leaderClusterID],
    ] as const
  ).find(([, theirs, ours]) => theirs !== ours);
  if (wrong === undefined) return { kind: 'answered' };
  const [field, theirs, ours] = wrong;
  const why = `MemberClusterAnnounce ${name} on the leader has ${field} ${shown(theirs ?? '')}, but this cluster's ClusterSet has ${shown(ours)}. Correct the ClusterSet, or delete the announcement on the leader.`;
  return { kind: 'refused', reason: 'Refused', why };
}

/** What it means that a heartbeat failed with this error. */
export function readFailure(error: unknown, { leaderClusterID, leaderNamespace }: SessionSpec): BeatResult {
  const why = error instanceof Error ? error.message : String(error);
  if (isUnauthorized(error)) {
    const advice = `Leader ${leaderClusterID} does not accept the token: issue a new member token there and put it into the Secret. ${why}`;
    return { kind: 'refused', reason: 'Unauthorized', why: advice };
  }
  if (isForbidden(error)) {
    const advice = `Leader ${leaderClusterID} rejects this member. Check that spec.namespace ${shown(leaderNamespace)} is the Namespace of the leader's controller, and that the token's ServiceAccount is bound to Role ${FixedName.memberRole} there. ${why}`;
    return { kind: 'refused', reason: 'Refused', why: advice };
  }
  return { kind: 'failed', why };
}

/** What it means that another cluster, whose Namespace kube-system has this uid, announces itself under our ID. */
export function readRival({ clusterID, leaderClusterID }: SessionSpec, uid: string): BeatResult {
  const why = `another cluster (kube-system uid ${uid.slice(0, 64)}) announces itself to leader ${leaderClusterID} as ${clusterID}: a cluster ID must be unique in the ClusterSet. Delete the ClusterSet here and create it again with another clusterID. If that cluster is gone, this one takes its place after ${takeOverAfterMs / 1000} s of silence`;
  return { kind: 'refused', reason: 'Refused', why };
}
