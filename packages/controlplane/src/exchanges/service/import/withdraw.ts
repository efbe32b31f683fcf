import type { Service, ServiceImport } from '@isthmus/api';
import { carriesOurLabel, isOurService, isOurServiceImport, isOurSlice } from '@isthmus/wire';
import type { LocalCluster } from '../local/services.ts';
import { SliceIndex } from '../local/services.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';

/** The existing objects under the names of one import, no matter which client made them. */
export interface ExistingImport {
  readonly key: string;
  readonly derived: Service | undefined;
  readonly serviceImport: ServiceImport | undefined;
}

/**
 * Removes our objects of an import. The slices go last: they keep connections alive until the
 * Service is gone. Returns the objects that finalizers hold.
 */
export async function withdraw(
  { local, source }: { readonly local: LocalCluster; readonly source: ImportSource },
  { key, derived, serviceImport }: ExistingImport,
  signal: AbortSignal,
): Promise<ExistingImport> {
  // Outside a ClusterSet, Antrea's annotation alone proves nothing.
  const proven = (object: Service | ServiceImport) => source.kind === 'session' || carriesOurLabel(object);
  const isImportOurs =
    serviceImport !== undefined && isOurServiceImport(serviceImport, derived) && proven(serviceImport);
  if (isImportOurs) await local.serviceImports.delete(serviceImport, signal);
  const isServiceOurs = derived !== undefined && isOurService(derived) && proven(derived);
  if (isServiceOurs) await local.services.delete(derived, signal);
  for (const slice of local.slices.cache.byIndex(SliceIndex.imported, key).filter(isOurSlice)) {
    await local.slices.delete(slice, signal);
  }
  return {
    key,
    serviceImport: isImportOurs ? local.serviceImports.cache.getByKey(key) : undefined,
    derived: isServiceOurs ? local.services.cache.get(derived.metadata) : undefined,
  };
}
