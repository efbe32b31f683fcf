import type { ReasonOn, memberClusterSetStatus } from '@isthmus/api';

/** Why there is no session, as the conditions of the leader's entry report it. */
export type LostReason = ReasonOn<typeof memberClusterSetStatus, 'clusterStatuses[].Ready=False'>;

/** What the member knows of its session with the leader; shown in the ClusterSet's status. */
export type SessionState =
  /** No heartbeat has been answered yet. */
  | { readonly kind: 'connecting'; readonly why?: string | undefined }
  | { readonly kind: 'connected' }
  | {
      readonly kind: 'disconnected';
      readonly reason: LostReason;
      readonly why: string;
    };
