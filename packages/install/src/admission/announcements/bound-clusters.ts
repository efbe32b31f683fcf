import { Annotation, MemberClusterAnnounce, ResourceExport, ServiceAccount } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { boundCluster, isAccountIn, isController, isNoMember, isOfBoundCluster, isServiceAccount } from '../caller.ts';

const accounts = `params.metadata.?annotations[?'${Annotation.clusterAccounts}']`;

/**
 * An account without a cluster can announce and export any cluster, as the older guides need it,
 * but not one that is bound to someone else. A rule sees one ServiceAccount at a time, and the
 * caller's own annotation only with its own. So the leader lists on each account those that share
 * its cluster.
 */
export const boundClustersRule: AdmissionRule = {
  name: 'bound-clusters',
  docs: `Rejects writes of exports and announcements by ServiceAccounts that are not in the annotation \`${Annotation.clusterAccounts}\` of an account of the same cluster.`,
  types: [ResourceExport, MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  forEach: ServiceAccount,
  judges: (namespace) =>
    `${accounts}.hasValue() && ${isServiceAccount} && !(${isController(namespace)}) && ${boundCluster}.orValue('') != '' && (${isOfBoundCluster})`,
  requires: (namespace) => [
    {
      expression: `${isAccountIn(`${accounts}.orValue('').split(',')`, namespace)} || ${isNoMember(namespace)}`,
      message: `this cluster belongs to another ServiceAccount. Use its token. If this account belongs to the cluster as well: kubectl -n ${namespace} annotate --overwrite serviceaccount <name> ${Annotation.clusterID}=<cluster ID>`,
    },
  ],
};
