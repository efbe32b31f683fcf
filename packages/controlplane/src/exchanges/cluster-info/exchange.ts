import {
  SourceKind,
  clusterInfoImportStatus,
  gatewayStatus,
  knownClusterStatus,
  nodeStatus,
  resourceExportStatus,
} from '@isthmus/api';
import { carriesOurLabel, clusterInfoExchangeName } from '@isthmus/wire';
import { defineExchange } from '../../define-exchange.ts';
import { clusterInfoExportAccess, clusterInfoExportController, exportKeys } from './export/reconcile.ts';
import { memberKnownClustersAccess, memberKnownClustersController } from './import/known-clusters.ts';
import { refusedNetworksController } from './import/refused.ts';
import { importKeys } from './import/decide.ts';
import { clusterInfoImportAccess, clusterInfoImportController } from './import/reconcile.ts';
import { clusterInfoMerge } from './leader/decide.ts';
import { importedObjects } from '../../own-cluster/imported-objects.ts';

/**
 * Exchanges the network of each cluster. It is exported while the cluster has a Gateway, and
 * imported as ClusterInfoImports, which agents read.
 */
export const clusterInfoExchange = defineExchange({
  name: clusterInfoExchangeName,
  docs: 'The network of a cluster: its Gateways and configuration become a ClusterInfoImport in all other clusters.',
  statuses: [gatewayStatus, nodeStatus, clusterInfoImportStatus, knownClusterStatus, resourceExportStatus],
  leader: clusterInfoMerge,
  member: {
    access: [...clusterInfoExportAccess, ...clusterInfoImportAccess, ...memberKnownClustersAccess],
    exportKeys,
    importKinds: [SourceKind.clusterInfo],
    importKeys,
    join(local) {
      return {
        exporters: ({ session }) => (session === undefined ? [] : [clusterInfoExportController(local, session)]),
        importers: (source) => [
          clusterInfoImportController(local, source),
          ...(source.kind === 'session' ? [memberKnownClustersController(local, source.session)] : []),
        ],
        keepers: () => [refusedNetworksController(local)],
        imported: [importedObjects(local.clusterInfoImports, carriesOurLabel)],
      };
    },
  },
});
