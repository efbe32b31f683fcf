import type { Service, ServiceImport } from '@isthmus/api';
import { carriesOurLabel, isOurService, isOurServiceImport, isOurSlice } from '@isthmus/wire';
import type { LocalCluster } from '../local/services.ts';
import { SliceIndex } from '../local/services.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';

/** What stands here under the names of one import, whoever made it. */
export interface StandingImport {
  readonly key: string;
  readonly derived: Service | undefined;
  readonly serviceImport: ServiceImport | undefined;
}

/** Removes what is ours of an import. Slices last: until the Service is gone they keep its connections going. */
export async function withdraw(
  { local, source }: { readonly local: LocalCluster; readonly source: ImportSource },
  { key, derived, serviceImport }: StandingImport,
  signal: AbortSignal,
): Promise<void> {
  // In no ClusterSet, Antrea's annotation alone proves nothing.
  const proven = (object: Service | ServiceImport) => source.kind === 'session' || carriesOurLabel(object);
  if (serviceImport !== undefined && isOurServiceImport(serviceImport, derived) && proven(serviceImport)) {
    await local.serviceImports.delete(serviceImport, signal);
  }
  if (derived !== undefined && isOurService(derived) && proven(derived)) await local.services.delete(derived, signal);
  for (const slice of local.slices.cache.byIndex(SliceIndex.imported, key).filter(isOurSlice)) {
    await local.slices.delete(slice, signal);
  }
}
