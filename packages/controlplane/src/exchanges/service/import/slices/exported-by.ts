import { SourceKind } from '@isthmus/api';
import { isLive, liveOf } from '@isthmus/machinery';
import { isWithdrawn } from '@isthmus/wire';
import type { ImportSource } from '../../../../own-cluster/import-source.ts';
import type { LocalCluster } from '../../local/services.ts';
import { ownExports } from '../../local/leader-objects.ts';

/**
 * Whether this cluster exports the Service `key`: it has a ServiceExport, or the ServiceExport is
 * missing or being deleted, and its export is not withdrawn yet.
 */
export function isExportedBy(local: LocalCluster, source: ImportSource, key: string): boolean {
  if (liveOf(local.serviceExports.cache.getByKey(key)) !== undefined) return true;
  if (source.kind === 'none') return false;
  return ownExports(source.session, key).some(
    (object) => object.spec?.kind === SourceKind.service && isLive(object) && !isWithdrawn(object),
  );
}
