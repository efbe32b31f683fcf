import type { ReasonOn, Verdict, memberClusterSetStatus } from '@isthmus/api';

/** Why there is no session, as the conditions of the leader's entry report it. */
export type LostReason = ReasonOn<typeof memberClusterSetStatus, 'clusterStatuses[].ClusterConnected=False'>;

/** What is wrong at a leader whose API server answers. */
export interface LeaderProblem {
  readonly reason: Exclude<ReasonOn<typeof memberClusterSetStatus, 'clusterStatuses[].Ready=False'>, LostReason>;
  readonly why: string;
}

/** What a leader of Antrea asks of a member's token, and this one lacks; `absent`: nothing that is known. */
export type TokenVerdict = Verdict<typeof memberClusterSetStatus, 'TokenNotBound'> | 'absent';

/** In what the members differ, as the leader says; `absent`: nothing that is known. */
export type SettingsVerdict = Verdict<typeof memberClusterSetStatus, 'SettingsDiffer'> | 'absent';

/** What the member knows of its session with the leader; shown in the ClusterSet's status. */
export type SessionState =
  /** No heartbeat has been answered yet. */
  | { readonly kind: 'connecting'; readonly why?: string | undefined }
  /** The leader's API server answers; `problem`: something is wrong behind it. */
  | { readonly kind: 'connected'; readonly problem?: LeaderProblem | undefined }
  | {
      readonly kind: 'disconnected';
      readonly reason: LostReason;
      readonly why: string;
    };
