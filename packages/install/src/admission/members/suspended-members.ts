import { Annotation, Event, MemberClusterAnnounce, ResourceExport, ServiceAccount } from '@isthmus/api';
import { suspendedMembersPolicy } from '@isthmus/wire';
import type { AdmissionRule } from '../admission-rule.ts';
import { boundCluster, isAccount, isController, isNoMember, isOfBoundCluster, isServiceAccount } from '../caller.ts';

const suspended = `params.metadata.?annotations[?'${Annotation.suspended}']`;

/**
 * No admission limits a rate, so the leader's controller annotates the account of a member that
 * writes far more than its quota. An account that is not bound to a cluster cannot go on writing in
 * the name of one that is suspended.
 */
export const suspendedMembersRule: AdmissionRule = {
  name: suspendedMembersPolicy,
  docs: `Rejects every write of a ServiceAccount of members with the annotation \`${Annotation.suspended}\`, and writes of other ServiceAccounts to exports and announcements of its cluster.`,
  types: [ResourceExport, MemberClusterAnnounce, Event],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  forEach: ServiceAccount,
  judges: (namespace) =>
    `${suspended}.hasValue() && ${isServiceAccount} && !(${isController(namespace)}) && (${isAccount(namespace)} || (${boundCluster}.orValue('') != '' && (${isOfBoundCluster})))`,
  requires: (namespace) => [
    {
      expression: isNoMember(namespace),
      message: `this member is suspended: it wrote far more than its quota. An administrator of the leader lets it write again: kubectl -n ${namespace} annotate serviceaccount <name> ${Annotation.suspended}-`,
      messageExpression: `'this member is suspended: ' + ${suspended}.orValue('') + '. An administrator of the leader lets it write again: kubectl -n ${namespace} annotate serviceaccount ' + params.metadata.name + ' ${Annotation.suspended}-'`,
    },
  ],
};
