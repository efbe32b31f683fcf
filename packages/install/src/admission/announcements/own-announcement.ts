import { Annotation, MemberClusterAnnounce, ServiceAccount, clusterIDPattern, memberAnnounceName } from '@isthmus/api';
import { maxLabelLength } from '@isthmus/machinery';
import type { AdmissionRule } from '../admission-rule.ts';
import { boundCluster, isAccount } from '../caller.ts';

const announced = (object: string) => `${object}.?clusterID.orValue('')`;

const ownOnly =
  'a member writes the MemberClusterAnnounce of its own cluster only: clusterID must be the annotation cluster-id of its ServiceAccount. Give each cluster the token of its own ServiceAccount. If this cluster alone uses the account, run on the leader';
const annotate = (namespace: string) => `kubectl -n ${namespace} annotate --overwrite serviceaccount`;
/** A text that cannot be an ID is not repeated in a command. */
const isPlain = `${announced('object')}.size() <= ${maxLabelLength} && ${announced('object')}.matches('${clusterIDPattern}')`;

/**
 * Which announcement a ServiceAccount of the leader's Namespace may write: docs/spec/wire.md §10.
 * An account without the annotation may announce any cluster, as in the older guides.
 */
export const ownAnnouncementRule: AdmissionRule = {
  name: 'own-announcement',
  docs: 'Rejects MemberClusterAnnounces of other clusters if the ServiceAccount has the annotation `cluster-id`. Rejects announcements of every ServiceAccount if they change their cluster or are not named after it.',
  types: [MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  forEach: ServiceAccount,
  judges: isAccount,
  requires: (namespace) => [
    {
      expression: `!${boundCluster}.hasValue() || (request.operation == 'DELETE' ? ${announced('oldObject')} : ${announced('object')}) == ${boundCluster}.orValue('')`,
      message: `${ownOnly}: ${annotate(namespace)} <name> ${Annotation.clusterID}=<cluster ID>`,
      messageExpression: `'${ownOnly}: ${annotate(namespace)} ' + params.metadata.name + ' ${Annotation.clusterID}=' + (${isPlain} ? ${announced('object')} : '<cluster ID>')`,
    },
    {
      expression: `request.operation != 'UPDATE' || ${announced('object')} == ${announced('oldObject')}`,
      message: 'clusterID of a MemberClusterAnnounce cannot be changed. Delete it, and create another one',
    },
    {
      expression: `request.operation != 'CREATE' || object.metadata.name == '${memberAnnounceName('')}' + ${announced('object')}`,
      message: `the name of a MemberClusterAnnounce must be ${memberAnnounceName('<clusterID>')}`,
    },
  ],
};
