import { Annotation, ServiceAccount } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { boundCluster } from '../caller.ts';

const idOf = (object: string) => `${object}.metadata.?annotations[?'${Annotation.clusterID}'].orValue('')`;
const own = idOf('object');
const other = `${boundCluster}.orValue('')`;
const isChanged = `request.operation == 'CREATE' || ${idOf('oldObject')} != ${own}`;

/**
 * Exports begin with the ID of their cluster and a dash, and Namespaces and names contain dashes as
 * well. So `evil` can use the names of `evil-shop` (docs/spec/wire.md §5). Antrea 2.7 rejects the
 * announcement of the second cluster. This rule rejects its account, before the cluster has
 * anything to lose. Existing accounts stay.
 */
export const clusterIDPairsRule: AdmissionRule = {
  name: 'cluster-id-pairs',
  docs: 'Rejects a ServiceAccount if the `cluster-id` of another ServiceAccount of the Namespace begins with its own `cluster-id` and a dash, or the reverse: their exports could get the same names.',
  types: [ServiceAccount],
  operations: ['CREATE', 'UPDATE'],
  forEach: ServiceAccount,
  judges: () => `${own} != '' && ${other} != '' && (${isChanged}) && params.metadata.name != object.metadata.name`,
  requires: () => [
    {
      expression: `!${own}.startsWith(${other} + '-') && !${other}.startsWith(${own} + '-')`,
      message:
        'the cluster-id of another ServiceAccount of this Namespace begins with this cluster-id and a dash, or the reverse, so exports of the two clusters could get the same names. Give the new cluster another ID',
    },
  ],
};
