import { accountBindingsRule } from './announcements/account-bindings.ts';
import type { AdmissionRule } from './admission-rule.ts';
import { announcedByRule } from './announcements/announced-by.ts';
import { announcedLeaderRule } from './announcements/announced-leader.ts';
import { claimsInUseRule, clusterClaimsRule } from './cluster-sets/cluster-claims.ts';
import { boundClustersRule } from './announcements/bound-clusters.ts';
import { clusterIDPairsRule } from './cluster-sets/cluster-id-pairs.ts';
import { leaderIDsRule, memberIDsRule } from './cluster-sets/cluster-set-ids.ts';
import { exportNamesRule } from './exports/export-names.ts';
import { gatewaysRule } from './gateways.ts';
import { knownClustersRule } from './known-clusters.ts';
import { leaderInUseRule } from './cluster-sets/leader-in-use.ts';
import { memberEventsRule } from './members/member-events.ts';
import { memberMetadataRule } from './members/member-metadata.ts';
import { memberSizesRule } from './members/member-sizes.ts';
import { memberTokensRule } from './members/member-tokens.ts';
import { membersElsewhereRule } from './members/members-elsewhere.ts';
import { suspendedMembersRule } from './members/suspended-members.ts';
import { oneClusterSetRule } from './cluster-sets/one-cluster-set.ts';
import { ownAnnouncementRule } from './announcements/own-announcement.ts';
import { ownExportsRule } from './exports/own-exports.ts';
import { ownObjectsRule } from './own-objects.ts';
import { policyExportsRule } from './exports/policy-exports.ts';

const claimRules = [clusterClaimsRule, claimsInUseRule];

/**
 * The rules for the Namespace of a leader's controller, in the order in which the policies are
 * created.
 */
export const leaderRules: readonly AdmissionRule[] = [
  policyExportsRule,
  ownExportsRule,
  exportNamesRule,
  clusterIDPairsRule,
  ownAnnouncementRule,
  boundClustersRule,
  announcedLeaderRule,
  announcedByRule,
  accountBindingsRule,
  membersElsewhereRule,
  memberMetadataRule,
  memberSizesRule,
  memberEventsRule,
  memberTokensRule,
  suspendedMembersRule,
  oneClusterSetRule,
  leaderIDsRule,
  leaderInUseRule,
  knownClustersRule,
  ...claimRules,
];

/** The rules for the Namespace of a member's controller. */
export const memberRules: readonly AdmissionRule[] = [
  oneClusterSetRule,
  memberIDsRule,
  gatewaysRule,
  knownClustersRule,
  ownObjectsRule,
  ...claimRules,
];
