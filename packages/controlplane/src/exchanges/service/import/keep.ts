import type { EventReason } from '@isthmus/api';
import { serviceImportStatus } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, from } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import type { LocalCluster } from '../local/services.ts';
import { createOngoingReports } from '../../../reporting/reports.ts';
import { createCallFacts } from './calls/call-facts.ts';
import { createSettled } from './calls/settled.ts';
import { keepImport } from './keep-import.ts';
import { createLocalRefusals } from './local-refusals.ts';
import { serviceImportAccess } from './reconcile.ts';
import { importSources } from './watched-keys.ts';

/**
 * Keeps imports working while the leader cannot be read, see {@link keepImport}. One key:
 * `namespace/name`.
 */
export function keptImportController(local: LocalCluster, ownClusterID: () => string | undefined): Reconciler {
  const facts = createCallFacts(local, { kind: 'none' });
  const settled = createSettled(local.world.clock);
  const refusals = createLocalRefusals(local.world.clock);
  const reports = createOngoingReports(local.events, serviceImportStatus, local.world.clock);
  return defineReconciler<EventReason<typeof serviceImportStatus>>({
    name: 'service-import-kept',
    sources: [
      ...importSources(local, { kind: 'none' }),
      ...facts.sources,
      from(local.knownClusters.cache, () => local.serviceImports.cache.list().map(keyOfObject)),
    ],
    access: serviceImportAccess,
    reconcile: (key, { signal }) =>
      keepImport({ local, refusals, facts, settled, ownClusterID: ownClusterID() }, key, signal),
    /** Reported on the ServiceImport, which the user looks at. */
    async report(key, problem) {
      reports.note(key, local.serviceImports.cache.getByKey(key), problem);
    },
  });
}
