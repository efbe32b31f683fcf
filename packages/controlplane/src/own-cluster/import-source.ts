import type { LeaderSession } from './leader-session.ts';

/** The source of the imports that a member wants. */
export type ImportSource =
  | { readonly kind: 'session'; readonly session: LeaderSession }
  /** No import is wanted: the cluster is in no ClusterSet, or is leaving it. */
  | { readonly kind: 'none' };
