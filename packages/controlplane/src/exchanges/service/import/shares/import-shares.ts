import type { Source } from '@isthmus/kube';
import { refOf } from '@isthmus/machinery';
import { carriesOurLabel, denyDefaults } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { LocalCluster } from '../../local/services.ts';
import type { KnownService } from '../lost.ts';
import type { DecidedShare } from './decide-share.ts';
import { decideShare, unknownCluster } from './decide-share.ts';
import { createImportCounts } from './import-counts.ts';
import { createServiceRange } from './service-range.ts';

/** What each other cluster may have imported in this one. */
export interface ImportShares {
  readonly source: Source;
  /** Reads how many addresses there are, if that is needed to decide. Errors: of the API server. */
  prepare(of: SharedService, signal: AbortSignal): Promise<number | undefined>;
  /** Decides about one Service. `size`: as read before. */
  decide(of: SharedService, size: number | undefined): DecidedShare;
  /** Counts a Service that is about to be imported. */
  imports(key: string, remote: RemoteService): void;
  /** The Service is not imported any more. */
  gone(key: string): void;
}

interface SharedService {
  readonly key: string;
  readonly found: KnownService & { readonly offered: RemoteService };
  readonly ownClusterID: string | undefined;
}

export function createImportShares(local: LocalCluster): ImportShares {
  const counts = createImportCounts(local);
  const range = createServiceRange(local);
  return {
    source: counts.source,
    async prepare({ found }, signal) {
      const { spec } = found.offered;
      return isImported(found) || spec === undefined || spec.type === 'Headless' ? undefined : range.size(signal);
    },
    decide({ key, found, ownClusterID }, size) {
      const { namespace = '', name } = refOf(key);
      const { imported, own } = counts.addresses();
      return decideShare({
        namespace,
        name,
        ownNamespace: local.namespace,
        remote: found.offered,
        ownClusterID,
        isImported: isImported(found),
        inUseOf: (clusterID) => counts.inUse(clusterID, key),
        grantOf: local.grants.of,
        defaults: denyDefaults(local.config, local.namespace),
        importedOf: (clusterID) => counts.importedOf(clusterID, key),
        total: counts.total(),
        addresses: size === undefined ? undefined : { imported, free: Math.max(0, size - own) },
      });
    },
    imports: (key, { perCluster, spec }) =>
      counts.reserve(key, perCluster.size === 0 ? [unknownCluster] : [...perCluster.keys()], spec?.type !== 'Headless'),
    gone: (key) => counts.reserve(key, [], false),
  };
}

function isImported({ serviceImport }: KnownService): boolean {
  return serviceImport !== undefined && carriesOurLabel(serviceImport);
}
