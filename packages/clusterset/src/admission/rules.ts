import { accountBindingsRule } from './account-bindings.ts';
import type { AdmissionRule } from './admission-rule.ts';
import { announcedByRule } from './announced-by.ts';
import { announcedLeaderRule } from './announced-leader.ts';
import { claimsInUseRule, clusterClaimsRule } from './cluster-claims.ts';
import { clusterIDPairsRule } from './cluster-id-pairs.ts';
import { leaderIDsRule, memberIDsRule } from './cluster-set-ids.ts';
import { exportNamesRule } from './export-names.ts';
import { gatewaysRule } from './gateways.ts';
import { leaderInUseRule } from './leader-in-use.ts';
import { oneClusterSetRule } from './one-cluster-set.ts';
import { ownAnnouncementRule } from './own-announcement.ts';
import { ownExportsRule } from './own-exports.ts';
import { policyExportsRule } from './policy-exports.ts';

const claimRules = [clusterClaimsRule, claimsInUseRule];

/** What the API server of a leader rejects in the Namespace of the controller, in the order in which the policies are created. */
export const leaderRules: readonly AdmissionRule[] = [
  policyExportsRule,
  ownExportsRule,
  exportNamesRule,
  clusterIDPairsRule,
  ownAnnouncementRule,
  announcedLeaderRule,
  announcedByRule,
  accountBindingsRule,
  oneClusterSetRule,
  leaderIDsRule,
  leaderInUseRule,
  ...claimRules,
];

/** The same of a member. */
export const memberRules: readonly AdmissionRule[] = [oneClusterSetRule, memberIDsRule, gatewaysRule, ...claimRules];
