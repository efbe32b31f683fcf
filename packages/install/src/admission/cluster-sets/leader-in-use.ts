import { ClusterSet, MemberClusterAnnounce } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isNamespaceDeleted } from '../caller.ts';

/** A member that reports a ClusterSet with another name does not depend on this one. */
const isOfAnother = "params.?clusterSetID.orValue('') != oldObject.metadata.name";

/** The ClusterSet of a leader can only be deleted after its members have left. */
export const leaderInUseRule: AdmissionRule = {
  name: 'leader-in-use',
  docs: 'Rejects the deletion of the ClusterSet while the Namespace contains a MemberClusterAnnounce with its name, unless the whole Namespace is being deleted.',
  types: [ClusterSet],
  operations: ['DELETE'],
  forEach: MemberClusterAnnounce,
  unjudged: 'Allow',
  judges: () => 'true',
  requires: (namespace) => [
    {
      expression: `${isNamespaceDeleted} || ${isOfAnother}`,
      message: `members are still in this ClusterSet. Delete their ClusterSets first. If a member no longer exists, delete its announcement: kubectl -n ${namespace} get memberclusterannounces`,
    },
  ],
};
