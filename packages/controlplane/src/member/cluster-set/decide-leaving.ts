import type { ClusterClaim, ClusterSet } from '@isthmus/api';
import { memberAnnounceName } from '@isthmus/api';
import { leaderOf, memberClusterID } from '@isthmus/wire';
import type { LeaveState } from '../leave.ts';
import { leaveWithinMs } from '../leave.ts';
import { releasedFinalizers } from './decide-joining.ts';

export interface LeavingInput {
  /** The ClusterSet that is being deleted. */
  readonly served: ClusterSet;
  readonly claims: readonly ClusterClaim[];
  /** Whether any import is left here; `unknown` until the own cluster has been read. */
  readonly imported: 'some' | 'none' | 'unknown';
  /** The leader's progress; undefined: it has not been asked yet. */
  readonly leave: LeaveState | undefined;
  /** Whether there is a leader to ask: `unknown` until the Secret with its token is read. */
  readonly leader: 'known' | 'unknown' | 'none';
  /** For how long this cluster has been leaving. */
  readonly waitedMs: number;
}

export type LeavingDecision =
  | { readonly kind: 'wait'; readonly forMs: number; readonly why: string }
  /** Release the ClusterSet: no object is left here or on the leader. */
  | { readonly kind: 'left' }
  /** Release the ClusterSet although the leader has not answered. */
  | { readonly kind: 'abandon'; readonly leader: string; readonly why: string; readonly message: string };

/** Most clusters have left by then, and there is nothing to report. */
const quickMs = 2_000;

/**
 * The report on the ClusterSet while its cluster leaves: what it waits for, for how long, and how
 * to continue without that.
 */
export function leavingMessage(input: LeavingInput): string {
  const { served, leave, waitedMs } = input;
  const { namespace = '', name } = served.metadata;
  const leaving = 'This cluster is leaving the ClusterSet';
  if (waitedMs < quickMs) return leaving;
  if (input.imported === 'some') {
    return `${leaving}: imported objects are being removed. To see which are left, run: kubectl get serviceimports -A`;
  }
  const { secret = '', clusterID: leaderID = '' } = leaderOf(served) ?? {};
  const seconds = leaveWithinMs / 1000;
  const metadata = JSON.stringify({ metadata: { finalizers: releasedFinalizers(served) } });
  const skip = `To leave without waiting, run: kubectl -n ${namespace} patch clusterset ${name} --type merge -p '${metadata}'`;
  if (input.leader === 'unknown')
    return `${leaving}. It waits up to ${seconds} s for Secret ${secret} to be read. ${skip}`;
  const why = leave?.kind === 'asking' && leave.why !== undefined ? ` (${leave.why})` : '';
  return `${leaving}. It waits up to ${seconds} s for leader ${leaderID} to remove the exports of this cluster${why}. ${skip}; then delete MemberClusterAnnounce ${announceOf(input)} on the leader.`;
}

/** The announcement of this cluster on its leader. */
function announceOf({ served, claims }: LeavingInput): string {
  const id = memberClusterID(served, claims);
  return `${served.spec?.namespace ?? ''}/${memberAnnounceName(id.kind === 'known' ? id.clusterID : '')}`;
}

/**
 * Decides when a ClusterSet that is being deleted may be released. No import may be left here, and
 * the leader must have removed this cluster or used up its time.
 */
export function decideLeaving(input: LeavingInput): LeavingDecision {
  const { served, claims, leave, leader } = input;
  if (input.imported === 'some') return { kind: 'wait', forMs: 5_000, why: 'imported objects are being removed' };
  const leftMs = leaveWithinMs - input.waitedMs;
  // Not forever: the CRDs may have been deleted before the ClusterSet.
  if (input.imported === 'unknown' && leftMs > 0) {
    return { kind: 'wait', forMs: Math.min(5_000, leftMs), why: 'this cluster has not been read yet' };
  }
  if (leave?.kind === 'left' || leader === 'none') return { kind: 'left' };
  const lookMs = input.waitedMs < quickMs ? quickMs - input.waitedMs : leftMs;
  if (leftMs > 0) return { kind: 'wait', forMs: lookMs, why: 'waiting for the leader to remove this cluster' };
  const { secret = '', clusterID: leaderID = '' } = leaderOf(served) ?? {};
  const why = leader === 'unknown' ? `Secret ${secret} cannot be read` : (leave?.why ?? 'it did not answer');
  const id = memberClusterID(served, claims);
  const clusterID = id.kind === 'known' ? id.clusterID : '';
  const announce = announceOf(input);
  const message = `Left the ClusterSet without an answer from leader ${leaderID}: ${why}. MemberClusterAnnounce ${announce} and the exports of ${clusterID} may remain there; the leader removes them after 24 hours of silence, or you can delete the announcement.`;
  return { kind: 'abandon', leader: leaderID, why, message };
}
