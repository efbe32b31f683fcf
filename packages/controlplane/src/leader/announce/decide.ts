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
  answeredAgainMs,
  announcedCluster,
  departures,
  departuresText,
  disconnectedAfterMs,
  encodeReason,
  isWithdrawn,
  otherMembersText,
  unansweredForMs,
} from '@isthmus/wire';
import type { OtherMember } from '@isthmus/wire';
import type { SettingsAnswer } from './differing-settings.ts';
import type { Sighting } from './liveness.ts';
import { isForgotten } from './liveness.ts';

/**
 * How long an existing member may take to send a heartbeat after another client deleted its
 * announcement. It sends one every 15 seconds.
 */
const leftAfterMs = 20_000;

/** How often the age of a silent member is checked before it is removed: every hour of a day. */
const forgetChecks = 24;

export interface AnnounceInput {
  readonly announce: MemberClusterAnnounce;
  /**
   * The exports in the Common Area with the announced cluster ID, including those that are being
   * deleted.
   */
  readonly exports: readonly ResourceExport[];
  /** Whether an import is published that only this cluster exports. */
  readonly published: boolean;
  readonly sighting: Sighting;
  /** Whether a cluster announces itself now. */
  readonly isAnnounced: (clusterID: string) => boolean;
  /** The name of the ClusterSet that is served here. */
  readonly clusterSet: string | undefined;
  /** The settings in which clusters of the ClusterSet differ. Undefined: no known difference. */
  readonly settings?: SettingsAnswer | undefined;
  /** What its member has to know of others; default: nothing. */
  readonly others?: readonly OtherMember[] | undefined;
  /**
   * For how long this process has seen the deletion of the announcement without a heartbeat.
   * Undefined: it has received a heartbeat since.
   */
  readonly deletedMs: number | undefined;
  readonly nowMonotonicMs: number;
  /** Wall clock, epoch milliseconds. */
  readonly nowMs: number;
  /** See `silence.ts`. */
  readonly forgottenAfterMs: number;
}

export type AnnounceDecision =
  /**
   * The leader keeps watching it. It gets this metadata: our finalizer and, for a member that reads
   * it, our answer.
   */
  | { readonly kind: 'keep'; readonly metadata: MemberClusterAnnounce['metadata']; readonly lookAgainMs: number }
  /** The member has been silent for too long: withdraw its announcement. Its exports go with it. */
  | { readonly kind: 'forget' }
  /**
   * It is being deleted without the member's own mark. Wait to see if the member still sends
   * heartbeats.
   */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** It is being deleted, and the member no longer sends heartbeats: it has left. */
  | { readonly kind: 'mark' }
  /**
   * Its member has left: its exports are removed first. Empty if only earlier deletions are still
   * in progress.
   */
  | { readonly kind: 'purge'; readonly exports: readonly ResourceExport[] }
  /**
   * It is being deleted, and the leader removes its own finalizer. Either no object of its member
   * is left, or the member keeps sending heartbeats and will announce itself again. `finalizers`:
   * those that stay.
   */
  | { readonly kind: 'release'; readonly finalizers: readonly string[] }
  /** It is not valid for any cluster; the client that created it must remove it. */
  | {
      readonly kind: 'reject';
      readonly reason: ReasonOn<typeof leaderClusterSetStatus, 'clusterStatuses[].Ready=False'>;
      readonly message: string;
    };

/**
 * Decides about one announcement and the exports of its member (docs/spec/membership.md §3, §4).
 */
export function decideAnnounce(input: AnnounceInput): AnnounceDecision {
  const { announce, exports, sighting } = input;
  const { finalizers = [], deletionTimestamp } = announce.metadata;
  const ours = memberAnnounceFinalizer(announce.clusterID ?? '');
  // Its cluster ID may have been changed after the leader added its finalizer.
  const release = {
    kind: 'release',
    finalizers: finalizers.filter((name) => !isMemberAnnounceFinalizer(name)),
  } as const;
  const problem = announceProblem(announce);
  if (problem !== undefined) return deletionTimestamp === undefined ? { kind: 'reject', ...problem } : release;
  if (deletionTimestamp !== undefined) {
    if (!isWithdrawn(announce)) {
      // Another client deleted it: the member's exports still belong to the member.
      if (input.deletedMs === undefined) return release;
      const leftMs = leftAfterMs - input.deletedMs;
      return leftMs > 0 ? { kind: 'wait', forMs: leftMs } : { kind: 'mark' };
    }
    if (!exports.some(hasLeaderFinalizer) && !input.published) return release;
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
      annotations: { ...existingAnnotations(input), ...answerTo(input) },
    },
    lookAgainMs: silentMs <= disconnectedAfterMs ? disconnectedAfterMs + 1_000 : input.forgottenAfterMs / forgetChecks,
  };
}

/**
 * The answer to a heartbeat of a member that reads answers. For other members it would be a
 * useless write (docs/spec/membership.md §3). The last answer stays while it is recent, by the
 * clock of the member, and nothing in it changes.
 */
function answerTo({
  announce,
  clusterSet = '',
  settings,
  others = [],
}: AnnounceInput): Readonly<Record<string, string>> {
  const { [Annotation.touchTs]: touchTs = '' } = announce.metadata.annotations ?? {};
  if (!readsAnswers(announce)) return {};
  const otherMembers = otherMembersText(others);
  const content = {
    [Annotation.leaderClusterSet]: clusterSet,
    ...(settings !== undefined && { [Annotation.settingsDiffer]: encodeReason(settings) }),
    ...(otherMembers !== undefined && { [Annotation.otherMembers]: otherMembers }),
  };
  const { [Annotation.answered]: last = '', ...before } = announce.metadata.annotations ?? {};
  const parts = [Annotation.leaderClusterSet, Annotation.settingsDiffer, Annotation.otherMembers] as const;
  const isSame = parts.every((key) => before[key] === content[key]) && before[Annotation.dottedNames] === last;
  const ageMs = unansweredForMs(announce.metadata.annotations);
  const at = isSame && ageMs >= 0 && ageMs < answeredAgainMs ? last : touchTs;
  return { ...content, [Annotation.answered]: at, [Annotation.dottedNames]: at };
}

/** Whether its member runs a product that reads a leader's answers. */
function readsAnswers({ metadata }: MemberClusterAnnounce): boolean {
  const { [Annotation.touchTs]: touchTs = '', [Annotation.marksAt]: marksAt } = metadata.annotations ?? {};
  return touchTs !== '' && marksAt === touchTs;
}

/**
 * The existing annotations, without clusters that left long ago or are back, and without our last
 * answer about settings and others.
 */
function existingAnnotations({ announce, nowMs, isAnnounced }: AnnounceInput): Readonly<Record<string, string>> {
  const {
    [Annotation.left]: left,
    [Annotation.settingsDiffer]: _settings,
    [Annotation.otherMembers]: _members,
    ...others
  } = announce.metadata.annotations ?? {};
  const kept = left === undefined ? undefined : departuresText(departures(announce), { nowMs, isAnnounced });
  return kept === undefined ? others : { ...others, [Annotation.left]: kept };
}

/**
 * Those announcements in `others` that do not yet record the departure of this member, with the
 * record added. It is written before the member is removed: members that are disconnected cannot
 * learn it later (docs/spec/wire.md §9).
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
 * An object with the finalizer of another client is withdrawn nonetheless. Otherwise any client
 * that can write exports could keep another cluster from leaving and coming back.
 */
function hasLeaderFinalizer({ metadata }: ResourceExport): boolean {
  return metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).some(isResourceExportFinalizer);
}
