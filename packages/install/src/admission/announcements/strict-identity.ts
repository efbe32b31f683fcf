import { Annotation, MemberClusterAnnounce, ResourceExport, ServiceAccount } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import {
  boundCluster,
  cannotAnnounce,
  isAccount,
  isController,
  isOfNamespace,
  isServiceAccount,
  mayExportPolicies,
} from '../caller.ts';

/**
 * For leaders whose members all have accounts that name their cluster: other accounts cannot write.
 * Not installed by default, because the older guides, and Antrea up to 2.6, have accounts without
 * the annotation.
 */
export const strictIdentityRule: AdmissionRule = {
  name: 'strict-identity',
  docs: 'Rejects every write of ResourceExports and MemberClusterAnnounces by a member that uses a ServiceAccount without the annotation `cluster-id`, or one of another Namespace.',
  types: [ResourceExport, MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  forEach: ServiceAccount,
  judges: (namespace) => `${isServiceAccount} && !(${isController(namespace)})`,
  requires: (namespace) => [
    {
      expression: [
        `(${isOfNamespace(namespace)} && (!(${isAccount(namespace)}) || ${boundCluster}.hasValue()))`,
        mayExportPolicies(namespace),
        cannotAnnounce(namespace),
      ].join(' || '),
      message: `this leader accepts writes of a member only from a ServiceAccount that names its cluster: kubectl -n ${namespace} annotate serviceaccount <name> ${Annotation.clusterID}=<cluster ID>`,
    },
  ],
};
