import type { MemberClusterAnnounce, ReasonOn, ResourceExport, leaderClusterSetStatus } from '@isthmus/api';
import {
  Annotation,
  isMemberAnnounceFinalizer,
  isResourceExportFinalizer,
  memberAnnounceFinalizer,
} from '@isthmus/api';
import { parseRfc3339 } from '@isthmus/machinery';
import {
  announceProblem,
  announcedCluster,
  departures,
  departuresText,
  disconnectedAfterMs,
  encodeReason,
  isWithdrawn,
} from '@isthmus/wire';
import type { SettingsAnswer } from './differing-settings.ts';
import type { Sighting } from './liveness.ts';
import { isForgotten } from './liveness.ts';

/** How long a member that is still there may take to beat again after somebody deleted its announcement: it beats every ten seconds. */
const leftAfterMs = 15_000;

/** How often a silent member's age is looked at again until it is forgotten: every hour of a day. */
const forgetChecks = 24;

export interface AnnounceInput {
  readonly announce: MemberClusterAnnounce;
  /** What stands in the Common Area under the announced cluster ID, exports that are being deleted included. */
  readonly exports: readonly ResourceExport[];
  /** Whether anything is published that only this cluster exports. */
  readonly published: boolean;
  readonly sighting: Sighting;
  /** Whether a cluster announces itself now. */
  readonly isAnnounced: (clusterID: string) => boolean;
  /** The name of the ClusterSet that is served here. */
  readonly clusterSet: string | undefined;
  /** In what the clusters of the ClusterSet differ; undefined: nothing that is known. */
  readonly settings?: SettingsAnswer | undefined;
  /** For how long this process has seen the announcement being deleted without a beat since; undefined: it has beaten since. */
  readonly deletedMs: number | undefined;
  readonly nowMonotonicMs: number;
  /** Wall clock, epoch milliseconds. */
  readonly nowMs: number;
  /** See `silence.ts`. */
  readonly forgottenAfterMs: number;
}

export type AnnounceDecision =
  /** It is watched on, with this metadata: our finalizer, and for a member that reads it our answer. */
  | { readonly kind: 'keep'; readonly metadata: MemberClusterAnnounce['metadata']; readonly lookAgainMs: number }
  /** The member has been silent for too long: withdraw its announcement. What it exported goes with that. */
  | { readonly kind: 'forget' }
  /** It is being deleted, and the member has not said so itself: whether it still beats will show. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** It is being deleted, and the member does not beat any more: it has left. */
  | { readonly kind: 'mark' }
  /** Its member has left: what it exported goes first. None where only deletions are still under way. */
  | { readonly kind: 'purge'; readonly exports: readonly ResourceExport[] }
  /**
   * It is being deleted, and nothing holds it any more but the finalizers that are not the leader's: nothing of its member is left, or its member
   * goes on beating, and will announce itself anew.
   */
  | { readonly kind: 'release'; readonly finalizers: readonly string[] }
  /** It speaks for no cluster; whoever made it must remove it. */
  | {
      readonly kind: 'reject';
      readonly reason: ReasonOn<typeof leaderClusterSetStatus, 'clusterStatuses[].Ready=False'>;
      readonly message: string;
    };

/** What becomes of one announcement, and of what its member exported (docs/spec/membership.md §3, §4). */
export function decideAnnounce(input: AnnounceInput): AnnounceDecision {
  const { announce, exports, sighting } = input;
  const { finalizers = [], deletionTimestamp } = announce.metadata;
  const ours = memberAnnounceFinalizer(announce.clusterID ?? '');
  // Its cluster ID may have been changed since the leader put its finalizer there.
  const release = {
    kind: 'release',
    finalizers: finalizers.filter((name) => !isMemberAnnounceFinalizer(name)),
  } as const;
  const problem = announceProblem(announce);
  if (problem !== undefined) return deletionTimestamp === undefined ? { kind: 'reject', ...problem } : release;
  if (deletionTimestamp !== undefined) {
    if (!isWithdrawn(announce)) {
      // Somebody else's act: what the member exports is its own.
      if (input.deletedMs === undefined) return release;
      const leftMs = leftAfterMs - input.deletedMs;
      return leftMs > 0 ? { kind: 'wait', forMs: leftMs } : { kind: 'mark' };
    }
    if (!exports.some(isHeldByLeader) && !input.published) return release;
    return { kind: 'purge', exports: exports.filter(({ metadata }) => metadata.deletionTimestamp === undefined) };
  }
  const silentMs = input.nowMonotonicMs - sighting.atMs;
  const forgotten = isForgotten({
    sighting,
    nowMonotonicMs: input.nowMonotonicMs,
    nowMs: input.nowMs,
    touchedMs: parseRfc3339(announce.metadata.annotations?.[Annotation.touchTs]),
    createdMs: parseRfc3339(announce.metadata.creationTimestamp),
    forgottenAfterMs: input.forgottenAfterMs,
  });
  if (forgotten) return { kind: 'forget' };
  return {
    kind: 'keep',
    metadata: {
      ...announce.metadata,
      finalizers: finalizers.includes(ours) ? finalizers : [...finalizers, ours],
      annotations: { ...standingAnnotations(input), ...answerTo(input) },
    },
    lookAgainMs: silentMs <= disconnectedAfterMs ? disconnectedAfterMs + 1_000 : input.forgottenAfterMs / forgetChecks,
  };
}

/** To each beat of a member that reads answers; to others they would be writes for nothing (docs/spec/membership.md §3). */
function answerTo({ announce, clusterSet = '', settings }: AnnounceInput): Readonly<Record<string, string>> {
  const { [Annotation.touchTs]: touchTs = '' } = announce.metadata.annotations ?? {};
  if (!readsAnswers(announce)) return {};
  return {
    [Annotation.answered]: touchTs,
    [Annotation.leaderClusterSet]: clusterSet,
    ...(settings !== undefined && { [Annotation.settingsDiffer]: encodeReason(settings) }),
  };
}

/** Whether its member is of a make that reads what a leader writes there. */
function readsAnswers({ metadata }: MemberClusterAnnounce): boolean {
  const { [Annotation.touchTs]: touchTs = '', [Annotation.marksAt]: marksAt } = metadata.annotations ?? {};
  return touchTs !== '' && marksAt === touchTs;
}

/** What the announcement says already, without clusters that left long ago or are back, and without our last answer about settings. */
function standingAnnotations({ announce, nowMs, isAnnounced }: AnnounceInput): Readonly<Record<string, string>> {
  const { [Annotation.left]: left, [Annotation.settingsDiffer]: _, ...others } = announce.metadata.annotations ?? {};
  const kept = left === undefined ? undefined : departuresText(departures(announce), { nowMs, isAnnounced });
  return kept === undefined ? others : { ...others, [Annotation.left]: kept };
}

/**
 * The announcements, of `others`, that do not say yet that this member has left, as they are to be. Written before it is forgotten: members that
 * are away cannot learn it later (docs/spec/wire.md §9).
 */
export function noteDeparture(
  announce: MemberClusterAnnounce,
  others: readonly MemberClusterAnnounce[],
  nowMs: number,
): readonly Change[] {
  const clusterID = announcedCluster(announce);
  if (clusterID === undefined || !isWithdrawn(announce)) return [];
  return others.filter(readsAnswers).flatMap((from) => {
    const known = departures(from);
    const { deletionTimestamp, annotations } = from.metadata;
    if (deletionTimestamp !== undefined || known.has(clusterID)) return [];
    const left = departuresText(new Map([...known, [clusterID, nowMs]]), { nowMs, isAnnounced: () => false });
    return [
      {
        from,
        to: { ...from, metadata: { ...from.metadata, annotations: { ...annotations, [Annotation.left]: left ?? '' } } },
      },
    ];
  });
}

interface Change {
  readonly from: MemberClusterAnnounce;
  readonly to: MemberClusterAnnounce;
}

/**
 * What somebody else's finalizer holds is withdrawn all the same; to wait for that would let anybody who can write exports keep another
 * cluster from leaving and from coming back.
 */
function isHeldByLeader({ metadata }: ResourceExport): boolean {
  return metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).some(isResourceExportFinalizer);
}
