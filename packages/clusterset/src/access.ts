import type { Access } from '@isthmus/kube';
import { memberAnnounceAccess } from './leader/announce/reconcile.ts';
import { leaderClusterSetAccess } from './leader/cluster-set/reconcile.ts';
import { serviceMergeAccess } from './exchanges/service/leader/reconcile.ts';
import { unservedKindsAccess } from './leader/unserved-kinds.ts';
import { memberClusterSetAccess } from './member/cluster-set/reconcile.ts';
import { serviceExportAccess } from './exchanges/service/export/reconcile.ts';
import { serviceImportAccess } from './exchanges/service/import/reconcile.ts';
import { sessionAccess } from './member/session/access.ts';

/** All that a leader does to its API server; leader election and events come on top. */
export const leaderAccess: readonly Access[] = [
  ...leaderClusterSetAccess,
  ...memberAnnounceAccess,
  ...serviceMergeAccess,
  ...unservedKindsAccess,
];

/** All that a member does, to its own API server (`at: local`) and to the leader's (`at: leader`). */
export const memberAccess: readonly Access[] = [
  ...memberClusterSetAccess,
  ...sessionAccess,
  ...serviceExportAccess,
  ...serviceImportAccess,
];
