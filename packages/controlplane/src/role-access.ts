import type { ControllerAccess } from './controller-access.ts';
import { mergeAccess } from './common-area/reconcile.ts';
import { unservedKindsAccess } from './common-area/unserved-exports.ts';
import { exchanges } from './exchanges/index.ts';
import { allotmentAccess } from './exchanges/cluster-info/leader/allotment/reconcile.ts';
import { memberAccountsAccess } from './leader/accounts/reconcile.ts';
import { memberAnnounceAccess } from './leader/announce/reconcile.ts';
import { knownClustersAccess } from './leader/known-clusters/reconcile.ts';
import { leaderClusterSetAccess } from './leader/cluster-set/reconcile.ts';
import { gatewayAccess } from './member/gateway/reconcile.ts';
import { memberClusterSetAccess } from './member/cluster-set/reconcile.ts';
import { unwatchedClusterSetsAccess } from './member/unwatched-cluster-sets.ts';
import { sessionAccess } from './member/session/access.ts';
import { tokenCheckAccess } from './member/session/token-check.ts';
import { renewalAccess } from './member/token/renewal.ts';

/** The access of a leader to its API server, without leader election and Events. */
export const leaderAccess: readonly ControllerAccess[] = [
  ...leaderClusterSetAccess,
  ...memberAnnounceAccess,
  ...memberAccountsAccess,
  ...mergeAccess,
  ...unservedKindsAccess,
  ...knownClustersAccess,
  ...allotmentAccess,
];

/**
 * The access of a member to its own API server (`at: local`) and to the leader's (`at: leader`).
 */
export const memberAccess: readonly ControllerAccess[] = [
  ...memberClusterSetAccess,
  ...unwatchedClusterSetsAccess,
  ...gatewayAccess,
  ...sessionAccess,
  ...tokenCheckAccess,
  ...renewalAccess,
  ...exchanges.flatMap(({ member }) => member.access),
];
