import { serviceExportStatus } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import { refOf } from '@isthmus/machinery';
import { conditionOf, reasonOf } from '@isthmus/wire';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import type { LocalCluster } from '../local/services.ts';
import { ownExports } from '../local/leader-objects.ts';

/**
 * Whether our own export is pending: written, and not answered by the leader yet. The import will
 * come back, so it does not have to be removed.
 */
export function isOwnExportPending(local: LocalCluster, source: ImportSource, key: string): boolean {
  if (source.kind === 'none') return false;
  const serviceExport = local.serviceExports.cache.getByKey(key);
  if (serviceExport === undefined || serviceExport.metadata.deletionTimestamp !== undefined) return false;
  const { conditions } = serviceExport.status ?? {};
  if (conditionOf(conditions, 'Valid')?.status !== 'True') return false;
  if (reasonOf(serviceExportStatus, conditions, 'Ready') === 'Failed') return false;
  const { namespace = '', name } = refOf(key);
  const exports = ownExports(source.session, key).filter(
    (object) => object.spec?.namespace === namespace && object.spec.name === name,
  );
  const service = exports.find((object) => object.spec?.kind === 'Service');
  return (
    service === undefined ||
    (service.metadata.deletionTimestamp === undefined && service.status?.conditions?.[0]?.status !== 'False')
  );
}

/**
 * How long an export of this cluster may be pending. After that, the import that waits for it
 * counts as lost.
 */
const overdueMs = 30_000;

/**
 * Since when imports have waited for an export of this cluster. A restart loses it, and the wait
 * begins again.
 */
export interface PendingExports {
  /** The import has waited so long that the leader must have lost it. That is to be reported. */
  isOverdue(key: string): boolean;
  /** The import no longer waits. */
  over(key: string): void;
}

export function createPendingExports(clock: Clock): PendingExports {
  const sinceMs = new Map<string, number>();
  return {
    isOverdue(key) {
      const nowMs = clock.monotonic();
      const since = sinceMs.get(key) ?? nowMs;
      sinceMs.set(key, since);
      return nowMs - since >= overdueMs;
    },
    over: (key) => void sinceMs.delete(key),
  };
}
