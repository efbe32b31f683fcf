import { ClusterClaim, ClusterClaimName, ClusterSet } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isNamespaceDeleted } from '../caller.ts';

const value = (object: string) => `${object}.?value.orValue('')`;
const names = Object.values(ClusterClaimName);
// In v1alpha1 the name of a claim is a field.
const name = "object.?name.orValue(object.metadata.?name.orValue(''))";
const members = "params.?spec.?members.orValue([]).map(member, member.?clusterID.orValue(''))";
const leaders = "params.?spec.?leaders.orValue([]).map(leader, leader.?clusterID.orValue(''))";

/** Accepts the claims that Antrea 1.5 to 1.12 accepts (docs/spec/wire.md §10). */
export const clusterClaimsRule: AdmissionRule = {
  name: 'cluster-claims',
  docs: `Rejects a ClusterClaim with a name other than \`${ClusterClaimName.clusterID}\` and \`${ClusterClaimName.clusterSet}\`, and a change of its value.`,
  types: [ClusterClaim],
  operations: ['CREATE', 'UPDATE'],
  judges: () => 'true',
  requires: () => [
    {
      expression: `request.operation != 'CREATE' || ${name} in [${names.map((one) => `'${one}'`).join(', ')}]`,
      message: `a ClusterClaim must be named ${ClusterClaimName.clusterID} or ${ClusterClaimName.clusterSet}: other names have no effect`,
    },
    {
      expression: `request.operation != 'UPDATE' || ${value('object')} == ${value('oldObject')}`,
      message: 'the value of a ClusterClaim cannot be changed. Delete it, and create another one',
    },
  ],
};

/** A ClusterSet with a cluster ID of its own does not need a claim. */
export const claimsInUseRule: AdmissionRule = {
  name: 'claims-in-use',
  docs: 'Rejects the deletion of a ClusterClaim with the name of the ClusterSet or the ID of one of its clusters, while the ClusterSet has no `spec.clusterID`.',
  types: [ClusterClaim],
  operations: ['DELETE'],
  forEach: ClusterSet,
  unjudged: 'Allow',
  judges: () => "params.?spec.?clusterID.orValue('') == ''",
  requires: () => [
    {
      expression: `${isNamespaceDeleted} || !(${value('oldObject')} in [params.metadata.name] + ${leaders} + ${members})`,
      message:
        'a ClusterSet without spec.clusterID refers to this ClusterClaim. Set spec.clusterID of the ClusterSet, or delete it first',
    },
  ],
};
