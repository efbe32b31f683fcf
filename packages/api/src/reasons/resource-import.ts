import { defineStatus } from './define-status.ts';

/** The reports of members on the ResourceImports of the leader, as Events in its Namespace. */
export const resourceImportStatus = defineStatus({
  kind: 'ResourceImport',
  title: 'ResourceImport',
  writer: 'member',
  conditions: {},
  reasons: {
    ACNPImportFailed: {
      on: ['Event'],
      severity: 'error',
      meaning:
        'A member does not import the ClusterNetworkPolicy, or keeps it as it was imported before. The message names the cluster and the cause. A leader with the manifests of this release does not let members write Events by default (docs/reference/rbac.md): then see condition `ImportFailed` of the ResourceExport.',
      cure: 'Correct the cause that the message names: create the Tier in that cluster, delete the conflicting policy there, or correct the ResourceExport. The member imports the policy without your help.',
    },
    ACNPImported: {
      on: ['Event'],
      severity: 'ok',
      meaning: 'A member that reported ACNPImportFailed has imported the ClusterNetworkPolicy.',
    },
  },
});
