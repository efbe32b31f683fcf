import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, memberAnnounceFinalizer, mirrored } from '@isthmus/api';
import { decodeReason, disconnectedAfterMs, shown } from '@isthmus/wire';
import type { LeaderProblem, SettingsVerdict } from '../../own-cluster/session-state.ts';
import { applyOnLeader } from './apply-on-leader.ts';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';

/** What the leader's controller last wrote on our announcement, and since when it owes an answer, by the monotonic clock. */
export interface LeaderAnswers {
  readonly answered: string | undefined;
  /** The ClusterSet that it serves; empty where there is none, undefined where it does not name it. */
  readonly clusterSet: string | undefined;
  readonly owesSinceMs: number | undefined;
  /** What it says about the settings of all members, as it is encoded. */
  readonly settings: string | undefined;
}

/**
 * After a look at our announcement, undefined where there is none. A leader that has answered before owes an answer to each beat, one that has not
 * (Antrea's never does) the finalizer by which it accepts the announcement. Any new answer counts, so that a slow leader is not a silent one.
 */
export function lookForAnswer(
  before: LeaderAnswers | undefined,
  announce: MemberClusterAnnounce | undefined,
  nowMs: number,
): LeaderAnswers | undefined {
  if (announce === undefined || announce.metadata.deletionTimestamp !== undefined) return undefined;
  const { annotations = {}, finalizers = [] } = announce.metadata;
  const answered = annotations[Annotation.answered];
  const isAccepted = finalizers.includes(memberAnnounceFinalizer(announce.clusterID ?? ''));
  const owes = !isAccepted || (answered !== undefined && answered !== annotations[Annotation.touchTs]);
  // That an answer is taken away is not one.
  const since = answered === undefined || before?.answered === answered ? before?.owesSinceMs : undefined;
  return {
    answered,
    clusterSet: annotations[Annotation.leaderClusterSet],
    owesSinceMs: owes ? (since ?? nowMs) : undefined,
    // Beside an answer alone: a leader of another make would leave it there.
    settings: answered === undefined ? undefined : annotations[Annotation.settingsDiffer],
  };
}

/** What is wrong at a leader whose API server answers. */
export function leaderProblem(
  answers: LeaderAnswers | undefined,
  { clusterSet, leaderClusterID, leaderNamespace }: SessionSpec,
  nowMs: number,
): LeaderProblem | undefined {
  if (answers === undefined) return undefined;
  if (answers.owesSinceMs !== undefined && nowMs - answers.owesSinceMs >= disconnectedAfterMs) {
    const why = `The API server of leader ${leaderClusterID} answers, but its controller has not answered a heartbeat for ${disconnectedAfterMs / 1000} s. Check it there: kubectl -n ${leaderNamespace} get pods,clustersets. Existing imports are kept.`;
    return { reason: 'LeaderControllerSilent', why };
  }
  if (answers.clusterSet === undefined || answers.clusterSet === clusterSet) return undefined;
  if (answers.clusterSet === '') {
    const why = `Leader ${leaderClusterID} has no ClusterSet in Namespace ${leaderNamespace}. Create ClusterSet ${shown(clusterSet)} there; one in another Namespace has no effect.`;
    return { reason: 'LeaderClusterSetMissing', why };
  }
  const why = `Leader ${leaderClusterID} serves ClusterSet ${shown(answers.clusterSet)}, but this cluster's ClusterSet is named ${shown(clusterSet)}. If the name of this one is right, delete the leader's ClusterSet and create it again with that name: no import changes. Otherwise delete this one, which removes the imports and exports of this cluster, and create it again with the leader's name.`;
  return { reason: 'OtherClusterSet', why };
}

/** What is wrong at a leader whose API server does not serve `kinds`, by names of resources; `answers`: whether it is known to answer heartbeats. */
export function kindsProblem(
  kinds: readonly string[],
  answers: boolean | undefined,
  { leaderClusterID }: SessionSpec,
): LeaderProblem | undefined {
  if (kinds.length === 0) return undefined;
  const cure = applyOnLeader('definitions', answers);
  const why = `Leader ${leaderClusterID} does not serve ${kinds.join(', ')}, so exports and imports wait. ${cure}`;
  return { reason: 'LeaderKindsMissing', why };
}

/** In what the members differ, as the leader says; undefined: it has not been heard. */
export function settingsVerdict(answers: LeaderAnswers | undefined): SettingsVerdict | undefined {
  if (answers === undefined) return undefined;
  const found = decodeReason(answers.settings);
  return found === undefined ? 'absent' : { status: 'True', reason: mirrored(found.reason), message: found.message };
}

/** Whether the leader answers heartbeats; undefined: it has not been heard. */
export function answersHeartbeats(answers: LeaderAnswers | undefined): boolean | undefined {
  if (answers === undefined) return undefined;
  if (answers.answered !== undefined) return true;
  return answers.owesSinceMs === undefined ? false : undefined;
}

/**
 * Whether to ask the leader's controller for a sign of life: its last answer is old, and it may be that of a leader whose place another has taken. One
 * of Antrea, and one of Isthmus 0.1.0, never answers; but each puts its finalizer back on an announcement at once.
 */
export function mayBeReplaced(answers: LeaderAnswers | undefined, nowMs: number): boolean {
  if (answers?.owesSinceMs === undefined || answers.answered === undefined) return false;
  return nowMs - answers.owesSinceMs >= disconnectedAfterMs;
}
