import { SourceKind, resourceExportStatus, serviceExportStatus, serviceImportStatus } from '@isthmus/api';
import { defineExchange } from '../../exchange/exchange.ts';
import { serviceExportAccess, serviceExportController } from './export/reconcile.ts';
import { serviceImportAccess, serviceImportController } from './import/reconcile.ts';
import { serviceMerge } from './leader/service-merge.ts';
import { isAnythingImported, openLocalServices } from './local/services.ts';
import { exportKeys, importKeys, serviceExchangeName } from './wire/keys.ts';

/** Services with their endpoints: exported by ServiceExports, imported as ServiceImports with a Service and EndpointSlices. */
export const serviceExchange = defineExchange({
  name: serviceExchangeName,
  docs: 'Services and their endpoints: a ServiceExport in one cluster becomes a ServiceImport in all clusters.',
  statuses: [serviceExportStatus, serviceImportStatus, resourceExportStatus],
  leader: serviceMerge,
  member: {
    access: [...serviceExportAccess, ...serviceImportAccess],
    exportKeys,
    importKeys,
    // A leader that labels its imports has one per source cluster as well: the merged one would be every change of an endpoint twice.
    unreadImports: SourceKind.endpoints,
    join(own) {
      const local = openLocalServices(own);
      return {
        reconcilers: ({ session, why, imports }) => [
          serviceExportController({ local, session, why }),
          ...(imports === undefined ? [] : [serviceImportController(local, imports)]),
        ],
        isAnythingImported: () => isAnythingImported(local),
        onRemoval(listener) {
          const stops = [local.serviceImports, local.slices, local.services].map((resource) =>
            resource.cache.subscribe(({ after }) => {
              if (after === undefined) listener();
            }),
          );
          return () => stops.forEach((stop) => stop());
        },
      };
    },
  },
});
