import type { ReasonOn, Verdict, memberClusterSetStatus } from '@isthmus/api';

/** Why there is no session, as the conditions of the leader's entry report it. */
export type LostReason = ReasonOn<typeof memberClusterSetStatus, 'clusterStatuses[].ClusterConnected=False'>;

/** A problem of a leader whose API server answers. */
export interface LeaderProblem {
  readonly reason: Exclude<ReasonOn<typeof memberClusterSetStatus, 'clusterStatuses[].Ready=False'>, LostReason>;
  readonly why: string;
}

/**
 * What an Antrea leader requires of a member's token and this token lacks; `absent`: no known
 * problem.
 */
export type TokenVerdict = Verdict<typeof memberClusterSetStatus, 'TokenNotBound'> | 'absent';

/** Why the token of a session will expire. */
export interface TokenProblem {
  /** When, by the clock of the leader, RFC 3339. */
  readonly expires: string;
  readonly why: string;
}

/**
 * The settings in which the members differ, as the leader reports; `absent`: no known difference.
 */
export type SettingsVerdict = Verdict<typeof memberClusterSetStatus, 'SettingsDiffer'> | 'absent';

/** The state of the session with the leader that the ClusterSet's status shows. */
export type SessionState =
  /** No heartbeat has been answered yet. */
  | { readonly kind: 'connecting'; readonly why?: string | undefined }
  /**
   * The leader's API server answers. `problem`: another part of the leader has a problem.
   * `isUnheard`: its controller has to answer, and has not done so in this session.
   */
  | {
      readonly kind: 'connected';
      readonly problem?: LeaderProblem | undefined;
      readonly isUnheard?: boolean | undefined;
    }
  | {
      readonly kind: 'disconnected';
      readonly reason: LostReason;
      readonly why: string;
    };
