import type { LeaderSession } from './leader-session.ts';

/** Where the imports that a member wants come from. */
export type ImportSource =
  | { readonly kind: 'session'; readonly session: LeaderSession }
  /** Nothing is wanted: the cluster is in no ClusterSet, or is leaving it. */
  | { readonly kind: 'none' };
