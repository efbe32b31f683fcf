import { defineStatus } from './define-status.ts';

/** What a member reports on ClusterInfoImports. */
export const clusterInfoImportStatus = defineStatus({
  kind: 'ClusterInfoImport',
  title: 'ClusterInfoImport',
  writer: 'member',
  conditions: {},
  reasons: {
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
