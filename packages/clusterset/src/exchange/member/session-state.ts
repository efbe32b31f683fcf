/** What the member knows of its session with the leader; shown in the ClusterSet's status. */
export type SessionState =
  /** No heartbeat has been answered yet. */
  | { readonly kind: 'connecting'; readonly why?: string | undefined }
  | { readonly kind: 'connected' }
  | {
      readonly kind: 'disconnected';
      readonly reason: 'Disconnected' | 'Unauthorized' | 'Refused';
      readonly why: string;
    };
