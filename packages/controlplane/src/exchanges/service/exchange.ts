import { SourceKind, resourceExportStatus, serviceExportStatus, serviceImportStatus } from '@isthmus/api';
import { serviceExchangeName, serviceExportKeys, serviceImportKeys } from '@isthmus/wire';
import { defineExchange } from '../../define-exchange.ts';
import { serviceExportAccess, serviceExportController } from './export/reconcile.ts';
import { keptImportController } from './import/keep.ts';
import { serviceImportAccess, serviceImportController } from './import/reconcile.ts';
import { serviceMerge } from './leader/service-merge.ts';
import { importedServices, openLocalServices } from './local/services.ts';

/**
 * Exchanges Services with their endpoints. They are exported by ServiceExports, and imported as
 * ServiceImports with a Service and EndpointSlices.
 */
export const serviceExchange = defineExchange({
  name: serviceExchangeName,
  docs: 'Services and their endpoints: a ServiceExport in one cluster becomes a ServiceImport in all clusters.',
  statuses: [serviceExportStatus, serviceImportStatus, resourceExportStatus],
  leader: serviceMerge,
  member: {
    access: [...serviceExportAccess, ...serviceImportAccess],
    exportKeys: serviceExportKeys,
    importKinds: [SourceKind.serviceImport, SourceKind.endpoints, SourceKind.endpointSlices],
    importKeys: serviceImportKeys,
    join(own) {
      const local = openLocalServices(own);
      return {
        exporters: ({ session, why }) => [serviceExportController({ local, session, why })],
        importers: (source) => [serviceImportController(local, source)],
        keepers: (ownClusterID) => [keptImportController(local, ownClusterID)],
        imported: importedServices(local),
      };
    },
  },
});
