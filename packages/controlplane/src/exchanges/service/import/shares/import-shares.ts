import type { Source } from '@isthmus/kube';
import { refOf } from '@isthmus/machinery';
import { carriesOurLabel, sliceSourceOf } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { LocalCluster } from '../../local/services.ts';
import type { KnownService } from '../lost.ts';
import { existingSlices } from '../slices/write-slices.ts';
import type { DecidedShare } from './decide-share.ts';
import { decideShare } from './decide-share.ts';
import { createImportCounts } from './import-counts.ts';
import { createServiceRange } from './service-range.ts';

/** What each other cluster may have imported in this one. */
export interface ImportShares {
  readonly source: Source;
  /** Decides about one Service, and counts it if it is imported. */
  decide(of: SharedService, signal: AbortSignal): Promise<DecidedShare>;
  /** The Service is not imported any more. */
  gone(key: string): void;
}

interface SharedService {
  readonly key: string;
  readonly found: KnownService & { readonly offered: RemoteService };
  readonly ownClusterID: string | undefined;
}

/** The Namespaces of the controllers, unless the manifests were changed. */
const usualNamespace = 'kube-system';

export function createImportShares(local: LocalCluster): ImportShares {
  const counts = createImportCounts(local);
  const range = createServiceRange(local);
  return {
    source: counts.source,
    async decide({ key, found, ownClusterID }, signal) {
      const { namespace = '', name } = refOf(key);
      const { serviceImport, offered } = found;
      const isImported = serviceImport !== undefined && carriesOurLabel(serviceImport);
      const isHeadless = offered.spec?.type === 'Headless';
      const size = isImported || isHeadless || offered.spec === undefined ? undefined : await range.size(signal);
      const { imported, own } = counts.addresses();
      const share = decideShare({
        namespace,
        name,
        ownNamespace: local.namespace,
        remote: offered,
        ownClusterID,
        isImported,
        inUse: new Set(existingSlices(local, key).flatMap((slice) => sliceSourceOf(slice) ?? [])),
        grantOf: local.grants.of,
        defaults: { isHardened: local.config.hardened, ofControllers: [local.namespace, usualNamespace] },
        importedOf: (clusterID) => counts.importedOf(clusterID, key),
        addresses: size === undefined ? undefined : { imported, free: Math.max(0, size - own) },
      });
      const sources = share.problem === undefined ? [...share.remote.perCluster.keys()] : [];
      if (!isImported) counts.reserve(key, sources, !isHeadless);
      return share;
    },
    gone: (key) => counts.reserve(key, [], false),
  };
}
