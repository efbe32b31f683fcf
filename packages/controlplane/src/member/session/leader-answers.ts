import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, memberAnnounceFinalizer, mirrored } from '@isthmus/api';
import { answeredAgainMs, decodeReason, shown, unansweredForMs } from '@isthmus/wire';
import type { LeaderProblem, SettingsVerdict } from '../../own-cluster/session-state.ts';
import { applyOnLeader } from './apply-on-leader.ts';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';

/** A leader answers every second heartbeat. How long the first one without an answer may wait. */
export const unansweredAfterMs = 40_000;

/**
 * The leader's last answer on our announcement, and since when an answer is due, by the monotonic
 * clock.
 */
export interface LeaderAnswers {
  readonly answered: string | undefined;
  /**
   * The ClusterSet that it serves. Empty if there is none, undefined if the answer does not name
   * it.
   */
  readonly clusterSet: string | undefined;
  /** It accepts exports with dotted names. */
  readonly acceptsDotted: boolean;
  readonly owesSinceMs: number | undefined;
  /** Its report about the settings of all members, in encoded form. */
  readonly settings: string | undefined;
  /** What it reports of other members, in encoded form. */
  readonly others: string | undefined;
}

/**
 * The state after a look at our announcement, which is undefined if missing. A leader that has
 * answered before has to answer every second heartbeat. A leader that has not, as Antrea's never
 * does, has to set the finalizer by which it accepts the announcement. Any new answer counts, so
 * that a slow leader does not count as silent.
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
  // The removal of an answer is not an answer.
  const since = answered === undefined || before?.answered === answered ? before?.owesSinceMs : undefined;
  return {
    answered,
    clusterSet: annotations[Annotation.leaderClusterSet],
    // Another leader that takes over leaves the annotation as it was.
    acceptsDotted: answered !== undefined && annotations[Annotation.dottedNames] === answered,
    owesSinceMs: owes ? (since ?? nowMs) : undefined,
    // Read only together with an answer: a leader of another product would leave it unchanged.
    settings: answered === undefined ? undefined : annotations[Annotation.settingsDiffer],
    others: answered === undefined ? undefined : annotations[Annotation.otherMembers],
  };
}

/**
 * Whether the leader's controller shows that it works: by a new answer, by one that is so young
 * that the next is not due, or because it never answers.
 */
export function showsLife(
  before: LeaderAnswers | undefined,
  now: LeaderAnswers | undefined,
  announce: MemberClusterAnnounce | undefined,
): boolean {
  if (now === undefined) return false;
  if (now.owesSinceMs === undefined) return true;
  if (now.answered === undefined) return false;
  if (before?.answered !== undefined && before.answered !== now.answered) return true;
  const ageMs = unansweredForMs(announce?.metadata.annotations);
  return ageMs >= 0 && ageMs < answeredAgainMs;
}

/** The problem of a leader whose API server answers. */
export function leaderProblem(
  answers: LeaderAnswers | undefined,
  { clusterSet, leaderClusterID, leaderNamespace }: SessionSpec,
  nowMs: number,
): LeaderProblem | undefined {
  if (answers === undefined) return undefined;
  if (answers.owesSinceMs !== undefined && nowMs - answers.owesSinceMs >= unansweredAfterMs) {
    const why = `The API server of leader ${leaderClusterID} answers, but its controller has not answered a heartbeat for ${unansweredAfterMs / 1000} s. Check it there: kubectl -n ${leaderNamespace} get pods,clustersets. Existing imports are kept.`;
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

/**
 * The problem of a leader whose API server does not serve `kinds`, given by names of resources.
 * `answers`: whether it is known to answer heartbeats.
 */
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

/**
 * The settings in which the members differ, as the leader reports. Undefined: it has not answered.
 */
export function settingsVerdict(answers: LeaderAnswers | undefined): SettingsVerdict | undefined {
  if (answers === undefined) return undefined;
  const found = decodeReason(answers.settings);
  return found === undefined ? 'absent' : { status: 'True', reason: mirrored(found.reason), message: found.message };
}

/** Whether the leader answers heartbeats. Undefined: not known. */
export function answersHeartbeats(answers: LeaderAnswers | undefined): boolean | undefined {
  if (answers === undefined) return undefined;
  if (answers.answered !== undefined) return true;
  return answers.owesSinceMs === undefined ? false : undefined;
}

/** Whether the leader accepts exports with dotted names. Undefined: not known. */
export function acceptsDottedNames(answers: LeaderAnswers | undefined): boolean | undefined {
  return answersHeartbeats(answers) === undefined ? undefined : answers?.acceptsDotted;
}

/**
 * Whether to ask the leader's controller for a sign of life: its last answer is old, and may be
 * from a former leader that another has replaced. Leaders of Antrea and of Isthmus 0.1.0 never
 * answer, but both restore their finalizer on an announcement at once.
 */
export function mayBeReplaced(answers: LeaderAnswers | undefined, nowMs: number): boolean {
  if (answers?.owesSinceMs === undefined || answers.answered === undefined) return false;
  return nowMs - answers.owesSinceMs >= unansweredAfterMs;
}
