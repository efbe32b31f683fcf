import { Annotation, MemberClusterAnnounce, ServiceAccount, clusterIDPattern, memberAnnounceName } from '@isthmus/api';
import { maxLabelLength } from '@isthmus/machinery';
import type { AdmissionRule } from '../admission-rule.ts';
import {
  boundCluster,
  cannotAnnounce,
  isAccount,
  isOfNamespace,
  isServiceAccount,
  mayExportPolicies,
} from '../caller.ts';

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
  docs: 'Rejects MemberClusterAnnounces of other clusters if the ServiceAccount has the annotation `cluster-id`. Rejects announcements of every ServiceAccount if they change their cluster or are not named after it. Rejects all writes of announcements except deletions if the ServiceAccount has the Role of members but is in another Namespace.',
  types: [MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  forEach: ServiceAccount,
  judges: (namespace) => `${isAccount(namespace)} || (${isServiceAccount} && !${isOfNamespace(namespace)})`,
  requires: (namespace) => [
    {
      // ServiceAccounts of another Namespace also belong to the Namespace controller, to the
      // garbage collector, which removes its own finalizers, and to the migration of stored objects
      // to another version. They announce no cluster.
      expression: [
        isOfNamespace(namespace),
        "request.operation == 'DELETE'",
        mayExportPolicies(namespace),
        cannotAnnounce(namespace),
      ].join(' || '),
      message: `a member must announce itself with a ServiceAccount of Namespace ${namespace}. Create the ServiceAccount there, and give the member its token`,
    },
    {
      expression: `!(${isAccount(namespace)}) || !${boundCluster}.hasValue() || (request.operation == 'DELETE' ? ${announced('oldObject')} : ${announced('object')}) == ${boundCluster}.orValue('')`,
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
