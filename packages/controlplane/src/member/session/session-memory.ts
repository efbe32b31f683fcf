import type { MemberClusterAnnounce } from '@isthmus/api';
import type { OtherMember } from '@isthmus/wire';
import { parseOtherMembers } from '@isthmus/wire';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { LeaderAnswers } from './leader-answers.ts';
import {
  acceptsDottedNames,
  answersHeartbeats,
  leaderProblem,
  lookForAnswer,
  settingsVerdict,
  showsLife,
  unansweredAfterMs,
} from './leader-answers.ts';

/**
 * A session's memory of its leader. It is lost with the session. All times are from the monotonic
 * clock.
 */
export interface SessionMemory {
  readonly answers: LeaderAnswers | undefined;
  /** It is kept while the announcement is missing because the Common Area was lost. */
  readonly leaderAnswers: boolean | undefined;
  /** As `leaderAnswers`: whether it accepts exports with dotted names. */
  readonly acceptsDotted: boolean | undefined;
  /** What the leader last reported of other members, by their IDs. */
  readonly others: ReadonlyMap<string, OtherMember>;
  /** Whether the leader has answered in this session, or a moment before it, or need not answer. */
  readonly isHeard: boolean;
  /** When our announcement was last created. */
  readonly announcedMs: number | undefined;
  /** When the leader last showed that it works. */
  readonly answeredMs: number | undefined;
}

export const newSession: SessionMemory = {
  answers: undefined,
  leaderAnswers: undefined,
  acceptsDotted: undefined,
  others: new Map(),
  isHeard: false,
  announcedMs: undefined,
  answeredMs: undefined,
};

/** The state after a change of the announcement; undefined: it is gone. */
export function sawAnnounce(
  memory: SessionMemory,
  announce: MemberClusterAnnounce | undefined,
  nowMs: number,
): SessionMemory {
  const answers = lookForAnswer(memory.answers, announce, nowMs);
  return {
    ...memory,
    answers,
    leaderAnswers: answersHeartbeats(answers) ?? memory.leaderAnswers,
    acceptsDotted: acceptsDottedNames(answers) ?? memory.acceptsDotted,
    others: answers?.answered === undefined ? memory.others : parseOtherMembers(answers.others),
    isHeard: memory.isHeard || showsLife(memory.answers, answers, announce),
  };
}

/** When an answer from the leader is overdue; undefined: no answer is due. */
export function overdueAtMs({ answers }: SessionMemory): number | undefined {
  return answers?.owesSinceMs === undefined ? undefined : answers.owesSinceMs + unansweredAfterMs;
}

/** When the Common Area last lost objects that no member withdraws; undefined: never. */
export function lastAreaLossMs({ announcedMs }: SessionMemory, seenMs: number | undefined): number | undefined {
  const times = [seenMs, announcedMs].filter((ms) => ms !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The part of the leader's answers that is reported. Two equal texts need no second report. */
export function reportedAnswers(
  { answers, leaderAnswers, acceptsDotted, others, isHeard }: SessionMemory,
  spec: SessionSpec,
  nowMs: number,
): string {
  const problem = leaderProblem(answers, spec, nowMs);
  return JSON.stringify([
    problem,
    settingsVerdict(answers),
    [...others.values()],
    isHeard,
    leaderAnswers,
    acceptsDotted,
  ]);
}
