import { ClusterSet, MemberClusterAnnounce } from '@isthmus/api';
import type { AdmissionRule } from './admission-rule.ts';
import { isNamespaceDeleted } from './caller.ts';

/** The ClusterSet of a leader is deleted last. */
export const leaderInUseRule: AdmissionRule = {
  name: 'leader-in-use',
  docs: 'Rejects the deletion of the ClusterSet while the Namespace contains a MemberClusterAnnounce, except where the whole Namespace is deleted.',
  types: [ClusterSet],
  operations: ['DELETE'],
  forEach: MemberClusterAnnounce,
  unjudged: 'Allow',
  judges: () => 'true',
  requires: (namespace) => [
    {
      expression: isNamespaceDeleted,
      message: `members are still in this ClusterSet. Delete their ClusterSets first. If a member no longer exists, delete its announcement: kubectl -n ${namespace} get memberclusterannounces`,
    },
  ],
};
