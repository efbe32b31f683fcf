import { memberClusterSetStatus, resourceExportStatus, resourceImportStatus } from '@isthmus/api';
import { SourceKind } from '@isthmus/api';
import { carriesOurLabel, policyExchangeName, policyImportKeys } from '@isthmus/wire';
import { defineExchange } from '../../define-exchange.ts';
import { importedObjects } from '../../own-cluster/imported-objects.ts';
import { policyImportAccess, policyImportController } from './import/reconcile.ts';
import { policyMerge } from './leader/decide.ts';
import { openLocalPolicies } from './local/policies.ts';

/**
 * Copies policies that an administrator exports on the leader to every member. Only objects are
 * copied: Antrea enforces them.
 */
export const policyExchange = defineExchange({
  name: policyExchangeName,
  docs: 'ClusterNetworkPolicies: a ResourceExport that an administrator creates on the leader becomes a ClusterNetworkPolicy in all clusters.',
  statuses: [resourceImportStatus, resourceExportStatus, memberClusterSetStatus],
  leader: policyMerge,
  member: {
    access: policyImportAccess,
    importKinds: [SourceKind.clusterNetworkPolicy],
    importKeys: policyImportKeys,
    join(own) {
      const local = openLocalPolicies(own);
      return {
        exporters: () => [],
        importers: (source) => [policyImportController(local, source)],
        // A replicated policy contains only facts from the leader.
        keepers: () => [],
        imported: [importedObjects(local.policies, carriesOurLabel)],
      };
    },
  },
});
