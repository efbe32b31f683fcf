import { ClusterSet } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';

/**
 * A controller serves one ClusterSet. If a second one was accepted while no policy was in force,
 * its status reports that it is not served.
 */
export const oneClusterSetRule: AdmissionRule = {
  name: 'one-cluster-set',
  docs: 'Rejects a second ClusterSet in the Namespace.',
  types: [ClusterSet],
  operations: ['CREATE'],
  forEach: ClusterSet,
  unjudged: 'Allow',
  judges: () => 'true',
  requires: (namespace) => [
    {
      // With the same name: the API server answers that it exists.
      expression: "object.metadata.?name.orValue('') == params.metadata.name",
      message: `Namespace ${namespace} has another ClusterSet, and a controller serves only one. Delete the other one first: kubectl -n ${namespace} get clustersets`,
    },
  ],
};
