import { defineStatus } from './define-status.ts';
import { networkConflictReasons } from './network-conflict.ts';

/** What a member reports on ClusterInfoImports. */
export const clusterInfoImportStatus = defineStatus({
  kind: 'ClusterInfoImport',
  title: 'ClusterInfoImport',
  writer: 'member',
  conditions: {
    NetworkConflict: {
      meaning:
        'Present while a range of that cluster is not used, or another cluster announces one that overlaps with it.',
      wanted: 'absent',
      mirrors: 'the leader',
    },
  },
  reasons: {
    ...networkConflictReasons,
    ClusterInfoRejected: {
      on: ['Event', 'Event on the ClusterSet'],
      severity: 'error',
      meaning: 'The API server of this cluster rejects the network that the other cluster publishes.',
      cure: 'Read the message: it names the field. Correct the Gateway or the configuration in the other cluster.',
    },
    ForeignClusterInfoImport: {
      on: ['Event'],
      severity: 'error',
      meaning: 'A ClusterInfoImport of that name exists and was not created by Isthmus. It is not changed.',
      cure: 'Delete the ClusterInfoImport to import the network of that cluster.',
    },
  },
});
