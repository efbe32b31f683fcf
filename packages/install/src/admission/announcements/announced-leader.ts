import { ClusterSet, MemberClusterAnnounce } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';

const announced = (object: string) => `${object}.?leaderClusterID.orValue('')`;
const leader = "params.?spec.?leaders[?0].?clusterID.orValue('')";

/**
 * A member that uses another ID for its leader is connected to another leader than its
 * administrator thinks. Heartbeats of an existing announcement are accepted.
 */
export const announcedLeaderRule: AdmissionRule = {
  name: 'announced-leader',
  docs: "Rejects creating a MemberClusterAnnounce, or changing its `leaderClusterID`, if `leaderClusterID` is not the leader of the Namespace's ClusterSet.",
  types: [MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE'],
  forEach: ClusterSet,
  unjudged: 'Allow',
  judges: () => `oldObject == null || ${announced('object')} != ${announced('oldObject')}`,
  requires: () => [
    {
      expression: `${leader} == '' || ${leader} == ${announced('object')}`,
      message:
        'leaderClusterID must be the cluster ID of this leader. In the ClusterSet of the member, spec.leaders[0].clusterID must be the spec.clusterID of the ClusterSet of the leader',
    },
  ],
};
