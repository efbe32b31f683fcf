import { defineStatus } from './define-status.ts';

/** What a member reports on ClusterInfoImports. */
export const clusterInfoImportStatus = defineStatus({
  kind: 'ClusterInfoImport',
  title: 'ClusterInfoImport',
  writer: 'member',
  conditions: {},
  reasons: {
    ForeignClusterInfoImport: {
      on: ['Event'],
      severity: 'error',
      meaning: 'A ClusterInfoImport of that name exists and was not made by Isthmus. It is left alone.',
      cure: 'Delete the ClusterInfoImport to import the network of that cluster.',
    },
  },
});
